import type { GatherAbout, GatherResource, GatherTools } from '#actors/recommendation/sweep/gather/context.ts'
import { gatherFacts } from '#actors/recommendation/sweep/gather/index.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { run } from '#analytics/store/query.ts'
import { costDays, recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { fact } from '#test/harness/clickhouse.ts'
import type { Tenant } from '#test/harness/product.ts'

export const now = new Date('2026-04-06T09:30:00Z')
const until = Date.parse('2026-04-06T00:00:00Z')
/** The day so many before today. */
export const ago = (days: number): string => dayOf(until - days * dayMs)
export const moment = (days: number, hours = 0): string =>
  new Date(until - days * dayMs + hours * 3_600_000).toISOString().replace('T', ' ').slice(0, -1)

type Discovered = Partial<GatherResource> & { firstSeenDays?: number }

let generation = 0

/** One organization with an account, its inventory in PostgreSQL and its history in ClickHouse. */
export class World {
  readonly org: Tenant
  private readonly found: GatherResource[] = []

  private readonly end: number

  /** @param end midnight, the beginning of today */
  constructor(org: Tenant, end = until) {
    this.org = org
    this.end = end
  }

  private ago(days: number): string {
    return dayOf(this.end - days * dayMs)
  }

  get tools(): GatherTools {
    const { store, clickhouse } = this.org.connections
    return {
      reads: { rows: async (sql: string, params: unknown[]) => (await store.pool.query(sql, params)).rows },
      ask: (q: never, params: never) => run(clickhouse, q, params),
    } as unknown as GatherTools
  }

  /** `firstSeenDays` before today it was discovered first. */
  async discover(uid: string, type: string, more: Discovered = {}): Promise<void> {
    // Before the first wait, so that those discovered at once keep their order.
    const { createdAt: time, parentUid, specs, status } = this.know(uid, type, more)
    const data = {
      cloudAccountId: 'acct-1',
      resourceUid: uid,
      name: uid,
      type,
      region: 'r',
      provider: type.split('-')[0]!,
      specs,
      status: status as 'running',
      ...(parentUid && { parentUID: parentUid }),
    }
    const batch = this.#batches.get(+time) ?? { list: [], published: Promise.resolve() }
    if (batch.list.push(data) === 1) {
      this.#batches.set(+time, batch)
      batch.published = batch.published.then(() => {
        this.#batches.delete(+time)
        return this.org.publish(resourceDiscovered, batch.list as never[], { time })
      })
    }
    await batch.published
  }

  /** Of those discovered at once, by their time: they are published together. */
  readonly #batches = new Map<number, { list: object[]; published: Promise<void> }>()

  /** Gathers facts of a resource that was not published: faster, and enough for what only its bills and its history tell. */
  know(uid: string, type: string, more: Discovered = {}): GatherResource & { createdAt: Date } {
    const { firstSeenDays = 100, status = 'running', parentUid = '', specs = {} } = more
    const { hourlyRateUsd = null, unitCount = null } = more
    const createdAt = new Date(this.end - firstSeenDays * dayMs)
    const known = { uid, type, status, parentUid, region: 'r', unitCount, hourlyRateUsd, specs, createdAt }
    this.found.push(known)
    return known
  }

  async insert(table: string, rows: object[]): Promise<void> {
    const values = rows.map((row) => ({ org_id: this.org.orgId, cloud_account_id: 'acct-1', x_Version: '1', ...row }))
    await this.org.put(table, values)
  }

  /** Lines: days ago, resource, cost and what else. */
  async bill(...lines: [daysAgo: number, uid: string, cost: number, more?: object][]): Promise<void> {
    const { clickhouse, store } = this.org.connections
    const { orgId } = this.org
    const rows = lines.map(([days, ResourceId, cost, more], i) =>
      fact(orgId, `l${i}`, cost, { x_Day: this.ago(days), ResourceId, ...more }),
    )
    await this.org.put('cost_fact', rows)
    const days = [...new Set(lines.map(([days]) => this.ago(days)))]
    await recomputeCostDays(
      clickhouse,
      days.map((day) => ({ orgId, cloudAccountId: 'acct-1', day })),
      String(++generation),
    )
    await store.countWritten([orgId], costDays.name)
  }

  async gather(more: Partial<GatherAbout> = {}) {
    const about: GatherAbout = {
      orgId: this.org.orgId,
      account: 'acct-1',
      now,
      cost: 'billed_cost',
      reads: new Map(),
      governance: governanceDefaults,
      collector: undefined,
      isInventoryComplete: true,
      holds: () => true,
      ...more,
    }
    return gatherFacts(this.tools, this.found, about)
  }

  /** The facts of a resource whose paths begin with `under`. */
  async facts(uid: string, under: string, more: Partial<GatherAbout> = {}): Promise<Record<string, unknown>> {
    const { facts } = (await this.gather(more)).get(uid)!
    return Object.fromEntries(Object.entries(facts).filter(([path]) => path.startsWith(under)))
  }
}
