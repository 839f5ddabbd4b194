/**
 * Decides whose query runs next if there are more than ClickHouse can run at once. Turns are shared between people
 * first and organizations second, so that a person with a hundred organizations gets no more than one with a single
 * organization.
 */
import { Gauge, type Registry } from 'prom-client'
import { Fault } from '#engine/value/fault.ts'

export interface Asker {
  readonly orgId: string
  /**
   * The person, the same in all organizations. Empty if there is none: then the turn counts only for the organization.
   */
  readonly person: string
}

export interface Bounds {
  /** Maximum turns held at once by one person, and by one organization. */
  readonly atOnce: number
  /** Maximum waiting turns of one person. */
  readonly waiting: number
  /**
   * Maximum queries running at once. Below: maximum running queries at which a person or organization may start another
   * one while one is already running.
   */
  readonly asking: number
  readonly seconds: number
  /** The error for a person with too many waiting turns. */
  readonly full: () => Error
}

/** Turns of a person or an organization. */
interface Count {
  readonly key: string
  /** Turns held. Below: turns whose query is still running. */
  running: number
  asking: number
  waiting: number
  /** Number of the last turn, or of the first request, in the order of all turns. */
  served: number
}

interface Waiting {
  readonly of: Both
  readonly begin: () => void
}

interface Both {
  readonly person: Count
  readonly org: Count
}

export class Turns {
  private readonly bounds: Bounds
  private readonly counts = new Map<string, Count>()
  /** In order of arrival. */
  private readonly waiting = new Set<Waiting>()
  private asking = 0
  private order = 0

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /**
   * Runs `work` when it is its turn. The turn is held until `work` ends; its query counts as running until `work` calls
   * `answered`, even if the client has disconnected.
   * @throws Error from `full` if too many wait, or an Error if `gone` is aborted before the turn
   */
  async take<T>(asker: Asker, gone: AbortSignal | undefined, work: (answered: () => void) => Promise<T>): Promise<T> {
    if (gone?.aborted) throw new Error('The client closed the connection.')
    const of = this.countsOf(asker)
    if (this.mayAsk(of)) this.begin(of)
    else await this.wait(of, gone)
    let isAsking = true
    const answered = (): void => {
      if (isAsking) this.add(of, 'asking', -1)
      if (isAsking) this.asking--
      isAsking = false
      this.admit()
    }
    try {
      return await work(answered)
    } finally {
      this.add(of, 'running', -1)
      answered()
      this.drop(of)
    }
  }

  /** Number of running and of waiting queries. */
  get counted(): { asked: number; waiting: number } {
    return { asked: this.asking, waiting: this.waiting.size }
  }

  /**
   * Yields the rows of `read` in one turn, which ends after the last row or when the caller stops reading.
   * @throws Error from `full` if too many wait
   */
  async *hold<T>(asker: Asker, read: () => AsyncIterable<T>): AsyncGenerator<T, void> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    await new Promise<void>((begin, fail) => {
      this.take(asker, undefined, () => {
        begin()
        return over
      }).catch(fail)
    })
    try {
      yield* read()
    } finally {
      end()
    }
  }

  private countsOf({ orgId, person }: Asker): Both {
    return { person: this.countOf(`person ${person || `of ${orgId}`}`), org: this.countOf(`org ${orgId}`) }
  }

  private countOf(key: string): Count {
    const count = this.counts.get(key) ?? { key, running: 0, asking: 0, waiting: 0, served: ++this.order }
    this.counts.set(key, count)
    return count
  }

  private mayAsk({ person, org }: Both): boolean {
    const { atOnce, asking, seconds } = this.bounds
    const isFirst = person.asking === 0 && org.asking === 0
    return person.running < atOnce && org.running < atOnce && this.asking < (isFirst ? asking : seconds)
  }

  private begin(of: Both): void {
    this.add(of, 'running', 1)
    this.add(of, 'asking', 1)
    this.asking++
    for (const count of [of.person, of.org]) count.served = ++this.order
  }

  private add({ person, org }: Both, what: 'running' | 'asking' | 'waiting', change: 1 | -1): void {
    person[what] += change
    org[what] += change
  }

  private wait(of: Both, gone: AbortSignal | undefined): Promise<void> {
    if (of.person.waiting >= this.bounds.waiting) throw this.bounds.full()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (!this.waiting.delete(own)) return
        this.add(of, 'waiting', -1)
        this.drop(of)
        reject(new Error('The client closed the connection.'))
      }
      const begin = (): void => {
        gone?.removeEventListener('abort', leave)
        resolve()
      }
      const own: Waiting = { of, begin }
      this.waiting.add(own)
      this.add(of, 'waiting', 1)
      gone?.addEventListener('abort', leave, { once: true })
    })
  }

  private admit(): void {
    for (;;) {
      const next = this.next()
      if (!next) return
      this.waiting.delete(next)
      this.add(next.of, 'waiting', -1)
      this.begin(next.of)
      next.begin()
    }
  }

  /**
   * Order: the person with the fewest running queries, then the organization with the fewest, then the one served
   * longest ago.
   */
  private next(): Waiting | undefined {
    let first: Waiting | undefined
    for (const one of this.waiting) if (this.mayAsk(one.of) && (!first || goesBefore(one.of, first.of))) first = one
    return first
  }

  private drop({ person, org }: Both): void {
    for (const { key, running, waiting } of [person, org]) if (running === 0 && waiting === 0) this.counts.delete(key)
  }
}

function goesBefore(one: Both, other: Both): boolean {
  const ranks = ({ person, org }: Both) => [person.asking, org.asking, person.served, org.served]
  const others = ranks(other)
  const differing = ranks(one).map((rank, i) => rank - others[i]!)
  return (differing.find((rank) => rank !== 0) ?? 0) < 0
}

/** Turns for ClickHouse: for answers that are read as a whole, and for answers read row by row, which take minutes. */
export interface ReportTurns {
  readonly answers: Turns
  readonly rows: Turns
}

/**
 * `atOnce` queries run at once, seven tenths of them for one person. Half as many are read row by row, at most three
 * for one person.
 */
export function reportTurns(atOnce: number): ReportTurns {
  const most = (share: number, of: number) => Math.max(1, Math.floor(share * of))
  const full = () =>
    Fault.transient('unavailable', 'Too many of your queries are waiting. Try again when some have finished.')
  const answers: Bounds = { atOnce: most(0.7, atOnce), seconds: most(0.7, atOnce), asking: atOnce, waiting: 500, full }
  const slow = most(0.5, atOnce)
  const rows: Bounds = { atOnce: Math.min(3, slow), seconds: most(0.8, slow), asking: slow, waiting: 50, full }
  return { answers: new Turns(answers), rows: new Turns(rows) }
}

/** The same, with metrics. */
export function measuredTurns(atOnce: number, registry: Registry): ReportTurns {
  const turns = reportTurns(atOnce)
  new Gauge({
    name: 'tidemark_report_questions',
    help: 'Report queries to ClickHouse, running and waiting, by how they are read (answers: as a whole, rows: row by row)',
    labelNames: ['kind', 'state'],
    registers: [registry],
    collect() {
      for (const kind of ['answers', 'rows'] as const)
        for (const [state, count] of Object.entries(turns[kind].counted)) this.set({ kind, state }, count)
    },
  })
  return turns
}
