import { expect } from 'chai'
import { amount, deepIt, isDeep, sample } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const day = '2026-01-15'
const january = 'from=2026-01-01&to=2026-01-31'
const minuteMs = 60_000

describe('reports as they stood at an earlier time', () => {
  /** Sums are kept by the server's clock, so that restatements are of late. */
  const base = Date.now() - 6 * 3_600_000
  const world = reportWorld({}, () => new Date())
  const { line, insert, data, discovered, team, assign } = world
  let version = 0
  beforeEach(() => void (version = 0))

  const at = (minutes: number, ms = 0) => new Date(base + minutes * minuteMs + ms)
  /** Line 1 costs this from then on. */
  const restated = async (cost: string, when: Date, more: object = {}) => {
    await insert('cost_fact', [line('1', cost, { ResourceId: 'r1', x_Version: String(++version), ...more })])
    await world.restate(day, when)
  }
  const costAt = async (when?: Date, path = `/reports/costs/breakdown?${january}&dims=provider`): Promise<number> =>
    (await data(when ? `${path}&asOf=${when.toISOString()}` : path)).totalUSD
  const costsAt = async (...times: Date[]) => {
    return Promise.all(times.map((when) => costAt(when)))
  }

  /** What every kind of report says of January, and the same costs divided by team and tag. */
  const reportsAt = async (when: Date) => {
    const asOf = `${january}&asOf=${when.toISOString()}`
    const paths = ['trends', 'teams', 'tags', 'costs/resources'].map((path) => `/reports/${path}?${asOf}`)
    const summaryPath = `/reports/summary?period=2026-01&asOf=${when.toISOString()}`
    const [summary, trends, teams, tags, rows] = await Promise.all([summaryPath, ...paths].map(data))
    return {
      summary: summary.totalCostUSD,
      breakdown: await costAt(when),
      trends: Object.fromEntries(
        trends.items.filter((item: any) => item.costUSD !== 0).map((item: any) => [item.date.slice(8), item.costUSD]),
      ),
      teams: Object.fromEntries(teams.map((row: any) => [row.teamName, row.costUSD])),
      tags: Object.fromEntries(tags.items.map((item: any) => [item.tagKey, item.costUSD])),
      rows: rows.items.map((row: any) => `${row.date.slice(8)} ${row.resourceUid} ${row.costUSD}`).toSorted(),
    }
  }

  it('show each restatement of a day exactly, and the days that nobody restated as they are', async () => {
    await Promise.all([discovered('r1', { tags: { env: 'prod' } }), team('core', 'Core'), assign('core', 'r1')])
    await insert('cost_fact', [
      line('1', '100.1', { ResourceId: 'r1' }),
      line('2', '5', { ResourceId: 'r2' }),
      line('3', '0.25', { x_Day: '2026-01-16', ResourceId: 'r1' }),
    ])
    await world.restate('2026-01-16', at(-60))
    await world.restate(day, at(0))
    version = 1
    await restated('92.5', at(60))
    await restated('90', at(120))
    const shown = (cost: number) => ({
      summary: cost + 5.25,
      breakdown: cost + 5.25,
      trends: { '15': cost + 5, '16': 0.25 },
      teams: { Core: cost + 0.25, Unassigned: 5 },
      tags: { env: cost + 0.25 },
      rows: [`15 r1 ${cost}`, '15 r2 5', '16 r1 0.25'],
    })
    // The first is asked of every report in the deep tier: the second is one among sums that were kept too.
    if (isDeep)
      expect(await reportsAt(at(30)), 'the first').to.deep.equal({
        ...shown(100.1),
        // 100.1 + 5.25 and the like, as decimals
        summary: 105.35,
        breakdown: 105.35,
        trends: { '15': 105.1, '16': 0.25 },
        teams: { Core: 100.35, Unassigned: 5 },
        tags: { env: 100.35 },
      })
    expect(await reportsAt(at(90)), 'the second').to.deep.equal(shown(92.5))
    if (isDeep) expect(await reportsAt(at(180)), 'the last').to.deep.equal(shown(90))
    expect(await costAt(), 'now').to.equal(95.25)
    expect(await costsAt(at(-120), at(-30), at(30)), 'before anything of the day, and the first').to.deep.equal([
      0, 0.25, 105.35,
    ])
  })

  deepIt('change in the moment in which a restatement was published', async () => {
    for (const [minute, cost] of [
      [0, '1'],
      [10, '2'],
      [20, '3'],
      [30, '4'],
    ] as const)
      await restated(cost, at(minute))
    expect(await costsAt(at(0, -1), at(0), at(10, -1), at(10), at(20, -1), at(20), at(30, -1), at(30))).to.deep.equal([
      0, 1, 1, 2, 2, 3, 3, 4,
    ])
  })

  deepIt('keep lines where they stood then: moved to another day, taken back, of another provider', async () => {
    await restated('10', at(0))
    await restated('10', at(10), { x_Provider: 'gcp', RegionId: 'eu' })
    await restated('10', at(20), { x_Deleted: 1 })
    const providers = async (minutes: number) => {
      const { nodes } = await data(
        `/reports/costs/breakdown?${january}&dims=provider&asOf=${at(minutes).toISOString()}`,
      )
      return nodes.map((node: any) => `${node.id} ${node.valueUSD}`)
    }
    expect([await providers(5), await providers(15), await providers(25)]).to.deep.equal([['aws 10'], ['gcp 10'], []])
    const narrowed = `/reports/costs/breakdown?${january}&dims=region&provider=gcp&team_id=unassigned`
    expect([await costAt(at(5), narrowed), await costAt(at(15), narrowed)]).to.deep.equal([0, 10])
    await restated('7', at(30))
    expect(await costsAt(at(15), at(25), at(35))).to.deep.equal([10, 0, 7])
  })

  deepIt('pass over sums that stood for less than a second, and show the ones before them', async () => {
    await restated('1', at(0))
    await restated('2', at(10))
    await restated('3', at(10, 999))
    await restated('4', at(20))
    await restated('5', at(30))
    expect(await costsAt(at(5), at(10, 500), at(15), at(25), at(35))).to.deep.equal([1, 1, 3, 4, 5])
  })

  deepIt('show the same after a day is worked out again without a change, or twice because a run died', async () => {
    await restated('1', at(0))
    await restated('2', at(10))
    await restated('3', at(20))
    await world.restate(day, at(30))
    await world.restate(day, at(30))
    const before = await reportsAt(at(15))
    expect(before.summary).to.equal(2)
    await world.dieBeforePublishing(day, at(40))
    expect(await costsAt(at(5), at(15), at(25), at(50)), 'after the crash').to.deep.equal([1, 2, 3, 3])
    await world.restate(day, at(45))
    await restated('4', at(50))
    expect(await costsAt(at(5), at(15), at(25), at(47), at(55)), 'after the repeat').to.deep.equal([1, 2, 3, 3, 4])
    expect(await reportsAt(at(15))).to.deep.equal(before)
  })

  deepIt(
    'are exact for the first eight restatements of a day and then to the hour: older moments show the sums kept before them',
    async () => {
      // One a minute: 1 stands from minute 0, 2 from minute 1, and so on; then one after more than an hour.
      const last = amount(10, 14, 14)
      for (let n = 1; n <= last; n++) await restated(String(n), at(n - 1))
      await restated('15', at(100))
      await restated('16', at(200))
      const firsts = sample([0, 1, 2, 3, 4, 5, 6, 7], 3)
      expect(await costsAt(...firsts.map((n) => at(n, 30_000))), 'the first eight').to.deep.equal(
        firsts.map((n) => n + 1),
      )
      expect(await costsAt(at(0, -1), at(0), at(7, -1), at(7)), 'at the moment itself').to.deep.equal([0, 1, 7, 8])
      const lost = sample(
        Array.from({ length: last - 9 }, (_, n) => n + 8),
        2,
      )
      expect(await costsAt(...lost.map((n) => at(n, 30_000))), 'not kept').to.deep.equal(lost.map(() => 8))
      expect(await costsAt(at(last - 1, 30_000), at(last, 30_000)), 'stood until an hour later').to.deep.equal([
        last,
        last,
      ])
      expect(await costsAt(at(150), at(250))).to.deep.equal([15, 16])
    },
  )

  it('are refused for the future and for times more than 35 days ago, naming asOf', async () => {
    const dayMs = 86_400_000
    for (const path of ['/reports/summary?', `/reports/trends?${january}&`, `/reports/teams?${january}&`])
      for (const ms of [minuteMs, -35 * dayMs - minuteMs]) {
        const asOf = new Date(Date.now() + ms).toISOString()
        expect(await world.refused(`${path}asOf=${asOf}`), asOf).to.deep.equal(['asOf: range'])
      }
    expect(await world.refused('/reports/summary?asOf=yesterday')).to.deep.equal(['asOf: format'])
    expect(await costAt(new Date(Date.now() - 35 * dayMs + minuteMs))).to.equal(0)
  })
})
