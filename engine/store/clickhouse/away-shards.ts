/**
 * Which ClickHouse servers are away: those that have not answered for some seconds. Then nobody waits for them any
 * longer, so that only their organizations have to wait. Of a single server nothing is known here: without it everything
 * waits.
 */
import { FactsAway } from '#engine/actor/ports.ts'
import type { Reporter } from '#engine/reporter.ts'
import { mainShard, type Shard, type ShardPorts, type Shards } from './shards.ts'

/** Milliseconds. */
const pace = { everyMs: 2_000, answerMs: 10_000, awayMs: 15_000, heldMs: 5_000, lookMs: 200 }

export interface AwayAtStart {
  names: readonly string[]
  /** Called once for each when it answers. */
  prepare: (name: string) => Promise<void>
}

export class AwayShards {
  private readonly shards: Shards
  private readonly ports: ShardPorts
  private readonly report: Reporter
  private readonly away: Set<string>
  /** Servers that were away when this process started. */
  private readonly unprepared: Set<string>
  private readonly prepare: (name: string) => Promise<void>
  /** Servers of organizations while one is away; those without an entry are on `main`. */
  private places: ReadonlyMap<string, string> = new Map()
  /** Organizations whose move has made writers wait for long. */
  private held = new Set<string>()
  private looking: Promise<void> | undefined
  /** Work that fails as soon as its server is away. */
  private readonly working = new Map<string, Set<(error: FactsAway) => void>>()

  constructor(
    shards: Shards,
    ports: ShardPorts,
    report: Reporter,
    { names, prepare }: AwayAtStart = { names: [], prepare: async () => {} },
  ) {
    this.shards = shards
    this.ports = ports
    this.report = report
    this.away = new Set(names)
    this.unprepared = new Set(names)
    this.prepare = prepare
  }

  /** Required before lanes run. */
  async load(): Promise<void> {
    if (this.away.size === 0) return
    await this.place()
    for (const name of this.away) this.report.error({ shard: name }, lostText)
  }

  get names(): string[] {
    return [...this.away]
  }

  isAway(orgId: string): boolean {
    return this.away.size > 0 && this.away.has(this.places.get(orgId) ?? mainShard)
  }

  /** Whether its facts cannot be written now: its server is away, or its move holds it. */
  isWaiting(orgId: string): boolean {
    return this.held.has(orgId) || this.isAway(orgId)
  }

  /** For a write: it waits some seconds for organizations that are held by their move. @throws FactsAway after that */
  patience(): (orgIds: readonly string[]) => void {
    const { clock } = this.ports
    const since = clock.now()
    return (orgIds) => {
      if (clock.now() - since < pace.heldMs) return
      for (const orgId of orgIds) this.held.add(orgId)
      this.looking ??= this.look().finally(() => (this.looking = undefined))
      throw new FactsAway('an organization is being moved to another ClickHouse server')
    }
  }

  /** Until none is held any longer. */
  private async look(): Promise<void> {
    while (this.held.size > 0) {
      await this.ports.clock.sleep(pace.lookMs)
      const rows = await this.ports
        .rows<{ orgId: string }>(
          'select org_id as "orgId" from org_shard where org_id = any($1) and held_until > clock_timestamp()',
          [[...this.held]],
        )
        .catch(() => undefined)
      if (rows) this.held = new Set(rows.map(({ orgId }) => orgId))
    }
  }

  /** @throws FactsAway as soon as the server is away; the work may still succeed later */
  guard<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.away.has(name)) return Promise.reject(awayOf(name))
    const working = this.working.get(name) ?? new Set()
    this.working.set(name, working)
    return new Promise<T>((resolve, reject) => {
      working.add(reject)
      void work()
        .then(resolve, reject)
        .finally(() => working.delete(reject))
    })
  }

  /** Asks the servers until the returned function is called. */
  watch(): () => void {
    if (this.shards.isSingle) return () => {}
    const over = new AbortController()
    for (const shard of this.shards.all) void this.ask(shard, over.signal)
    return () => over.abort()
  }

  private async ask({ name, client }: Shard, over: AbortSignal): Promise<void> {
    const { clock } = this.ports
    let answeredAt = clock.now()
    while (!over.aborted) {
      try {
        const abort_signal = AbortSignal.timeout(pace.answerMs)
        await (await client.query({ query: 'SELECT 1', abort_signal })).text()
        answeredAt = clock.now()
        await this.ready(name)
        if (this.away.delete(name)) this.report.info({ shard: name }, 'a ClickHouse server is back')
      } catch (error) {
        if (over.aborted) return
        const isLong = clock.now() - answeredAt > pace.awayMs
        if (isLong) await this.lose(name, error).catch(() => {})
      }
      await clock.sleep(pace.everyMs, over)
    }
  }

  private async ready(name: string): Promise<void> {
    if (!this.unprepared.has(name)) return
    try {
      await this.prepare(name)
    } catch (error) {
      this.report.error({ shard: name, err: error }, 'a ClickHouse server that is back cannot be used')
      throw error
    }
    this.unprepared.delete(name)
  }

  private async place(): Promise<void> {
    const rows = await this.ports.rows<{ orgId: string; shard: string }>(
      'select org_id as "orgId", shard from org_shard',
      [],
    )
    this.places = new Map(rows.map(({ orgId, shard }) => [orgId, shard]))
  }

  private async lose(name: string, err: unknown): Promise<void> {
    await this.place()
    if (this.away.has(name)) return
    this.away.add(name)
    this.report.error({ shard: name, err }, lostText)
    for (const reject of this.working.get(name) ?? []) reject(awayOf(name))
  }
}

const lostText = 'a ClickHouse server is away; messages of its organizations wait'
const awayOf = (name: string): FactsAway => new FactsAway(`the ClickHouse server ${name} is away`)
