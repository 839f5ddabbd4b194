import { expect } from 'chai'
import { reports } from '#http/report/index.ts'
import { budgets } from '#http/budget/routes.ts'
import { reportWorld } from '#test/http/report/world.ts'
import { deepIt } from '#test/harness/tier.ts'

const january = 'from=2026-01-01&to=2026-01-31'
const needed: Record<string, string> = {
  '/reports/costs/breakdown': `?dims=provider&${january}`,
  '/reports/anomalies': `?${january}`,
  '/reports/kubernetes/receipt': `?cluster=c1&${january}`,
}

describe('what the figures of a report are of', () => {
  const world = reportWorld()
  const { line, bill, restate, meta } = world
  const times = ['2026-01-15T04:00:00Z', '2026-01-16T05:00:00Z'].map((time) => new Date(time))

  /** Bills of 10 and 12 January, worked out on the 15th and 16th. */
  async function billed() {
    await world.insert('cost_fact', [line('1', 10, { x_Day: '2026-01-10' }), line('2', 5, { x_Day: '2026-01-12' })])
    await restate('2026-01-10', times[0]!)
    await restate('2026-01-12', times[1]!)
  }

  /** Reports that show savings, beside the summary. */
  const withSavings = ['/reports/trends', '/reports/cost-history', '/reports/costs/resources', '/reports/tags']

  /** Reports of what is no part of the costs that the request means, or says of each line itself what it is. */
  const withoutEstimates = [
    '/reports/anomalies',
    '/reports/receipt',
    '/reports/kubernetes',
    '/reports/kubernetes/receipt',
    '/reports/kubernetes/labels',
  ]

  it('stands beside every report: days, cost, currency, and how fresh the costs are', async () => {
    await world.shared(billed)
    const costs = reports.filter(({ query }) => query && 'cost' in query.properties)
    const paths = costs
      .map(({ path }) => path)
      .filter((path) => !/:|reports.summary|unit-economics|forecast/.test(path))
    expect(paths.length).to.equal(15)
    const all = [...paths, '/reports/anomalies', '/reports/teams/unassigned', '/reports/tags/env']
    const metas = await Promise.all(all.map((path) => meta(`${path}${needed[path] ?? `?${january}`}`)))
    for (const [at, path] of all.entries()) {
      expect(metas[at], path).to.deep.equal({
        from: '2026-01-01',
        to: '2026-01-31',
        cost: 'billed',
        ...(withSavings.includes(path) && { savings: 'reported' }),
        currency: 'USD',
        ...(path.endsWith('/env') && { unknownTagKey: { key: 'env', nearest: [] } }),
        costsThrough: '2026-01-12',
        billedThrough: '2026-01-12',
        settledThrough: '2026-01-12',
        lateAccounts: [],
        costsUpdatedAt: '2026-01-16T05:00:00.000Z',
        ...(path.endsWith('drivers') && { compared: { from: '2025-12-01', to: '2025-12-20' } }),
        ...(!withoutEstimates.includes(path) && { estimatedUSD: 0, estimatedShare: 0 }),
      })
    }
  })

  deepIt(
    'tells the month of a summary from the thirty days of a trend, so that two figures explain themselves',
    async () => {
      const of = async (path: string) => {
        const { from, to, cost } = await meta(path)
        return `${from}..${to} ${cost}`
      }
      expect(await of('/reports/summary')).to.equal('2026-01-01..2026-01-31 billed')
      expect(await of('/reports/summary?period=2025-02&cost=list')).to.equal('2025-02-01..2025-02-28 list')
      expect(await of('/reports/trends')).to.equal('2025-12-21..2026-01-20 billed')
      expect(await of('/reports/trends?cost=effective')).to.equal('2025-12-21..2026-01-20 effective')
    },
  )

  it('names the days that timestamps touch where costs are summed by days, and the moments where they are not', async () => {
    const range = 'from=2026-01-05T10:00:00Z&to=2026-01-07T00:00:00Z'
    expect(await meta(`/reports/trends?${range}`)).to.include({ from: '2026-01-05', to: '2026-01-06' })
    for (const path of ['/reports/metrics', '/reports/resources/metrics', '/reports/resources/activity']) {
      expect(await meta(`${path}?${range}`), path).to.deep.equal({
        from: '2026-01-05T10:00:00.000Z',
        to: '2026-01-07T00:00:00.000Z',
      })
    }
    expect(await meta('/reports/resources/summary')).to.deep.equal({ inventorySyncedAt: null })
  })

  it('says null for the freshness of costs that are not there', async () => {
    const nothing = { costsThrough: null, costsUpdatedAt: null }
    expect(await meta(`/reports/trends?${january}`)).to.include(nothing)
    await world.shared(billed)
    expect(await meta('/reports/trends?from=2026-01-01&to=2026-01-09')).to.include(nothing)
    expect(await meta(`/reports/trends?${january}&cloud_account_id=other`)).to.include(nothing)
    expect(await meta(`/reports/trends?from=2026-01-01&to=2026-01-11`)).to.include({
      costsThrough: '2026-01-10',
      costsUpdatedAt: '2026-01-15T04:00:00.000Z',
    })
  })

  it('knows no more of an earlier time than was known then', async () => {
    await world.shared(billed)
    expect(await meta(`/reports/trends?${january}&asOf=2026-01-15T12:00:00Z`)).to.include({
      asOf: '2026-01-15T12:00:00.000Z',
      costsThrough: '2026-01-10',
      costsUpdatedAt: '2026-01-15T04:00:00.000Z',
    })
  })

  it('tells a role that sees some accounts nothing of the others', async () => {
    await bill(
      line('1', 10, { x_Day: '2026-01-10' }),
      line('2', 5, { x_Day: '2026-01-12' }),
      line('3', 1, { x_Day: '2026-01-14', x_CloudAccountId: 'acct-2' }),
    )
    world.seeOnly({ cloudAccountIDs: ['acct-1'] })
    expect(await meta(`/reports/trends?${january}`)).to.include({ costsThrough: '2026-01-12' })
    expect(await meta(`/reports/trends?${january}&cloud_account_id=acct-2`)).to.include({ costsThrough: null })
    world.seeOnly({})
    expect(await meta(`/reports/trends?${january}`)).to.include({ costsThrough: null })
    world.seeOnly({ cloudAccountIDs: ['acct-1'], teamIDs: ['core'] })
    expect(await meta(`/reports/trends?${january}`)).to.include({ costsThrough: '2026-01-14' })
  })

  deepIt('stands beside a page of what is answered whole unless it is asked for in pages', async () => {
    await world.shared(billed)
    const days = async (query: string) =>
      (await world.data(`/reports/trends?from=2026-01-01&to=2026-01-10${query}`)).items.map((item: any) =>
        item.date.slice(8),
      )
    expect(await days('')).to.have.length(10)
    expect(await days('&limit=3')).to.deep.equal(['01', '02', '03'])
    expect(await days('&limit=4&page=3')).to.deep.equal(['09', '10'])
    expect(await days('&page=1')).to.have.length(10)
    expect(await days('&page=2')).to.deep.equal([])
    expect(await world.data(`/reports/teams?${january}&limit=1&page=2`)).to.deep.equal([])
    expect(await world.refused(`/reports/trends?${january}&limit=0`)).to.deep.equal(['limit: minimum'])
    expect(await world.refused(`/reports/providers/summary?${january}&limit=1`)).to.deep.equal([
      'limit: unknown_parameter',
    ])
  })

  it('is declared by every report and by the budgets, but for their summary, which has data alone [GEN-03]', () => {
    expect(reports.filter((report) => !report.meta).map(({ path }) => path)).to.deep.equal([])
    const reading = budgets.filter(({ method }) => method === 'GET')
    expect(reading.filter((budget) => !budget.meta).map(({ path }) => path)).to.deep.equal(['/budgets/summary'])
  })

  describe('where the operator chose another cost', () => {
    const effective = reportWorld({ reportCost: 'effective' })
    it('says that one, unless it is asked for another', async () => {
      expect(await effective.meta(`/reports/trends?${january}`)).to.include({ cost: 'effective' })
      expect(await effective.meta(`/reports/anomalies?${january}`)).to.include({ cost: 'effective' })
      expect(await effective.meta(`/reports/trends?${january}&cost=billed`)).to.include({ cost: 'billed' })
    })
  })
})
