/**
 * Caches responses until the data they are based on is written again. In the memory of one process; simultaneous
 * requests for the same share one query. Every request checks in PostgreSQL whether a response is still valid.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hourMs } from '#engine/value/day.ts'
import type { Editions } from '#engine/actor/ports.ts'
import type { Query } from '#analytics/store/query.ts'
import { tablesRead } from '#analytics/store/tables-read.ts'

type AnswerOutcome = 'kept' | 'shared' | 'asked' | 'passed'

export interface AnswerCacheOptions {
  /** For all responses, by JSON size; a single one may take an eighth. */
  bytesMax: number
  /**
   * By table name: what counts writes to it, the table itself or projections. Responses from a table that is not listed
   * are not cached.
   */
  writers: ReadonlyMap<string, readonly string[]>
  /** `passed`: could not be cached, because its data may be published at any moment or its writes are not counted. */
  told: (outcome: AnswerOutcome) => void
}

/** Rows that must not be changed: other requests get the same objects. */
export type AnswerRows = readonly Readonly<Record<string, unknown>>[]

/** Whatever happens to the stores: one may be restored. */
const maxAgeMs = hourMs

interface CacheEntry {
  stamp: string
  answer: unknown
}

/**
 * The request: `key` contains everything that affects the response, `names` everything that counts writes to the data
 * it reads.
 */
export interface CacheRequest {
  key: readonly unknown[]
  names: readonly string[] | undefined
}

export class AnswerCache {
  private readonly options: AnswerCacheOptions
  private readonly answers: LRUCache<string, CacheEntry>
  private readonly asked = new Map<string, Promise<unknown>>()
  /** By text: what counts writes to its tables; undefined if one of them is not counted. */
  private readonly writersOf = new LRUCache<string, { names: readonly string[] | undefined }>({ max: 2000 })

  constructor(options: AnswerCacheOptions) {
    this.options = options
    const { bytesMax } = options
    this.answers = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: Math.max(1, Math.floor(bytesMax / 8)),
      ttl: maxAgeMs,
    })
  }

  /** JSON bytes of the cached responses. */
  get bytes(): number {
    return this.answers.calculatedSize
  }

  /** The cached responses are from a store that may have been replaced. */
  clear(): void {
    this.answers.clear()
  }

  /** The cached response that is valid for these editions, otherwise the result of `ask`. @throws as `ask` */
  answer(
    { name, textFor }: Pick<Query, 'name' | 'textFor'>,
    params: Readonly<Record<string, unknown>>,
    editions: Editions,
    ask: () => Promise<AnswerRows>,
  ): Promise<AnswerRows> {
    return this.keep({ key: [name, params], names: this.writers(textFor(params)) }, editions, ask)
  }

  /** The same for any request. @throws as `ask` */
  async keep<T>({ key: parts, names }: CacheRequest, editions: Editions, ask: () => Promise<T>): Promise<T> {
    const { told } = this.options
    const stamp = stampOf(names, editions)
    if (stamp === undefined) {
      told('passed')
      return ask()
    }
    const key = hash('sha256', JSON.stringify(parts, asText), 'base64')
    const kept = this.answers.get(key)
    if (kept?.stamp === stamp) {
      told('kept')
      return kept.answer as T
    }
    const once = `${key} ${stamp}`
    const sharing = this.asked.get(once) as Promise<T> | undefined
    told(sharing ? 'shared' : 'asked')
    return sharing ?? this.anew(once, { key, stamp }, ask)
  }

  private anew<T>(once: string, { key, stamp }: { key: string; stamp: string }, ask: () => Promise<T>): Promise<T> {
    const asking = ask()
      .then((answer) => {
        const size = Buffer.byteLength(JSON.stringify(answer, asText)) + 200
        this.answers.set(key, { stamp, answer: frozen(answer) }, { size })
        return answer
      })
      .finally(() => this.asked.delete(once))
    this.asked.set(once, asking)
    return asking
  }

  private writers(text: string): readonly string[] | undefined {
    const known = this.writersOf.get(text)
    if (known) return known.names
    const all = [...tablesRead(text)].map((table) => this.options.writers.get(table))
    const counted = all.flatMap((names) => names ?? [])
    // A query that reads no table cannot be tracked.
    const names = all.length > 0 && all.every(Boolean) ? [...new Set(counted)].toSorted() : undefined
    this.writersOf.set(text, { names })
    return names
  }
}

/**
 * The numbers of everything that counts writes to the data; undefined if it may be published meanwhile, or is not
 * counted.
 */
function stampOf(names: readonly string[] | undefined, { numbers, turning }: Editions): string | undefined {
  if (names === undefined || names.some((name) => turning.has(name))) return undefined
  return names.map((name) => numbers.get(name) ?? '0').join(' ')
}

/** For values other than plain data: weights of shared costs are whole numbers of any size. */
function asText(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  return value instanceof Map ? [...value] : value
}

/** A change to a shared row must fail where it is made. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
