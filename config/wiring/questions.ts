/** Queries to ClickHouse for one organization, with the data that its rules require, and a cache of answers. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { AnswerCache } from '#analytics/store/answer-cache.ts'
import { run, stream, texts, type Query } from '#analytics/store/query.ts'
import { countedProjections, writers } from '#analytics/index.ts'
import { withRules } from '#actors/attribution/rule.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Editions, Reads } from '#engine/actor/ports.ts'
import type { Services } from '#http/edge/services.ts'
import type { Connections } from '#config/state/connect.ts'
import { tokens, type Product } from './tokens.ts'
import type { Asker } from './turns.ts'

/** Undefined if the cache is disabled. */
export function answersOf(mebibytes: number, registry: Registry): AnswerCache | undefined {
  if (mebibytes === 0) return undefined
  const outcomes = new Counter({
    name: 'tidemark_answers_total',
    help: 'Report queries: kept (answered from the cache), shared (joined a running query), asked (sent to ClickHouse), passed (not cacheable)',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const made = new AnswerCache({
    bytesMax: mebibytes * 1024 * 1024,
    writers,
    told: (outcome) => outcomes.inc({ outcome }),
  })
  new Gauge({
    name: 'tidemark_answers_kept_bytes',
    help: 'Size of the cached answers, in bytes',
    registers: [registry],
    collect() {
      this.set(made.bytes)
    },
  })
  return made
}

/**
 * Milliseconds for which a request's queries use the same state of PostgreSQL; a request that takes longer reads it
 * again.
 */
const momentMs = 250

interface Questions extends Pick<Services, 'analytics' | 'counting' | 'stream' | 'sums' | 'texts'> {
  /** Ends the cached state, so that the request sees its own changes. */
  changed: () => void
}

export function questionsOf(c: Connections, get: Product['get'], asker: Asker): Questions {
  const org = asker.orgId
  const turns = get(tokens.turns)
  const moment = new Moment(() => c.store.editions(org, countedProjections), get(tokens.reads))
  const ask = async (q: Query, params: Readonly<Record<string, unknown>>) => {
    const kept = get(tokens.answers)
    const shards = requireShards(c, org, () => kept?.clear())
    const anew = () => turns.answers.take(asker, undefined, async () => run(await shards.of(org), q, params))
    // The answer of a fresh query decides whether data has changed, so later queries must not use an earlier state.
    if (q.isFresh) return anew().finally(() => moment.end())
    const editions = kept && (await moment.editions())
    return editions ? kept.answer(q, params, editions, anew) : anew()
  }
  const tools = { reads: moment, ask: ask as QueryRunner }
  const ruled = async (q: Query, params: object) => withRules(tools, q, { ...params, org })
  return {
    changed: () => moment.end(),
    analytics: (async (q: Query, params: object) =>
      ask(q, (await ruled(q, params)) as Record<string, unknown>)) as Services['analytics'],
    counting: async ({ name, params, tables }, count) => {
      const kept = get(tokens.answers)
      const editions = kept && (await moment.editions())
      const of = { key: [name, org, params], names: tables.map((table) => table.name) }
      return editions ? kept.keep(of, editions, count) : count()
    },
    sums: async () => {
      moment.end()
      const found = await moment.editions()
      if (!found || found.turning.size > 0) return undefined
      return countedProjections.map((name) => found.numbers.get(name) ?? '0').join(' ')
    },
    stream: async function* (q, params) {
      const known = (await ruled(q as never, params)) as never
      yield* turns.rows.hold(asker, async function* () {
        yield* stream(await requireShards(c, org).of(org), q, known)
      })
    },
    texts: async function* (q, params) {
      const known = (await ruled(q as never, params)) as never
      yield* turns.rows.hold(asker, async function* () {
        yield* texts(await requireShards(c, org).of(org), q, known)
      })
    },
  }
}

/**
 * Milliseconds after the start during which an engine of an earlier version may still write without counting changes;
 * such engines stop within five seconds.
 */
const youngMs = 10_000

/** Data that a request's queries need, read once and kept for `momentMs`. */
class Moment {
  private readonly read: () => Promise<Editions>
  private readonly reads: Pick<Reads, 'rows'>
  private since = 0
  private readonly known = new Map<string, Promise<unknown>>()

  constructor(read: () => Promise<Editions>, reads: Pick<Reads, 'rows'>) {
    this.read = read
    this.reads = reads
  }

  end(): void {
    this.known.clear()
  }

  /** Undefined if PostgreSQL is unavailable or the counts may be incomplete; then nothing is taken from the cache. */
  async editions(): Promise<Editions | undefined> {
    if (performance.now() < youngMs) return undefined
    return this.once('', () => this.read().catch(() => undefined))
  }

  rows<T extends object>(sql: string, params: readonly unknown[]): Promise<T[]> {
    return this.once(JSON.stringify([sql, params]), () => this.reads.rows<T>(sql, params))
  }

  private once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const now = performance.now()
    if (now - this.since > momentMs) this.end()
    if (this.known.size === 0) this.since = now
    const known = (this.known.get(key) as Promise<T> | undefined) ?? read()
    this.known.set(key, known)
    return known
  }
}

/**
 * @throws Fault `transient` `unavailable` while ClickHouse and PostgreSQL do not match, because figures would be wrong,
 * and while the server of the organization is away
 */
function requireShards(
  { installation, shards, awayShards }: Connections,
  orgId: string,
  lost = () => {},
): Connections['shards'] {
  const isWrong = installation.misfits.some(({ store }) => store !== 'nats')
  if (isWrong) {
    lost()
    throw Fault.transient('unavailable', 'A store has lost data, so figures would be wrong.')
  }
  if (awayShards.isAway(orgId)) throw Fault.transient('unavailable', 'The store of your cost data is unavailable.')
  return shards
}
