/**
 * Which ClickHouse servers are away: those that have not answered for some seconds. Then nobody waits for them any
 * longer, so that only their organizations have to wait. Of a single server nothing is known here: without it everything
 * waits.
 */
import { FactsAway } from '#engine/actor/ports.ts'
import type { Reporter } from '#engine/reporter.ts'
import { mainShard, type Shard, type ShardPorts, type Shards } from './shards.ts'

/** Milliseconds. */
const pace = { everyMs: 2_000, answerMs: 10_000, awayMs: 15_000 }

export class AwayShards {
  private readonly shards: Shards
  private readonly ports: ShardPorts
  private readonly report: Reporter
  private readonly away = new Set<string>()
  /** Servers of organizations while one is away; those without an entry are on `main`. */
  private places: ReadonlyMap<string, string> = new Map()
  /** Work that fails as soon as its server is away. */
  private readonly working = new Map<string, Set<(error: FactsAway) => void>>()

  constructor(shards: Shards, ports: ShardPorts, report: Reporter) {
    this.shards = shards
    this.ports = ports
    this.report = report
  }

  get names(): string[] {
    return [...this.away]
  }

  isAway(orgId: string): boolean {
    return this.away.size > 0 && this.away.has(this.places.get(orgId) ?? mainShard)
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
        if (this.away.delete(name)) this.report.info({ shard: name }, 'a ClickHouse server is back')
      } catch (error) {
        if (over.aborted) return
        const isLong = clock.now() - answeredAt > pace.awayMs
        if (isLong) await this.lose(name, error).catch(() => {})
      }
      await clock.sleep(pace.everyMs, over)
    }
  }

  private async lose(name: string, err: unknown): Promise<void> {
    const rows = await this.ports.rows<{ orgId: string; shard: string }>(
      'select org_id as "orgId", shard from org_shard',
      [],
    )
    this.places = new Map(rows.map(({ orgId, shard }) => [orgId, shard]))
    if (this.away.has(name)) return
    this.away.add(name)
    this.report.error({ shard: name, err }, 'a ClickHouse server is away; messages of its organizations wait')
    for (const reject of this.working.get(name) ?? []) reject(awayOf(name))
  }
}

const awayOf = (name: string): FactsAway => new FactsAway(`the ClickHouse server ${name} is away`)
