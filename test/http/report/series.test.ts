import { expect } from 'chai'
import { reports } from '#http/report/index.ts'
import { periodsOf } from '#http/report/filter/period.ts'
import { reportWorld } from '#test/http/report/world.ts'
import { deepIt, sample } from '#test/harness/tier.ts'

const days = 'from=2026-01-01&to=2026-01-03'
const series = (query: string) => `/reports/costs/series?${query}`

describe('the periods of a range', () => {
  const names = (fromDay: string, toDay: string, granularity: 'daily' | 'weekly' | 'monthly') =>
    periodsOf({ fromDay, toDay }, granularity).map(({ first, name }) => `${first} ${name}`)

  it('are its days, ISO weeks and months, those it only touches too', () => {
    expect(names('2026-02-28', '2026-03-01', 'daily')).to.deep.equal(['2026-02-28 2026-02-28', '2026-03-01 2026-03-01'])
    expect(names('2025-11-30', '2026-01-01', 'monthly')).to.deep.equal([
      '2025-11-01 2025-11',
      '2025-12-01 2025-12',
      '2026-01-01 2026-01',
    ])
    // 2026-01-01 is a Thursday: its week is the first one. 2027-01-01 is a Friday: its week is the last one of 2026.
    expect(names('2025-12-28', '2026-01-05', 'weekly')).to.deep.equal([
      '2025-12-22 2025-W52',
      '2025-12-29 2026-W01',
      '2026-01-05 2026-W02',
    ])
    expect(names('2027-01-01', '2027-01-04', 'weekly')).to.deep.equal(['2026-12-28 2026-W53', '2027-01-04 2027-W01'])
    expect(names('2026-01-05', '2026-01-05', 'weekly')).to.deep.equal(['2026-01-05 2026-W02'])
  })
})

