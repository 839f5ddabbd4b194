/** Months that were added up by resource: they answer exactly what the days answer, or do not answer. */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import fc from 'fast-check'
import { queries } from '#analytics/index.ts'
import { mergeMonths, newestGeneration, sumMonths } from '#analytics/rollup/monthly-cost/cost-month.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { addDays, days } from '#engine/value/day.ts'
import { migrate } from '#analytics/store/migrate.ts'
import { emptyDatabase, fact } from '#test/harness/clickhouse.ts'
import { amount, deepIt, isDeep, sample } from '#test/harness/tier.ts'
import { randomParams, sliceWorld } from '#test/analytics/slice-world.ts'

/** Of every day here: days are published by the real clock. */
const later = new Date('2030-01-15T00:00:00Z')
/** Alone until it has said so as often. */
function goneAt(most: number): () => Promise<void> {
  let calls = 0
  return async () => {
    if (calls++ === most) throw new Error('gone')
  }
}
/** For days and months, each larger than all before. */
const drawnFor = (ch: ClickHouseClient) => async () => String((await newestGeneration(ch)) + 1n)
const settle = async (ch: ClickHouseClient, alone = async () => {}, now = later) => {
  const { summed, failures } = await sumMonths(ch, { now, generation: drawnFor(ch), alone, pauseMs: 0 })
  if (failures.length > 0) throw failures[0]
  return summed
}

