import { expect } from 'chai'
import { against, comparedDays } from '#http/report/comparison/compare.ts'
import { units } from '#streams/figure.ts'
import { deepIt } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const now = new Date('2026-01-20T12:00:00Z')

describe('the days that are compared', () => {
  const cases: readonly [what: string, from: string, to: string, previous: string, year: string][] = [
    ['some days', '2026-01-08', '2026-01-14', '2026-01-01..2026-01-07', '2025-01-08..2025-01-14'],
    ['one day', '2026-01-01', '2026-01-01', '2025-12-01..2025-12-01', '2025-01-01..2025-01-01'],
    ['a whole month', '2025-03-01', '2025-03-31', '2025-02-01..2025-02-28', '2024-03-01..2024-03-31'],
    ['two whole months', '2025-07-01', '2025-08-31', '2025-05-01..2025-06-30', '2024-07-01..2024-08-31'],
    ['a month until today', '2026-01-01', '2026-01-20', '2025-12-01..2025-12-20', '2025-01-01..2025-01-20'],
    ['a month that is not over', '2026-01-01', '2026-01-31', '2025-12-01..2025-12-20', '2025-01-01..2025-01-20'],
    [
      'a month until a day the one before lacks',
      '2025-03-01',
      '2025-03-30',
      '2025-02-01..2025-02-28',
      '2024-03-01..2024-03-30',
    ],
    ['a leap day', '2024-02-29', '2024-02-29', '2024-02-28..2024-02-28', '2023-02-28..2023-02-28'],
    ['February of a leap year', '2024-02-01', '2024-02-29', '2024-01-01..2024-01-31', '2023-02-01..2023-02-28'],
    ['days into the next month', '2025-12-15', '2026-01-13', '2025-11-15..2025-12-14', '2024-12-15..2025-01-13'],
    ['days of the future', '2026-02-10', '2026-02-11', '2026-02-08..2026-02-09', '2025-02-10..2025-02-11'],
  ]
  for (const [what, fromDay, toDay, previous, year] of cases)
    it(`of ${what} are those before, or of a year before`, () => {
      const said = (['previous', 'year'] as const).map((kind) => comparedDays(kind, { fromDay, toDay }, now))
      expect(said.map((days) => `${days.fromDay}..${days.toDay}`)).to.deep.equal([previous, year])
    })
})

describe('what stands beside a cost', () => {
  const of = (cost: string, previous?: string) =>
    Object.values(against(units(cost), previous === undefined ? undefined : units(previous)))

  it('is what it was, the difference, exactly, and the difference in per cent of what it was', () => {
    expect(of('12.5', '10')).to.deep.equal([10, 2.5, 25])
    expect(of('0.1', '0.3')).to.deep.equal([0.3, -0.2, -66.67])
    expect(of('0', '8')).to.deep.equal([8, -8, -100])
    // A credit of 4 that became one of 2: more by half of its size.
    expect(of('-2', '-4')).to.deep.equal([-4, 2, 50])
    expect(of('3', '0')).to.deep.equal([0, 3, null])
    expect(of('3')).to.deep.equal([null, null, null])
  })
})

