import { expect } from 'chai'
import { deepIt } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'
const dates = Array.from({ length: 31 }, (_, i) => `2026-01-${String(i + 1).padStart(2, '0')}`)

describe('cost reports', () => {
  const world = reportWorld()
  const { line, bill, billed, planted, data, refused } = world

  const tenADay = () => bill(...dates.map((day) => line(day, 10, { x_Day: day, ResourceId: 'r1' })))

  it(
    'give the cost of each day, oldest first, also of days without any [REP-15]',
    billed(
      () => [
        line('1', '1.005', { x_Day: '2026-01-02' }),
        line('2', '2', { x_Day: '2026-01-04' }),
        line('3', '4', { x_Day: '2026-01-05' }),
      ],
      async () => {
        expect(await data('/reports/trends?from=2026-01-02&to=2026-01-04')).to.deep.equal({
          items: [
            { date: '2026-01-02', costUSD: 1.005, savingsUSD: 0 },
            { date: '2026-01-03', costUSD: 0, savingsUSD: 0 },
            { date: '2026-01-04', costUSD: 2, savingsUSD: 0 },
          ],
        })
        const months = (await data('/reports/trends?from=2025-12-29&to=2026-01-31&granularity=monthly')).items
        expect(months.map((item: any) => [item.date, item.costUSD])).to.deep.equal([
          ['2025-12', 0],
          ['2026-01', 7.005],
        ])
        const { items } = await data('/reports/trends')
        expect([items.length, items[0].date, items.at(-1).date]).to.deep.equal([31, '2025-12-21', '2026-01-20'])
      },
    ),
  )

  it('give the history by day, ISO week and month, with the same sum [REP-17] S-10', async () => {
    await tenADay()
    const history = (granularity: string) => data(`/reports/cost-history?${january}&granularity=${granularity}`)
    const daily = await history('daily')
    expect(daily.items.map((item: any) => item.period)).to.deep.equal(dates)
    expect(daily.items.map((item: any) => item.costUSD)).to.deep.equal(dates.map(() => 10))
    expect(await history('weekly')).to.deep.equal({
      granularity: 'weekly',
      items: [
        { period: '2026-W01', costUSD: 40, savingsUSD: 0 },
        { period: '2026-W02', costUSD: 70, savingsUSD: 0 },
        { period: '2026-W03', costUSD: 70, savingsUSD: 0 },
        { period: '2026-W04', costUSD: 70, savingsUSD: 0 },
        { period: '2026-W05', costUSD: 60, savingsUSD: 0 },
      ],
    })
    expect(await history('monthly')).to.deep.equal({
      granularity: 'monthly',
      items: [{ period: '2026-01', costUSD: 310, savingsUSD: 0 }],
    })
    expect(await refused('/reports/cost-history?granularity=hourly')).to.deep.equal(['granularity: enum'])
  })

  it(
    'count the last days of December into the week of the year they belong to',
    billed(
      () => [
        line('1', 1, { x_Day: '2027-01-03' }),
        line('2', 2, { x_Day: '2026-12-28' }),
        line('3', 4, { x_Day: '2027-01-04' }),
      ],
      async () => {
        const { items } = await data('/reports/cost-history?from=2026-12-28&to=2027-01-04&granularity=weekly')
        expect(items.map((item: any) => [item.period, item.costUSD])).to.deep.equal([
          ['2026-W53', 3],
          ['2027-W01', 4],
        ])
      },
    ),
  )

  deepIt(
    'ignore an estimate once the invoice is there, and take its restatement S-11 (a)',
    billed(
      () => [line('e1', '100', { ResourceId: 'r1', x_Source: 'estimate' }), line('a1', '92.50', { ResourceId: 'r1' })],
      async () => {
        const total = async () => (await data('/reports/summary')).totalCostUSD
        expect(await total()).to.equal(92.5)
        await bill(line('a1', '90', { ResourceId: 'r1', x_Version: '2' }))
        expect(await total()).to.equal(90)
      },
    ),
  )

  it(
    'show the month so far unless another is asked for [REP-01] [REP-02]',
    billed(
      () => [
        line('1', '125', { x_Day: '2026-01-31' }),
        line('2', '0.005', { x_Day: '2025-12-01' }),
        line('3', '7', { x_Day: '2026-02-01' }),
      ],
      async () => {
        expect(await data('/reports/summary')).to.deep.equal({
          totalCostUSD: 125,
          totalSavingsUSD: 0,
          resourceCount: 0,
          period: '2026-01',
        })
        expect(await data('/reports/summary?period=2025-12')).to.deep.equal({
          totalCostUSD: 0.01,
          totalSavingsUSD: 0,
          resourceCount: 0,
          period: '2025-12',
        })
        expect(await refused('/reports/summary?period=2026-13')).to.deep.equal(['period: format'])
        const { period, totalCostUSD } = await data('/reports/summary?from=2025-12-01&to=2026-01-31')
        expect([period, totalCostUSD]).to.deep.equal(['2025-12-01..2026-01-31', 125.01])
        expect((await data('/reports/summary?from=2025-12-01&to=2025-12-31')).period).to.equal('2025-12')
        expect(await refused('/reports/summary?period=2025-12&to=2025-12-31')).to.deep.equal(['period: range'])
        expect(await refused('/reports/summary?period=now')).to.deep.equal(['period: format'])
      },
    ),
  )

  it(
    'show billed cost, or the one of the four that is asked for',
    billed(
      () => [line('1', '10', { EffectiveCost: '8', ContractedCost: '11', ListCost: '20' })],
      async () => {
        const total = async (query: string) => (await data(`/reports/summary${query}`)).totalCostUSD
        expect([await total(''), await total('?cost=billed'), await total('?cost=effective')]).to.deep.equal([
          10, 10, 8,
        ])
        expect([await total('?cost=contracted'), await total('?cost=list')]).to.deep.equal([11, 20])
        expect(await refused('/reports/summary?cost=amortized')).to.deep.equal(['cost: enum'])
      },
    ),
  )

  // Filters of chance (sums.test.ts) are asked of every report.
  deepIt('are narrowed by every common filter, alone and together', async () => {
    await bill(
      line('1', 1, { x_Provider: 'aws', RegionId: 'eu', ResourceType: 'aws-ec2' }),
      line('2', 2, { x_Provider: 'gcp', RegionId: 'eu', ResourceType: 'gcp-vm', x_CloudAccountId: 'acct-2' }),
      line('3', 4, { x_Provider: 'azure' }),
    )
    const total = async (query: string) => (await data(`/reports/summary?${query}`)).totalCostUSD
    expect(await total('provider=aws,gcp')).to.equal(3)
    expect(await total('provider=cloud-c')).to.equal(4)
    expect(await total('region=eu&provider=gcp')).to.equal(2)
    expect(await total('region=(none)')).to.equal(4)
    expect(await total('resource_type=cloud-a-ec2')).to.equal(1)
    expect(await total('cloud_account_id=acct-2')).to.equal(2)
    expect(await total('team_id=unassigned')).to.equal(7)
    expect(await total('team_id=core')).to.equal(0)
    expect(await refused('/reports/summary?provider=oracle')).to.deep.equal(['provider: enum'])
  })

  describe('of resources', () => {
    const lines = () => [
      ...dates.slice(0, 3).flatMap((day, i) => [
        line(`${day}/1`, 1 + i, { x_Day: day, ResourceId: 'r1', RegionId: 'eu', ResourceType: 'aws-ec2' }),
        line(`${day}/1/disk`, '0.5', {
          x_Day: day,
          ResourceId: 'r1',
          RegionId: 'us',
          ServiceName: 'disk',
          x_PurchaseType: 'reserved',
        }),
        line(`${day}/2`, 10, { x_Day: day, ResourceId: 'r2', x_Provider: 'gcp', x_CloudAccountId: 'acct-2' }),
      ]),
      line('tax', '0.25'),
    ]
    const twoTimesThree = planted(lines)
    const namedLines = planted(lines)
    const named = async () => {
      namedLines()
      await world.discovered('r1', { name: 'web' })
    }
    const rows = (query = '') => data(`/reports/costs/resources?${january}&${query}`)

    it('are one row a resource and day, which says what its dearest charge says [REP-24]', async () => {
      await world.shared(named)
      const { items, ...page } = await rows('sort_by=date&sort_order=asc')
      expect(page).to.deep.equal({ total: 7, page: 1, limit: 20, hasMore: false })
      expect(items.map((row: any) => `${row.date} ${row.resourceUid} ${row.costUSD}`)).to.deep.equal([
        '2026-01-01 r1 1.5',
        '2026-01-01 r2 10',
        '2026-01-02 r1 2.5',
        '2026-01-02 r2 10',
        '2026-01-03 r1 3.5',
        '2026-01-03 r2 10',
        '2026-01-15 (none) 0.25',
      ])
      expect(items[2]).to.deep.equal({
        date: '2026-01-02',
        resourceUid: 'r1',
        resourceName: 'web',
        resourceType: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        region: 'eu',
        purchaseType: 'on_demand',
        costUSD: 2.5,
        savingsUSD: 0,
      })
      expect(items[1].resourceName).to.equal('r2')
    })

    it('add up to the total of the cost flow over all their pages [REP-23]', async () => {
      twoTimesThree()
      let sum = 0
      for (const page of [1, 2, 3]) {
        const { items, total, hasMore } = await rows(`limit=3&page=${page}`)
        expect([items.length, total, hasMore]).to.deep.equal([[3, 3, 1][page - 1], 7, page < 3])
        sum += items.reduce((costs: number, row: any) => costs + row.costUSD, 0)
      }
      expect(sum).to.equal(37.75)
      expect((await data(`/reports/costs/breakdown?${january}&dims=provider`)).totalUSD).to.equal(37.75)
      expect(await rows('page=9&limit=3')).to.deep.equal({ items: [], total: 7, page: 9, limit: 3, hasMore: false })
    })

    it('are grouped by resource, purchase type and resource type [REP-24]', async () => {
      twoTimesThree()
      const grouped = async (grain: string) => (await rows(`group_by=${grain}`)).items
      expect(await grouped('resource')).to.deep.equal([
        { key: 'r2', label: 'r2', costUSD: 30, savingsUSD: 0, resourceCount: 1 },
        { key: 'r1', label: 'r1', costUSD: 7.5, savingsUSD: 0, resourceCount: 1 },
        { key: '(none)', label: '(none)', costUSD: 0.25, savingsUSD: 0, resourceCount: 0 },
      ])
      expect(await grouped('purchase_type')).to.deep.equal([
        { key: 'on_demand', label: 'on_demand', costUSD: 36.25, savingsUSD: 0, resourceCount: 2 },
        { key: 'reserved', label: 'reserved', costUSD: 1.5, savingsUSD: 0, resourceCount: 1 },
      ])
      expect(await grouped('resource_type')).to.deep.equal([
        { key: '(none)', label: '(none)', costUSD: 31.75, savingsUSD: 0, resourceCount: 2 },
        { key: 'aws-ec2', label: 'aws-ec2', costUSD: 6, savingsUSD: 0, resourceCount: 1 },
      ])
      expect(await rows('group_by=resource&limit=2&page=2')).to.deep.include({
        total: 3,
        page: 2,
        limit: 2,
        hasMore: false,
      })
    })

    it('are ordered by cost, name or day, up or down, ties always the same way', async () => {
      await world.shared(named)
      const order = async (query: string) =>
        (await rows(query)).items.map((row: any) => row.key ?? `${row.date.slice(8)}${row.resourceUid}`).join(' ')
      const cases: readonly [query: string, keys: string][] = [
        ['', '01r2 02r2 03r2 03r1 02r1 01r1 15(none)'],
        ['sort_order=asc', '15(none) 01r1 02r1 03r1 01r2 02r2 03r2'],
        ['sort_by=date', '15(none) 03r1 03r2 02r1 02r2 01r1 01r2'],
        ['sort_by=name', '01r1 02r1 03r1 01r2 02r2 03r2 15(none)'],
        ['sort_by=savings_usd', '01r1 01r2 02r1 02r2 03r1 03r2 15(none)'],
        ['group_by=resource&sort_by=name&sort_order=asc', '(none) r2 r1'],
        ['group_by=purchase_type&sort_by=name', 'reserved on_demand'],
        ['group_by=purchase_type&sort_order=asc', 'reserved on_demand'],
      ]
      const orders = await Promise.all(cases.map(([query]) => order(query)))
      expect(orders).to.deep.equal(cases.map(([, keys]) => keys))
    })

    it('need both ends of the range to be grouped, and name what is wrong [REP-24] [REP-25]', async () => {
      const path = '/reports/costs/resources'
      expect(await refused(`${path}?group_by=resource`)).to.deep.equal(['from: required', 'to: required'])
      expect(await refused(`${path}?group_by=resource&from=2026-01-01`)).to.deep.equal(['to: required'])
      expect(await refused(`${path}?group_by=team&${january}`)).to.deep.equal(['group_by: enum'])
      expect(await refused(`${path}?group_by=resource&sort_by=date&${january}`)).to.deep.equal(['sort_by: enum'])
      expect(await refused(`${path}?sort_by=colour`)).to.deep.equal(['sort_by: enum'])
      expect((await data(path)).total).to.equal(0)
    })
  })

  describe('where the operator reports effective cost', () => {
    const effective = reportWorld({ reportCost: 'effective' })
    it(
      'show that one unless another is asked for',
      effective.billed(
        () => [effective.line('1', '10', { EffectiveCost: '8' })],
        async () => {
          expect((await effective.data('/reports/summary')).totalCostUSD).to.equal(8)
          expect((await effective.data('/reports/summary?cost=billed')).totalCostUSD).to.equal(10)
        },
      ),
    )
  })
})