describe('months of costs', () => {
  let ch: ClickHouseClient
  let drop: () => Promise<void>
  // One that nobody else adds up in.
  before(async function () {
    this.timeout(180_000)
    const own = await emptyDatabase()
    ch = own.ch
    drop = own.drop
    await migrate(ch)
  })
  after(() => drop())

  const rows = async <T>(query: string, query_params: Record<string, unknown>): Promise<T[]> =>
    (await ch.query({ query, query_params, format: 'JSONEachRow' })).json<T>()
  /** By resource, the four costs and lines, of the days and by month, and how many rows are read. */
  const sums = async (org: string, from: string, to: string) => {
    const of = (editions: string) =>
      rows<{ uid: string; account: string; cost: string; n: number }>(
        `SELECT resource_uid AS uid, cloud_account_id AS account, toString(tuple(sum(billed_cost), sum(effective_cost), sum(contracted_cost),
           sum(list_cost), sum(lines), sum(estimated_lines))) AS cost, toUInt32(count()) AS n
         FROM cost_daily_slot WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32} AND (day, edition) IN (${editions})
         GROUP BY uid, account ORDER BY uid, account`,
        { org, from, to },
      )
    const [byDay, byMonth] = await Promise.all([
      of('SELECT day, edition FROM cost_day FINAL WHERE org_id = {org:String}'),
      of('SELECT day, edition FROM month_editions(org = {org:String}, from = {from:Date32}, to = {to:Date32})'),
    ])
    const read = (some: typeof byDay) => some.reduce((sum, { n }) => sum + n, 0)
    const cost = (some: typeof byDay) => some.map(({ uid, account, cost: of }) => ({ uid, account, of }))
    return { byDay: cost(byDay), byMonth: cost(byMonth), read: { byDay: read(byDay), byMonth: read(byMonth) } }
  }

  class World {
    readonly org = `org-${randomUUID()}`
    private line = 0
    private published = 0

    /** A line more of a resource on some days of an account, which are worked out anew. */
    async bill(account: string, on: readonly string[], uid = 'r-1'): Promise<void> {
      const lines = on.map((day) => {
        const amount = `${++this.line}.0000000000${this.line % 90}1`
        return fact(this.org, `l-${this.line}`, amount, { x_CloudAccountId: account, x_Day: day, ResourceId: uid })
      })
      await ch.insert({ table: 'cost_fact', values: lines, format: 'JSONEachRow' })
      await this.workOut(account, on)
    }

    async workOut(account: string, on: readonly string[]): Promise<void> {
      const marked = on.map((day) => ({ orgId: this.org, cloudAccountId: account, day }))
      await recomputeCostDays(ch, marked, await drawnFor(ch)(), { pair: 2 + (++this.published % 2) })
    }
  }

  /** Seven days of each month, the first and the last among those of January. */
  const january = [1, 6, 11, 16, 21, 26, 31].map((day) => addDays('2025-12-31', day))
  const february = [1, 5, 9, 13, 17, 21, 25].map((day) => addDays('2026-01-31', day))

  it('are read instead of their days, one row a resource, and say the same', async () => {
    const world = new World()
    await world.bill('a', [...january, ...february])
    await world.bill('b', january)
    const whole = ['2026-01-01', '2026-02-28'] as const
    expect((await sums(world.org, ...whole)).read).to.deep.equal({ byDay: 21, byMonth: 21 })
    expect(await settle(ch)).to.equal(3)
    const all = await sums(world.org, ...whole)
    expect(all.byMonth).to.deep.equal(all.byDay)
    expect(all.read).to.deep.equal({ byDay: 21, byMonth: 3 })
    const part = await sums(world.org, '2026-01-02', '2026-02-28')
    expect(part.byMonth).to.deep.equal(part.byDay)
    // January is not whole: six days of each account, and February of one.
    expect(part.read).to.deep.equal({ byDay: 19, byMonth: 13 })
    expect(await settle(ch), 'again').to.equal(0)
  })

  it('say nothing any more once one of their days is another, in the moment that turns over, until they are added up anew', async () => {
    const world = new World()
    await world.bill('a', [...january, ...february])
    await settle(ch)
    await world.bill('a', ['2026-01-16'], 'r-2')
    const turned = await sums(world.org, '2026-01-01', '2026-02-28')
    expect(turned.byMonth).to.deep.equal(turned.byDay)
    expect(turned.read).to.deep.equal({ byDay: 15, byMonth: 9 })
    expect(await settle(ch)).to.equal(1)
    const anew = await sums(world.org, '2026-01-01', '2026-02-28')
    expect(anew.byMonth).to.deep.equal(anew.byDay)
    expect(anew.read).to.deep.equal({ byDay: 15, byMonth: 3 })
  })

  it('are those that are over, have four days at least, and of which nothing was published for an hour', async () => {
    const world = new World()
    await world.bill('a', january)
    await world.bill('few', january.slice(0, 3))
    const soon = new Date(Date.now() + 3_500_000)
    const january2026 = new Date('2026-01-31T23:59:59Z')
    expect(await settle(ch, undefined, soon), 'within the hour').to.equal(0)
    expect(
      await sumMonths(ch, {
        now: january2026,
        generation: drawnFor(ch),
        alone: async () => {},
        quietMs: -1e12,
        pauseMs: 0,
      }),
      'of this month',
    ).to.deep.equal({ summed: 0, failures: [] })
    expect(await settle(ch)).to.equal(1)
  })

  it('are added up anew by the next run where one ended before it told of them, or was not alone any more', async () => {
    const world = new World()
    await world.bill('a', january)
    // Deep: again and again.
    for (const most of isDeep ? [0, 1, 0, 1] : [0, 1]) {
      const failed = await settle(ch, goneAt(most)).catch((error: Error) => error.message)
      expect(failed).to.equal('gone')
      const between = await sums(world.org, '2026-01-01', '2026-01-31')
      expect(between.byMonth).to.deep.equal(between.byDay)
      expect(between.read.byMonth).to.equal(7)
    }
    expect(await settle(ch)).to.equal(1)
    const behind = await sums(world.org, '2026-01-01', '2026-01-31')
    expect(behind.byMonth).to.deep.equal(behind.byDay)
    expect(behind.read.byMonth).to.equal(1)
  })

  it('are right in whatever order lines come, days turn over, months are added up and parts are merged', async function () {
    this.timeout(180_000)
    const first = '2025-12-20'
    const step = fc.record({
      account: fc.constantFrom('a', 'b'),
      from: fc.integer({ min: 0, max: 70 }),
      count: fc.integer({ min: 1, max: 40 }),
      uid: fc.constantFrom('r-1', 'r-2', ''),
      does: fc.constantFrom('bill', 'bill', 'bill', 'work out', 'settle', 'settle', 'break off', 'merge'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: amount(6, 9, 9) }), async (steps) => {
        const world = new World()
        for (const { account, from, count, uid, does } of steps) {
          const on = [...days(addDays(first, from), addDays(first, from + count - 1))]
          if (does === 'bill') await world.bill(account, on, uid)
          else if (does === 'work out') await world.workOut(account, on)
          else if (does === 'settle') await settle(ch)
          else if (does === 'merge') await ch.command({ query: 'OPTIMIZE TABLE cost_daily_slot FINAL' })
          else await settle(ch, goneAt(count % 2)).catch(() => {})
          for (const [begin, end] of [
            [first, '2026-04-30'],
            ['2026-01-01', '2026-02-28'],
            [addDays(first, from), addDays(first, from + count + 31)],
          ] as const) {
            const { byDay, byMonth } = await sums(world.org, begin, end)
            expect(byMonth, `${does} ${begin} to ${end}`).to.deep.equal(byDay)
          }
        }
      }),
      { numRuns: amount(1, 12, 60) },
    )
  })

  deepIt('refuse a number that days or months were written under, as a restored PostgreSQL draws them', async () => {
    // What others left.
    await settle(ch)
    const world = new World()
    await world.bill('a', january)
    const used = String(await newestGeneration(ch))
    const failed = await sumMonths(ch, {
      now: later,
      generation: async () => used,
      alone: async () => {},
      pauseMs: 0,
    }).catch((error: Error) => error.message)
    expect(failed).to.equal(`generation ${used} was already used`)
    expect((await sums(world.org, '2026-01-01', '2026-01-31')).read).to.deep.equal({ byDay: 7, byMonth: 7 })
    expect(await settle(ch)).to.equal(1)
    expect(await newestGeneration(ch)).to.equal(BigInt(used) + 1n)
  })

  deepIt('are added up though another one fails in the same statement, which is told and tried again', async () => {
    const [world, broken] = [new World(), new World()]
    await world.bill('a', january)
    await broken.bill('a', january)
    let fails = true
    const failing = new Proxy(ch, {
      get(target, name: keyof ClickHouseClient) {
        if (name !== 'command') return target[name].bind(target as never)
        return async (asked: { query_params: { months: readonly object[] } }) => {
          if (fails && JSON.stringify(asked.query_params.months).includes(broken.org)) throw new Error('too large')
          return target.command(asked as never)
        }
      },
    })
    const how = { now: later, generation: drawnFor(ch), alone: async () => {}, pauseMs: 0 }
    const { summed, failures } = await sumMonths(failing, how)
    expect([summed, failures.map((error) => (error as Error).message)]).to.deep.equal([1, ['too large']])
    expect((await sums(world.org, '2026-01-01', '2026-01-31')).read.byMonth).to.equal(1)
    expect((await sums(broken.org, '2026-01-01', '2026-01-31')).read.byMonth).to.equal(7)
    fails = false
    expect(await settle(failing)).to.equal(1)
    expect((await sums(broken.org, '2026-01-01', '2026-01-31')).read.byMonth).to.equal(1)
  })

  deepIt('are merged to one part each once nothing was written to them for hours', async () => {
    const world = new World()
    for (const uid of ['r-1', 'r-2', 'r-3']) await world.bill('a', ['2024-03-01'], uid)
    const parts = async () =>
      (
        await rows(
          `SELECT name FROM system.parts WHERE database = currentDatabase() AND table = 'cost_daily_slot' AND active AND partition = '202403'`,
          {},
        )
      ).length
    expect(await parts()).to.be.greaterThan(1)
    expect(await mergeMonths(ch, later), 'at once').to.equal(0)
    expect(await mergeMonths(ch, later, { hours: -1, most: 100 })).to.be.greaterThan(0)
    expect(await parts()).to.equal(1)
    const { byDay } = await sums(world.org, '2024-03-01', '2024-03-31')
    expect(byDay).to.have.length(3)
  })

  describe('answer questions', () => {
    const org = `org-${randomUUID()}`
    const monthly = { granularity: 'monthly' }
    const asked = queries.filter((q) => q.isByMonth(monthly))
    /** The first is narrowed by nothing, the others by chance: in `npm test` one of every fourth of the questions that are asked. */
    const filtersOf = (at: number) => sample([0, 1, 2, 3, 4, 5, 6, 7], at % 4 === 0 ? 2 : 1)
    let used = 0
    before(async function () {
      this.timeout(180_000)
      await sliceWorld(ch, org)
      expect(await settle(ch)).to.be.greaterThan(0)
      const { read } = await sums(org, '2025-12-01', '2026-01-31')
      expect(read.byMonth).to.be.lessThan(read.byDay)
    })
    const answer = async (query: string, query_params: Record<string, unknown>): Promise<string[]> => {
      const clickhouse_settings = { max_threads: 1, output_format_json_quote_decimals: 1 } as const
      const result = await ch.query({ query, query_params, format: 'JSONCompactEachRow', clickhouse_settings })
      return (await result.json<unknown>()).map((row) => JSON.stringify(row)).toSorted()
    }

    for (const [place, q] of sample(asked, 9).entries())
      it(`${q.name} says the same by month as by day`, async () => {
        const at = (n: number) => addDays('2025-12-01', n)
        for (const n of filtersOf(place)) {
          const range = { from: at((n * 5) % 9), to: at(61 + ((n * 3) % 7)), prev_from: at(-40), prev_to: at(-1) }
          const params = { ...randomParams(q, org, ['', '', ''], n), ...range, ...monthly, as_of: '', invoices: [] }
          // Asked of the lines of each day.
          if (q.factsFor(params).includes('invoice')) continue
          const byMonth = q.textFor({ ...params, months: 1 })
          const isUsed = byMonth.includes('cost_month')
          expect(isUsed, `${q.name} ${n}`).to.equal(q.factsFor({ ...params, months: 1 }).includes('resource'))
          if (!isUsed) continue
          expect(await answer(byMonth, params)).to.deep.equal(await answer(q.textFor(params), params))
          used++
        }
      })

    it('for all that tell no day from another', () => {
      expect(used).to.be.greaterThan(amount(6, 40, 40))
      const view = /\b(?:cost_slice|cost_slice_tagged|resource_sums|tag_costs)\(/
      const text = (sql: string) => sql.replaceAll(/^--.*$/gm, '')
      const tells = /\b(?:day|argMax|any)\b/
      const ready = queries.filter(
        ({ sql }) => view.test(sql) && !tells.test(text(sql).replaceAll('any(named.name)', '')),
      )
      const names = [...ready.map(({ name }) => name), ...byPeriod].filter((name) => !byTheirOwn.has(name))
      expect(asked.map(({ name }) => name).toSorted()).to.deep.equal(names.toSorted())
      const others = asked.filter((q) => q.isByMonth({ granularity: 'weekly' })).map(({ name }) => name)
      expect(byPeriod.filter((name) => others.includes(name))).to.deep.equal([])
    })
  })
})

/** They tell days apart but where they are asked by month. */
const byPeriod = ['cost_by_period', 'cost_series', 'cost_by_team_period']

/** Asked over whole months of one cluster, or of days that are estimated. */
const byTheirOwn: ReadonlySet<string> = new Set(['space_cost', 'cost_estimates'])