describe('reports beside an earlier time', () => {
  const world = reportWorld()
  const { line, billed, planted, data, meta, refused } = world
  const week = 'from=2026-01-08&to=2026-01-14'
  const compared = `${week}&compare=previous`
  const beside = (previousUSD: number | null, deltaUSD: number | null, deltaPercent: number | null) => ({
    previousUSD,
    deltaUSD,
    deltaPercent,
  })
  const five = () => [
    line('1', '10.004', { x_Day: '2026-01-02', ResourceId: 'r1', ResourceType: 'aws-ec2' }),
    line('2', '4', { x_Day: '2026-01-03', ResourceId: 'r2', x_PurchaseType: 'spot', x_Provider: 'gcp' }),
    line('3', '15.01', { x_Day: '2026-01-09', ResourceId: 'r1', ResourceType: 'aws-ec2' }),
    line('4', '1', { x_Day: '2026-01-14', ResourceId: 'r3', x_PurchaseType: 'reserved' }),
    line('5', '2', { x_Day: '2025-01-10', ResourceId: 'r1' }),
  ]
  const all = planted(five)

  it('say what all of it was, and which days that is of', async () => {
    all()
    const said = await data(`/reports/summary?${compared}`)
    // 14.004 is shown as 14.
    expect(said).to.include({ totalCostUSD: 16.01, ...beside(14, 2.01, 14.36) })
    expect((await meta(`/reports/summary?${compared}`)).compared).to.deep.equal({
      from: '2026-01-01',
      to: '2026-01-07',
    })
    const year = await data(`/reports/summary?${week}&compare=year`)
    expect([year.previousUSD, year.deltaUSD]).to.deep.equal([2, 14.01])
  })

  it('are as they were where nobody asks for it', async () => {
    all()
    expect(Object.keys(await data(`/reports/summary?${week}`)).toSorted()).to.deep.equal([
      'period',
      'resourceCount',
      'totalCostUSD',
      'totalSavingsUSD',
    ])
    expect(await meta(`/reports/summary?${week}`)).not.to.have.property('compared')
    const { items } = await data(`/reports/trends?${week}`)
    expect(Object.keys(items[0])).to.deep.equal(['date', 'costUSD', 'savingsUSD'])
  })

  it('compare days and periods by their place', async () => {
    all()
    for (const [report, name] of [
      ['trends', 'date'],
      ['cost-history', 'period'],
    ] as const) {
      const { items } = await data(`/reports/${report}?${compared}`)
      expect(items.slice(0, 3), report).to.deep.equal([
        { [name]: '2026-01-08', costUSD: 0, ...beside(0, 0, null), savingsUSD: 0 },
        { [name]: '2026-01-09', costUSD: 15.01, ...beside(10.004, 5.006, 50.04), savingsUSD: 0 },
        { [name]: '2026-01-10', costUSD: 0, ...beside(4, -4, -100), savingsUSD: 0 },
      ])
    }
    // On 20 January, of January: the first twenty days of December. The rest of the month is of no day.
    const { items } = await data('/reports/trends?from=2026-01-01&to=2026-01-31&compare=previous')
    expect([items[19], items[20]].map((item: any) => item.previousUSD)).to.deep.equal([0, null])
  })

  it('compare groups by their key, those that are gone or new too', async () => {
    all()
    const { items } = await data(`/reports/costs/resources?${compared}&group_by=purchase_type`)
    const of = (key: string) => items.find((item: any) => item.key === key)
    expect(items.length).to.equal(3)
    expect(of('on_demand')).to.include({ costUSD: 15.01, ...beside(10.004, 5.006, 50.04) })
    expect(of('spot')).to.deep.equal({
      key: 'spot',
      label: 'spot',
      costUSD: 0,
      ...beside(4, -4, -100),
      savingsUSD: 0,
      resourceCount: 0,
    })
    expect(of('reserved')).to.include({ costUSD: 1, ...beside(0, 1, null) })
    const providers = await data(`/reports/providers/summary?${compared}`)
    expect(providers).to.deep.equal({
      aws: { count: 0, costUSD: 16.01, ...beside(10.004, 6.006, 60.04) },
      gcp: { count: 0, costUSD: 0, ...beside(4, -4, -100) },
    })
  })

  it('compare the resources of a page', async () => {
    all()
    const { items, total } = await data(`/reports/costs/resources?${compared}&group_by=resource`)
    expect(total).to.equal(2)
    expect(items.map((item: any) => [item.key, item.costUSD, item.previousUSD, item.deltaUSD])).to.deep.equal([
      ['r1', 15.01, 10.004, 5.006],
      ['r3', 1, 0, 1],
    ])
    expect(await refused(`/reports/costs/resources?${compared}`)).to.deep.equal(['compare: required'])
  })

  it(
    'compare teams, of which each is asked as the days were',
    billed(five, async () => {
      await world.discovered('r1')
      await world.team('t-1', 'Web')
      await world.assign('t-1', 'r1')
      const teams = await data(`/reports/teams?${compared}`)
      expect(
        teams.map((team: any) => [team.teamName, team.costUSD, team.previousUSD, team.deltaPercent]),
      ).to.deep.equal([
        ['Web', 15.01, 10.004, 50.04],
        ['Unassigned', 1, 4, -75],
      ])
    }),
  )

  it('compare each node and link of a flow, and its total', async () => {
    all()
    const flow = await data(`/reports/costs/breakdown?${compared}&dims=provider,purchase_type`)
    const [aws, gcp] = [beside(10.004, 6.006, 60.04), beside(4, -4, -100)]
    expect(flow.nodes).to.deep.equal([
      { id: 'aws', dim: 'provider', valueUSD: 16.01, ...aws },
      { id: 'gcp', dim: 'provider', valueUSD: 0, ...gcp },
      { id: 'aws|on_demand', dim: 'purchase_type', valueUSD: 15.01, ...beside(10.004, 5.006, 50.04) },
      { id: 'aws|reserved', dim: 'purchase_type', valueUSD: 1, ...beside(0, 1, null) },
      { id: 'gcp|spot', dim: 'purchase_type', valueUSD: 0, ...gcp },
    ])
    expect(flow.links.at(-1)).to.deep.equal({ source: 'gcp', target: 'gcp|spot', valueUSD: 0, ...gcp })
    expect([flow.totalUSD, flow.previousUSD, flow.deltaUSD]).to.deep.equal([16.01, 14, 2.01])
    const byResource = 'dims=resource_uid&filter[provider]=aws'
    expect(await refused(`/reports/costs/breakdown?${compared}&${byResource}`)).to.deep.equal(['compare: resource_uid'])
  })

  deepIt(
    'compare one team by provider and type, and its resources',
    billed(five, async () => {
      for (const uid of ['r1', 'r2']) await world.discovered(uid)
      await world.team('t-1', 'Web')
      await world.assign('t-1', 'r1', 'r2')
      const team = await data(`/reports/teams/t-1?${compared}`)
      // 14.004 is shown as 14.
      expect(team).to.include({ costUSD: 15.01, ...beside(14, 1.01, 7.21) })
      expect(team.byProvider).to.deep.equal([
        { provider: 'aws', costUSD: 15.01, ...beside(10.004, 5.006, 50.04) },
        { provider: 'gcp', costUSD: 0, ...beside(4, -4, -100) },
      ])
      expect(team.byResourceType.map((one: any) => [one.resourceType, one.previousUSD])).to.deep.equal([
        ['aws-ec2', 10.004],
        ['(none)', 4],
      ])
      const { items } = await data(`/reports/teams/t-1/resources?${compared}`)
      expect(items.map((one: any) => [one.resourceUid, one.costUSD, one.previousUSD])).to.deep.equal([
        ['r1', 15.01, 10.004],
      ])
    }),
  )

  deepIt(
    'compare tags: keys, values, days, and the resources of a value',
    billed(five, async () => {
      await world.discovered('r1', { tags: { env: 'prod' } })
      await world.discovered('r2', { tags: { env: 'test', owner: 'ana' }, deleted_at: '2026-01-05 00:00:00.000' })
      const keys = await data(`/reports/tags?${compared}`)
      expect(keys.items.map((one: any) => [one.tagKey, one.costUSD, one.previousUSD, one.deltaUSD])).to.deep.equal([
        ['env', 15.01, 14.004, 1.006],
        ['owner', 0, 4, -4],
      ])
      const values = await data(`/reports/tags/env?${compared}`)
      expect(values).to.deep.equal([
        { tagValue: 'prod', costUSD: 15.01, ...beside(10.004, 5.006, 50.04), resourceCount: 1 },
        { tagValue: 'test', costUSD: 0, ...beside(4, -4, -100), resourceCount: 0 },
      ])
      const trends = await data(`/reports/tags/trends?${compared}&tag_key=env&tag_value=prod`)
      expect(trends.items[1]).to.deep.equal({ date: '2026-01-09', costUSD: 15.01, ...beside(10.004, 5.006, 50.04) })
      expect(trends.items[2]).to.include(beside(0, 0, null))
      const { items } = await data(`/reports/tags/env/values/prod/resources?${compared}`)
      expect(items.map((one: any) => [one.resourceUid, one.previousUSD])).to.deep.equal([['r1', 10.004]])
      expect(await refused(`/reports/tags?${compared}&unit=pairs`)).to.deep.equal(['compare: unit'])
    }),
  )

  const same = { ResourceId: 'same' }
  const other = { ...same, x_CloudAccountId: 'acct-2' }
  deepIt(
    'tell resources of one name in two accounts apart where they are listed by account',
    billed(
      () => [
        ...five(),
        line('7', 1, { ...same, x_Day: '2026-01-02' }),
        line('8', 2, { ...other, x_Day: '2026-01-02' }),
        line('9', 8, { ...same, x_Day: '2026-01-09' }),
        line('10', 16, { ...other, x_Day: '2026-01-09' }),
      ],
      async () => {
        const was = async (path: string) =>
          (await data(path)).items.flatMap((one: any) =>
            (one.key ?? one.resourceUid) === 'same' ? [one.previousUSD] : [],
          )
        expect(await was(`/reports/teams/unassigned/resources?${compared}`)).to.deep.equal([2, 1])
        expect(await was(`/reports/costs/resources?${compared}&group_by=resource`)).to.deep.equal([3])
      },
    ),
  )

  deepIt(
    'compare what a role sees with what it would have seen',
    billed(
      () => [...five(), line('6', '100', { x_Day: '2026-01-02', x_CloudAccountId: 'acct-2' })],
      async () => {
        world.seeOnly({ cloudAccountIDs: ['acct-1'] })
        expect((await data(`/reports/summary?${compared}`)).previousUSD).to.equal(14)
        expect(await refused(`/reports/summary?${week}&compare=never`)).to.deep.equal(['compare: enum'])
      },
    ),
  )
})
