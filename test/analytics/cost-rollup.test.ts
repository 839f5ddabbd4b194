import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import fc from 'fast-check'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey, costDayOf, type CostDay } from '#analytics/rollup/day-batch.ts'
import { retypeCostDays } from '#analytics/rollup/stale-day/cost-type.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

let generation = 0
const next = () => String(++generation)
type Day = Omit<CostDay, 'orgId'>
const day = (cloudAccountId: string, date: string): Day => ({ cloudAccountId, day: date })
const recompute = (ch: ClickHouseClient, orgId: string, days: readonly Day[], generation: string): Promise<boolean> =>
  recomputeCostDays(
    ch,
    days.map((one) => ({ orgId, ...one })),
    generation,
  )

describe('the cost rollup', () => {
  let ch: ClickHouseClient
  let org: string
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = `org-${randomUUID()}`))

  const bill = (...values: object[]) => ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values })
  const select = async <T>(query: string): Promise<T[]> =>
    (await ch.query({ query, query_params: { org }, format: 'JSONEachRow' })).json<T>()
  const sums = async (by: string) => {
    const rows = await select<{ key: string; cost: string }>(
      `SELECT toString(${by}) AS key, toString(sum(billed_cost)) AS cost FROM cost_daily WHERE org_id = {org:String} GROUP BY key`,
    )
    return Object.fromEntries(rows.map(({ key, cost }) => [key, cost]))
  }

  describe('properties', () => {
    it('equals the facts exactly, whatever comes in whatever order, however it is recomputed [BILL-09] [STREAM-05]', async function () {
      this.timeout(180_000)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          const world = new World(ch, `org-${randomUUID()}`)
          for (const s of steps) await world.take(s)
          await world.settle()
          expect(await world.stored('cost_daily')).to.deep.equal(world.expected())
          expect(await world.counted()).to.deep.equal(world.expectedLines())
          const byDay = await world.storedByDay('cost_daily')
          expect(await world.storedByDay('cost_service_daily')).to.deep.equal(byDay)
          expect(await world.storedByDay('usage_daily')).to.deep.equal(byDay)
        }),
        { numRuns: amount(2, 20, 60) },
      )
    })
  })

  it('ignores the estimates of a charge once an actual line exists for it, and of no other charge [BILL-09]', async () => {
    await bill(
      fact(org, 'e1', 100, { ResourceId: 'r1', x_Source: 'estimate' }),
      fact(org, 'a1', 92.5, { ResourceId: 'r1', ServiceName: 'storage' }),
      fact(org, 'e2', 7, { ResourceId: 'r2', x_Source: 'estimate' }),
      fact(org, 'e3', 5, { ServiceName: 'support', x_Source: 'estimate' }),
      fact(org, 'a3', 4, { ServiceName: 'support' }),
      fact(org, 'e4', 3, { ServiceName: 'tax', x_Source: 'estimate' }),
    )
    await recompute(ch, org, [day('acct-1', '2026-01-15')], next())
    expect(await sums("concat(resource_uid, '/', service_name)")).to.deep.equal({
      'r1/storage': '92.5',
      'r2/compute': '7',
      '/support': '4',
      '/tax': '3',
    })
  })

  it('empties a day whose last line has gone', async () => {
    await bill(fact(org, 'l1', 1), fact(org, 'l2', 2, { x_Day: '2026-01-16' }))
    const days = [day('acct-1', '2026-01-15'), day('acct-1', '2026-01-16')]
    await recompute(ch, org, days, next())
    await bill(fact(org, 'l1', 1, { x_Deleted: 1, x_Version: '2' }))
    await recompute(ch, org, days, next())
    expect(await sums('day')).to.deep.equal({ '2026-01-16': '2' })
  })

  // A line of which nothing is left counts like one that is taken back; deleting rows rewrites those of all tests.
  deepIt('empties a day of which no line is left at all', async () => {
    await bill(fact(org, 'l2', 2))
    const days = [day('acct-1', '2026-01-15')]
    await recompute(ch, org, days, next())
    expect(await sums('day')).to.deep.equal({ '2026-01-15': '2' })
    await ch.command({
      query: 'ALTER TABLE cost_fact DELETE WHERE x_OrgId = {org:String} SETTINGS mutations_sync = 2',
      query_params: { org },
    })
    await recompute(ch, org, days, next())
    expect(await sums('day')).to.deep.equal({})
  })

  it('gives a line without a type the type its resource has in the inventory, and lets a type on the line win', async () => {
    const at = '2026-01-01 00:00:00.000'
    const state = {
      org_id: org,
      cloud_account_id: 'acct-1',
      name: 'n',
      first_seen_at: at,
      observed_at: at,
      x_Version: '1',
    }
    const values = [
      { ...state, resource_uid: 'r1', type: 'aws-ec2' },
      { ...state, resource_uid: 'r2', type: 'aws-rds' },
      { ...state, resource_uid: 'r3', type: 'aws-other', cloud_account_id: 'acct-2' },
    ]
    await ch.insert({ table: 'resource_state', format: 'JSONEachRow', values })
    await bill(
      fact(org, 'l1', 1, { ResourceId: 'r1' }),
      fact(org, 'l2', 2, { ResourceId: 'r1', ResourceType: 'aws-ec2' }),
      fact(org, 'l3', 4, { ResourceId: 'r2', ResourceType: 'instance' }),
      fact(org, 'l4', 8, { ResourceId: 'r3' }),
      fact(org, 'l5', 16),
    )
    await recompute(ch, org, [day('acct-1', '2026-01-15')], next())
    expect(await sums('resource_type')).to.deep.equal({ 'aws-ec2': '3', instance: '4', '': '24' })
  })

  deepIt('gives lines their type once a resource that was billed first is discovered', async () => {
    await bill(fact(org, 'l1', 1, { ResourceId: 'r1' }), fact(org, 'l2', 2, { x_Day: '2026-01-16', ResourceId: 'r9' }))
    await recompute(ch, org, [day('acct-1', '2026-01-15'), day('acct-1', '2026-01-16')], next())
    const at = '2026-01-20 00:00:00.000'
    const row = {
      org_id: org,
      cloud_account_id: 'acct-1',
      resource_uid: 'r1',
      type: 'aws-ec2',
      first_seen_at: at,
      observed_at: at,
      x_Version: '1',
    }
    await ch.insert({ table: 'resource_state', format: 'JSONEachRow', values: [row] })
    expect(await sums('resource_type')).to.deep.equal({ '': '3' })
    await retypeCostDays(ch, org, ['acct-2'], next())
    expect(await sums('resource_type')).to.deep.equal({ '': '3' })
    await retypeCostDays(ch, org, ['acct-1'], next())
    expect(await sums('resource_type')).to.deep.equal({ 'aws-ec2': '1', '': '2' })
  })

  deepIt('keeps amounts of 1e-10 and of 1e17 exact in one sum', async () => {
    await bill(
      fact(org, 'l1', '0.0000000001'),
      fact(org, 'l2', '100000000000000000'),
      fact(org, 'l3', '-0.00000000000003'),
    )
    await recompute(ch, org, [day('acct-1', '2026-01-15')], next())
    expect(await sums('day')).to.deep.equal({ '2026-01-15': '100000000000000000.00000000009997' })
  })

  deepIt('works out more days, months and accounts at once than one statement holds', async () => {
    const days = Array.from({ length: 700 }, (_, i) => {
      const date = new Date(Date.UTC(2000, 0, 1) + i * 7 * 86_400_000).toISOString().slice(0, 10)
      return day(`account ${i % 9} | 100% 'é'`, date)
    })
    const facts = days.map((d, i) => fact(org, `l${i}`, 1, { x_Day: d.day, x_CloudAccountId: d.cloudAccountId }))
    await ch.insert({
      table: 'cost_fact',
      format: 'JSONEachRow',
      values: facts,
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    })
    await recompute(ch, org, [...days, ...days], next())
    expect(
      await select(
        'SELECT toUInt32(count()) AS days, toUInt32(sum(lines)) AS lines FROM cost_daily WHERE org_id = {org:String}',
      ),
    ).to.deep.equal([{ days: 700, lines: 700 }])
  })

  it('publishes all days of a run at once: a reader never sees a part of it [STREAM-05]', async () => {
    const days = ['2026-01-31', '2026-02-01'].map((date) => day('acct-1', date))
    await bill(
      ...days.flatMap((d) => [1, 2, 3].map((n) => fact(org, `l${n}`, 1, { x_Day: d.day, ResourceId: `r${n}` }))),
    )
    await recompute(ch, org, days, next())
    let running = true
    const readers = ['cost_daily', 'cost_service_daily'].map(async (view) => {
      const seen = new Set<string>()
      while (running) {
        const [row] = await select<{ n: string }>(
          `SELECT toString(sum(lines)) AS n FROM ${view} WHERE org_id = {org:String}`,
        )
        seen.add(row!.n)
      }
      return [...seen]
    })
    for (let n = 0; n < amount(3, 15, 15); n++) await recompute(ch, org, days, next())
    running = false
    expect(await Promise.all(readers)).to.deep.equal([['6'], ['6']])
  })

  deepIt('leaves what is published as it is when a run dies before it publishes', async () => {
    await bill(fact(org, 'l1', 1))
    await recompute(ch, org, [day('acct-1', '2026-01-15')], next())
    await bill(fact(org, 'l2', 2))
    const slow = held(ch)
    const dying = recompute(slow.ch, org, [day('acct-1', '2026-01-15')], next())
    await slow.reached
    expect(await sums('day')).to.deep.equal({ '2026-01-15': '1' })
    slow.fail()
    await dying.catch(() => undefined)
    await recompute(ch, org, [day('acct-1', '2026-01-15')], next())
    expect(await sums('day')).to.deep.equal({ '2026-01-15': '3' })
  })

  deepIt('shows a day while two runs overlap, whichever of them ends, whatever is merged [STREAM-05]', async () => {
    const one = [{ orgId: org, ...day('acct-1', '2026-01-15') }]
    for (const earlierFirst of [true, false]) {
      await bill(fact(org, 'l1', 1))
      await recomputeCostDays(ch, one, next(), { pair: 2 })
      const merged = () => ch.command({ query: 'OPTIMIZE TABLE cost_daily_slot FINAL' })
      const earlier = Promise.withResolvers<boolean>()
      const later = Promise.withResolvers<boolean>()
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
      const run = (nth: 0 | 1, stands: Promise<boolean>) =>
        recomputeCostDays(ch, one, next(), {
          pair: nth + 2,
          stands: () => {
            begun[nth].resolve()
            return stands
          },
        })
      const runs = [run(0, earlier.promise), run(1, later.promise)]
      await Promise.all(begun.map(({ promise }) => promise))
      const order = [earlier, later].map((end, i) => [end, runs[i]!] as const)
      for (const [end, ended] of earlierFirst ? order : order.toReversed()) {
        end.resolve(true)
        await ended
        await merged()
        expect(await sums('day')).to.deep.equal({ '2026-01-15': '1' })
      }
    }
  })

  it('works out days of several organizations in one run, each from its own lines, resources and estimates alone [GEN-10]', async () => {
    const other = `org-${randomUUID()}`
    const type = (orgId: string, name: string) => ({
      org_id: orgId,
      cloud_account_id: 'acct-1',
      resource_uid: 'r1',
      type: name,
      x_Version: '1',
    })
    await ch.insert({
      table: 'resource_state',
      format: 'JSONEachRow',
      values: [type(org, 'aws-ec2'), type(other, 'aws-rds')],
    })
    await bill(
      fact(org, 'l1', 10, { ResourceId: 'r1', ResourceType: '', x_Source: 'estimate' }),
      fact(other, 'l1', 4, { ResourceId: 'r1', ResourceType: '' }),
      fact(other, 'l2', 3, { ResourceId: 'r1', ResourceType: '', x_Source: 'estimate' }),
    )
    const days = [org, other].map((orgId) => ({ orgId, ...day('acct-1', '2026-01-15') }))
    await recomputeCostDays(ch, days, next())
    expect(await sums('resource_type')).to.deep.equal({ 'aws-ec2': '10' })
    org = other
    expect(await sums('resource_type')).to.deep.equal({ 'aws-rds': '4' })
  })

  it('marks days under keys that any account id survives', () => {
    for (const account of ['acct-1', 'a|b', 'a%7Cb', '%', '100%|x', '']) {
      const key = costDayKey(day(account, '2026-01-15'))
      expect(key.split('|')).to.have.length(2)
      expect(costDayOf({ orgId: 'o1', key })).to.deep.equal({ orgId: 'o1', ...day(account, '2026-01-15') })
    }
    expect(costDayKey(day('a|b%', '2026-01-15'))).to.equal('a%7Cb%25|2026-01-15')
  })
})

