/**
 * Answers that are kept until what they were answered from is written again. One process's own, in memory; whoever asks the
 * same at the same time shares one question. What says whether an answer still stands is asked of PostgreSQL anew by every request.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Editions } from '#engine/actor/ports.ts'
import type { Query } from '#analytics/store/query.ts'
import { tablesRead } from '#analytics/store/read.ts'

export type AnswerOutcome = 'kept' | 'shared' | 'asked' | 'passed'

export interface KeptOptions {
  /** Of all answers, by their JSON; one takes an eighth at most. */
  bytesMax: number
  /** By the name of a table, whatever counts that it was written: itself, or projections. A table without is kept nothing of. */
  writers: ReadonlyMap<string, readonly string[]>
  /** `passed`: could not be kept, for what it is of may turn over at any moment, or is counted by nobody. */
  told: (outcome: AnswerOutcome) => void
}

/** Rows that nobody may change: whoever asks next is given the same. */
export type Answer = readonly Readonly<Record<string, unknown>>[]

/** For longer nothing is kept, whatever happens to the stores behind our back: one may be restored. */
const hourMs = 3_600_000

interface Kept {
  stamp: string
  answer: unknown
}

/** What is asked: `key` is all that makes another answer of it, `names` all that counts that what it reads was written. */
export interface Asked {
  key: readonly unknown[]
  names: readonly string[] | undefined
}

export class KeptAnswers {
  private readonly options: KeptOptions
  private readonly answers: LRUCache<string, Kept>
  private readonly asked = new Map<string, Promise<unknown>>()
  /** By text, what counts that its tables were written; undefined where one of them is counted by nobody. */
  private readonly writersOf = new LRUCache<string, { names: readonly string[] | undefined }>({ max: 2000 })

  constructor(options: KeptOptions) {
    this.options = options
    const { bytesMax } = options
    this.answers = new LRUCache({ maxSize: bytesMax, maxEntrySize: Math.max(1, Math.floor(bytesMax / 8)), ttl: hourMs })
  }

  /** JSON bytes of what is kept. */
  get bytes(): number {
    return this.answers.calculatedSize
  }

  /** What is kept is of a store that may have become another. */
  clear(): void {
    this.answers.clear()
  }

  /** The answer that stands under these editions, else what `ask` comes to. @throws as `ask` */
  answer(
    { name, textFor }: Pick<Query, 'name' | 'textFor'>,
    params: Readonly<Record<string, unknown>>,
    editions: Editions,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    return this.keep({ key: [name, params], names: this.writers(textFor(params)) }, editions, ask)
  }

  /** The same of whatever is asked. @throws as `ask` */
  async keep<T>({ key: parts, names }: Asked, editions: Editions, ask: () => Promise<T>): Promise<T> {
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
    // What reads no table at all is nothing we know how to count.
    const names = all.length > 0 && all.every(Boolean) ? [...new Set(counted)].toSorted() : undefined
    this.writersOf.set(text, { names })
    return names
  }
}

/** Of the numbers of all that counts what is read; undefined where it may turn over meanwhile, or nobody counts. */
function stampOf(names: readonly string[] | undefined, { numbers, turning }: Editions): string | undefined {
  if (names === undefined || names.some((name) => turning.has(name))) return undefined
  return names.map((name) => numbers.get(name) ?? '0').join(' ')
}

/** What may stand beside plain data: weights of shared costs are whole numbers of any size. */
function asText(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  return value instanceof Map ? [...value] : value
}

/** Whatever is done to a row that others are given too must fail where it is done. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