describe('costs over time by dimension', () => {
  const world = reportWorld()
  const { line, billed, planted, data, meta, refused, discovered, deprecation } = world

  /** On three days: compute 10, 0, 5; storage 0, 4, 0; tax 1, 0, 0; a credit of -8 on the second. */
  const four = planted(() => [
    line('1', '10', { x_Day: '2026-01-01', ResourceId: 'r1' }),
    line('2', '5', { x_Day: '2026-01-03', ResourceId: 'r2' }),
    line('3', '4', { x_Day: '2026-01-02', ServiceName: 'storage', x_Provider: 'gcp', ResourceId: 'r3' }),
    line('4', '1', { x_Day: '2026-01-01', ServiceName: 'tax', ChargeCategory: 'Tax' }),
    line('5', '-8', { x_Day: '2026-01-02', ServiceName: 'credits', ChargeCategory: 'Credit' }),
    line('6', '99', { x_Day: '2026-01-04' }),
  ])

  it('are the dearest by absolute sum, all others together, and the total, in every period', async () => {
    four()
    expect(await data(series(`${days}&dims=service_name&top=2`))).to.deep.equal({
      granularity: 'daily',
      periods: ['2026-01-01', '2026-01-02', '2026-01-03'],
      series: [
        { key: { service_name: 'compute' }, label: 'compute', costUSD: 15, values: [10, 0, 5] },
        { key: { service_name: 'credits' }, label: 'credits', costUSD: -8, values: [0, -8, 0] },
      ],
      // storage and tax
      other: { count: 2, costUSD: 5, values: [1, 4, 0] },
      total: { costUSD: 12, values: [11, -4, 5], estimatedUSD: [0, 0, 0] },
    })
  })

  it('are the total alone without dimensions, with costs or without', async () => {
    const empty = { costUSD: 0, values: [0, 0, 0] }
    expect(await data(series(days))).to.deep.equal({
      granularity: 'daily',
      periods: ['2026-01-01', '2026-01-02', '2026-01-03'],
      series: [{ key: {}, label: 'Total', ...empty }],
      other: null,
      total: { ...empty, estimatedUSD: [0, 0, 0] },
    })
    expect((await data(series(`${days}&dims=region`))).series).to.deep.equal([])
    four()
    const all = { costUSD: 12, values: [11, -4, 5] }
    const said = await data(series(days))
    expect(said.series).to.deep.equal([{ key: {}, label: 'Total', ...all }])
    expect(said.other).to.equal(null)
    expect(said.total).to.deep.equal({ ...all, estimatedUSD: [0, 0, 0] })
  })

  it(
    'count weeks and months by the days of the range alone',
    billed(
      () => [
        line('1', '1', { x_Day: '2025-12-29' }),
        line('2', '2', { x_Day: '2025-12-31' }),
        line('3', '4', { x_Day: '2026-01-04' }),
        line('4', '8', { x_Day: '2026-01-12' }),
        line('5', '16', { x_Day: '2026-01-14' }),
      ],
      async () => {
        const range = 'from=2025-12-30&to=2026-01-13&dims=provider'
        const weekly = await data(series(`${range}&granularity=weekly`))
        expect(weekly.periods).to.deep.equal(['2026-W01', '2026-W02', '2026-W03'])
        expect(weekly.series[0].values).to.deep.equal([6, 0, 8])
        const monthly = await data(series(`${range}&granularity=monthly`))
        expect([monthly.periods, monthly.series[0].values]).to.deep.equal([
          ['2025-12', '2026-01'],
          [2, 12],
        ])
        for (const granularity of sample(['daily', 'weekly', 'monthly'], 1)) {
          const { periods, total } = await data(series(`${range}&granularity=${granularity}`))
          const { items } = await data(
            `/reports/cost-history?${range.replace('&dims=provider', '')}&granularity=${granularity}`,
          )
          expect([periods, total.values], granularity).to.deep.equal([
            items.map((item: any) => item.period),
            items.map((item: any) => item.costUSD),
          ])
        }
      },
    ),
  )

  it(
    'decide equal sums by value, whichever way they go',
    billed(
      () => [
        line('1', '3', { ServiceName: 'b' }),
        line('2', '-3', { ServiceName: 'c' }),
        line('3', '3', { ServiceName: 'a' }),
      ],
      async () => {
        const { series: shown, other } = await data(series('from=2026-01-15&to=2026-01-15&dims=service_name&top=2'))
        expect(shown.map((one: any) => [one.label, one.costUSD])).to.deep.equal([
          ['a', 3],
          ['b', 3],
        ])
        expect(other).to.deep.equal({ count: 1, costUSD: -3, values: [-3] })
      },
    ),
  )

  it('name accounts, teams and resources, of up to three dimensions and tags', async () => {
    four()
    await discovered('r1', { name: 'web', tags: { env: 'prod' } })
    await world.team('t-1', 'Core')
    await world.assign('t-1', 'r1')
    const shown = async (query: string) =>
      (await data(series(`${days}&${query}`))).series.map((one: any) => [one.key, one.label, one.costUSD])
    expect(await shown('dims=team_id,resource_uid,tag:env&filter[service_name]=compute')).to.deep.equal([
      [{ team_id: 't-1', resource_uid: 'r1', 'tag:env': 'prod' }, 'Core / web / prod', 10],
      [{ team_id: 'unassigned', resource_uid: 'r2', 'tag:env': '(none)' }, 'Unassigned / r2 / (none)', 5],
    ])
    expect(await shown('dims=cloud_account_id,provider')).to.deep.equal([
      [{ cloud_account_id: 'acct-1', provider: 'aws' }, 'Production / aws', 8],
      [{ cloud_account_id: 'acct-1', provider: 'gcp' }, 'Production / gcp', 4],
    ])
    expect(await shown('dims=resource_uid&top=1')).to.deep.equal([[{ resource_uid: 'r1' }, 'web', 10]])
  })

  it(
    'keep every digit of what others and totals sum',
    billed(
      () => [
        line('1', '0.1', { ServiceName: 'a' }),
        line('2', '0.2', { ServiceName: 'b' }),
        line('3', '0.00000000000001', { ServiceName: 'c' }),
        line('4', '1000000.7', { ServiceName: 'd' }),
      ],
      async () => {
        const said = await data(series('from=2026-01-15&to=2026-01-15&dims=service_name&top=1'))
        expect(said.other).to.deep.equal({ count: 3, costUSD: 0.30000000000001, values: [0.30000000000001] })
      },
    ),
  )

  const estimate = (id: string, cost: number, more: object) => line(id, cost, { x_Source: 'estimate', ...more })

  it(
    'say what of each period is estimated, by what filters and roles leave',
    billed(
      () => [
        line('1', 6, { x_Day: '2026-01-01', ResourceId: 'r1' }),
        estimate('2', 2, { x_Day: '2026-01-01', ResourceId: 'r2' }),
        estimate('3', 3, { x_Day: '2026-01-03', ResourceId: 'r3', x_CloudAccountId: 'acct-2' }),
      ],
      async () => {
        const estimated = async (query: string) => (await data(series(`${days}&${query}`))).total.estimatedUSD
        const cases: readonly [query: string, estimatedUSD: number[] | undefined][] = [
          ['dims=provider', [2, 0, 3]],
          ['granularity=weekly', [5]],
          ['filter[resource_uid]=r2', [2, 0, 0]],
          ['filter[resource_uid]=r1', [0, 0, 0]],
          ['filter[invoice_id]=i', undefined],
        ]
        const answers = await Promise.all(cases.map(([query]) => estimated(query)))
        expect(answers).to.deep.equal(cases.map(([, estimatedUSD]) => estimatedUSD))
        expect((await meta(series(days))).estimatedUSD).to.equal(5)
        world.seeOnly({ cloudAccountIDs: ['acct-2'] })
        expect(await estimated('')).to.deep.equal([0, 0, 3])
      },
    ),
  )

  it(
    'stand beside what they were: the shown ones, the others, and the total by period',
    billed(
      () => [
        line('1', '7', { x_Day: '2026-01-08', ServiceName: 'a' }),
        line('2', '3', { x_Day: '2026-01-09', ServiceName: 'b' }),
        line('3', '1', { x_Day: '2026-01-09', ServiceName: 'c' }),
        line('4', '100', { x_Day: '2026-01-06', ServiceName: 'gone' }),
        line('5', '2', { x_Day: '2026-01-07', ServiceName: 'b' }),
        line('6', '4', { x_Day: '2026-01-07', ServiceName: 'c' }),
      ],
      async () => {
        const of = (query: string) => data(series(`from=2026-01-08&to=2026-01-09&compare=previous&${query}`))
        const two = await of('dims=service_name&top=2')
        expect(two.series).to.deep.equal([
          {
            key: { service_name: 'a' },
            label: 'a',
            costUSD: 7,
            previousUSD: 0,
            deltaUSD: 7,
            deltaPercent: null,
            values: [7, 0],
          },
          {
            key: { service_name: 'b' },
            label: 'b',
            costUSD: 3,
            previousUSD: 2,
            deltaUSD: 1,
            deltaPercent: 50,
            values: [0, 3],
          },
        ])
        // c was 4, and what is gone 100.
        expect(two.other).to.deep.equal({
          count: 1,
          costUSD: 1,
          previousUSD: 104,
          deltaUSD: -103,
          deltaPercent: -99.04,
          values: [0, 1],
        })
        expect(two.total).to.deep.equal({
          costUSD: 11,
          previousUSD: 106,
          deltaUSD: -95,
          deltaPercent: -89.62,
          values: [7, 4],
          previousValues: [100, 6],
          estimatedUSD: [0, 0],
        })
        const four = await of('dims=service_name')
        expect(four.series.map((one: any) => [one.label, one.costUSD, one.previousUSD])).to.deep.equal([
          ['a', 7, 0],
          ['b', 3, 2],
          ['c', 1, 4],
          ['gone', 0, 100],
        ])
        expect(four.other).to.equal(null)
        const three = await of('dims=service_name&top=3')
        expect(three.other).to.deep.include({ count: 0, costUSD: 0, previousUSD: 100, values: [0, 0] })
        expect((await meta(series('from=2026-01-08&to=2026-01-09&compare=previous'))).compared).to.deep.equal({
          from: '2026-01-06',
          to: '2026-01-07',
        })
      },
    ),
  )

  it('are null where the time before has no such period', async () => {
    four()
    // On 20 January, of all January: the first twenty days of December.
    const { total } = await data(series('from=2026-01-01&to=2026-01-31&compare=previous'))
    expect([total.previousValues[19], total.previousValues[20]]).to.deep.equal([0, null])
  })

  deepIt('are of what a role may see, as they stood, by invoice', async () => {
    await world.insert('cost_fact', [line('1', '5', { InvoiceId: 'inv-1' })])
    await world.restate('2026-01-15', new Date('2026-01-16T04:00:00Z'))
    await world.insert('cost_fact', [line('2', '2', { InvoiceId: 'inv-2' })])
    await world.restate('2026-01-15', new Date('2026-01-17T05:00:00Z'))
    const day = 'from=2026-01-15&to=2026-01-15'
    const total = async (query: string) => (await data(series(`${day}&${query}`))).total.values
    const queries = ['', 'asOf=2026-01-16T12:00:00Z', 'filter[invoice_id]=inv-2']
    expect(await Promise.all(queries.map(total))).to.deep.equal([[7], [5], [2]])
    const { series: invoices } = await data(series(`${day}&dims=invoice_id`))
    expect(invoices.map((one: any) => [one.label, one.costUSD])).to.deep.equal([
      ['inv-1', 5],
      ['inv-2', 2],
    ])
    expect(await refused(series(`${day}&dims=invoice_id&asOf=2026-01-16T12:00:00Z`))).to.deep.equal([
      'asOf: invoice_id',
    ])
    world.seeOnly({ cloudAccountIDs: ['acct-2'] })
    expect(await total('')).to.deep.equal([0])
  })

  it('have parameters that their receipts take too', () => {
    const parametersOf = (path: string) => Object.keys(reports.find((one) => one.path === path)!.query!.properties)
    expect(parametersOf('/reports/costs/series')).to.include.members(['group_by', 'granularity', 'top'])
    // A receipt is of one time, of what it is asked for.
    const ofTime = ['compare']
    const wanted = parametersOf('/reports/costs/series').filter((name) => !ofTime.includes(name))
    expect(parametersOf('/reports/receipt')).to.include.members(wanted)
  })

  // A receipt takes ClickHouse a second.
  deepIt('have a receipt by the same parameters', async () => {
    four()
    const asked = `${days}&dims=service_name&granularity=weekly&top=2`
    expect((await data(`/reports/receipt?${asked}&filter[service_name]=compute`)).totalUSD).to.equal('15')
  })

  it('take the dimensions as group_by, and as dims, their former name, which is deprecated', async () => {
    four()
    const asked = `${days}&granularity=monthly`
    const grouped = await data(series(`${asked}&group_by=service_name,provider`))
    expect(grouped.series[0].key).to.deep.equal({ service_name: 'compute', provider: 'aws' })
    expect(await data(series(`${asked}&dims=service_name,provider`))).to.deep.equal(grouped)
    // 2026-12-01
    expect(await deprecation(series(`${asked}&dims=region`))).to.deep.equal([
      '@1796083200',
      '</docs>; rel="deprecation"',
    ])
    expect(await deprecation(series('dims=colour'))).to.deep.equal(['@1796083200', '</docs>; rel="deprecation"'])
    expect(await deprecation(series(`${asked}&group_by=region`))).to.deep.equal([null, null])
    expect(await refused(series('group_by=colour'))).to.deep.equal(['group_by: enum'])
    expect(await refused(series('dims=region&group_by=region'))).to.deep.equal(['dims: repeated'])
  })

  it('name the parameter that is wrong', async () => {
    expect(await refused(series('dims=colour'))).to.deep.equal(['dims: enum'])
    expect(await refused(series('dims=region,provider,service_name,team_id'))).to.deep.equal(['dims: maxItems'])
    expect(await refused(series('dims=region,region'))).to.deep.equal(['dims: uniqueItems'])
    expect(await refused(series('top=0'))).to.deep.equal(['top: minimum'])
    expect(await refused(series('top=51'))).to.deep.equal(['top: maximum'])
    expect(await refused(series('granularity=hourly'))).to.deep.equal(['granularity: enum'])
  })
})