/** A client that stops before it publishes, until it is told how that ends. */
function held(ch: ClickHouseClient) {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const insert: ClickHouseClient['insert'] = async (params) => {
    reached.resolve()
    await gate.promise
    return ch.insert(params)
  }
  const client = {
    query: ch.query.bind(ch),
    command: ch.command.bind(ch),
    insert,
  } as unknown as ClickHouseClient
  return { ch: client, reached: reached.promise, release: gate.resolve, fail: () => gate.reject(new Error('died')) }
}

const accounts = ['a', 'b|%'] as const
const dates = ['2026-01-31', '2026-02-01', '2026-02-02'] as const

const line = fc.record({
  account: fc.constantFrom(...accounts),
  date: fc.constantFrom(...dates),
  id: fc.constantFrom('l1', 'l2', 'l3', 'l4', 'l5'),
  resource: fc.constantFrom('', 'r1', 'r2'),
  service: fc.constantFrom('s1', 's2'),
  source: fc.constantFrom('actual', 'estimate'),
  category: fc.constantFrom('Usage', 'Tax', 'Credit'),
  /** Ten-thousandths of a dollar. */
  units: fc.integer({ min: -10_000_000, max: 10_000_000 }),
  deleted: fc.boolean(),
  /** How late the line is: its source's own time. */
  version: fc.integer({ min: 1, max: 9 }),
})
type Line = typeof line extends fc.Arbitrary<infer L> ? L : never

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('bill' as const), lines: fc.array(line, { minLength: 1, maxLength: 8 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('recompute' as const), pick: fc.integer({ min: 1, max: 63 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('begin slow' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end slow' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The store, and beside it what it must hold, kept in plain maps. */
class World {
  readonly ch: ClickHouseClient
  readonly org: string
  private readonly facts = new Map<string, Line & { rank: number }>()
  private readonly dirty = new Map<string, Day>()
  private readonly slow: { done: Promise<unknown>; release: () => void }[] = []
  private inserted = 0

  constructor(ch: ClickHouseClient, org: string) {
    this.ch = ch
    this.org = org
  }

  async take(s: Step): Promise<void> {
    if (s.kind === 'bill') await this.bill(s.lines)
    if (s.kind === 'recompute') await this.recompute([...this.dirty.values()].filter((_, i) => s.pick & (1 << i)))
    if (s.kind === 'begin slow') {
      const { ch, reached, release } = held(this.ch)
      const done = recompute(ch, this.org, allDays, next())
      this.slow.push({ done, release })
      await reached
    }
    if (s.kind === 'end slow') await this.endSlow()
  }

  private async endSlow(): Promise<void> {
    const first = this.slow.shift()
    first?.release()
    await first?.done
  }

  private async bill(lines: readonly Line[]): Promise<void> {
    const values = lines.map((l) => {
      const rank = l.version * 1000 + this.inserted++
      const at = `${l.account}/${l.date}/${l.id}`
      if (rank > (this.facts.get(at)?.rank ?? 0)) this.facts.set(at, { ...l, rank })
      const d = day(l.account, l.date)
      this.dirty.set(costDayKey(d), d)
      return fact(this.org, l.id, (l.units / 10_000).toFixed(4), {
        x_CloudAccountId: l.account,
        x_Day: l.date,
        x_Source: l.source,
        ResourceId: l.resource,
        ServiceName: l.service,
        ChargeCategory: l.category,
        x_Deleted: Number(l.deleted),
        x_Version: String(rank),
      })
    })
    await this.ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values })
  }

  private async recompute(days: readonly Day[]): Promise<void> {
    if (days.length === 0) return
    for (const d of days) this.dirty.delete(costDayKey(d))
    await recompute(this.ch, this.org, days, next())
  }

  /** The marks that are left are worked out; whoever was slow ends even later. */
  async settle(): Promise<void> {
    await this.recompute([...this.dirty.values()])
    while (this.slow.length > 0) await this.endSlow()
  }

  private counting(): Line[] {
    const lines = [...this.facts.values()].filter((l) => !l.deleted)
    const charge = (l: Line) =>
      `${l.account}/${l.date}/${l.resource ? `resource ${l.resource}` : `service ${l.service}`}`
    const billed = new Set(lines.filter((l) => l.source === 'actual').map(charge))
    return lines.filter((l) => l.source === 'actual' || !billed.has(charge(l)))
  }

  expected(): Record<string, number> {
    const sums: Record<string, number> = {}
    for (const l of this.counting()) {
      const key = [l.account, l.date, l.service, l.category, l.resource].join('/')
      sums[key] = (sums[key] ?? 0) + l.units
    }
    return sums
  }

  expectedLines(): { lines: number; units: number } {
    const lines = this.counting()
    return { lines: lines.length, units: lines.reduce((sum, l) => sum + l.units, 0) }
  }

  async stored(view: string): Promise<Record<string, number>> {
    const sql = `SELECT concat(cloud_account_id, '/', toString(day), '/', service_name, '/', charge_category, '/', resource_uid) AS key,
      toInt32(sum(billed_cost) * 10000) AS units FROM ${view} WHERE org_id = {org:String} GROUP BY key`
    return this.sums(sql)
  }

  async storedByDay(view: string): Promise<Record<string, number>> {
    return this.sums(`SELECT concat(cloud_account_id, '/', toString(day), '/', service_name) AS key,
      toInt32(sum(billed_cost) * 10000) AS units FROM ${view} WHERE org_id = {org:String} GROUP BY key`)
  }

  async counted(): Promise<{ lines: number; units: number }> {
    const rows = await this.rows<{ lines: number; units: number }>(`SELECT toUInt32(count()) AS lines,
      toInt32(sum(BilledCost) * 10000) AS units FROM cost_lines WHERE x_OrgId = {org:String}`)
    return rows[0]!
  }

  private async sums(query: string): Promise<Record<string, number>> {
    const rows = await this.rows<{ key: string; units: number }>(query)
    return Object.fromEntries(rows.map(({ key, units }) => [key, units]))
  }

  private async rows<T>(query: string): Promise<T[]> {
    return (await this.ch.query({ query, query_params: { org: this.org }, format: 'JSONEachRow' })).json<T>()
  }
}

const allDays: Day[] = accounts.flatMap((account) => dates.map((date) => day(account, date)))
