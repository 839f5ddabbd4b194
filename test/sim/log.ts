/** The log in memory: lanes that remember the ids of the last two minutes, and readers that give out what has come. */
import type { Clock, Log, LogMessage, LogReader, Publication, PublishAck } from '#engine/actor/ports.ts'
import type { Link } from '#test/sim/link.ts'

export interface Stored extends LogMessage {
  id: string
}

/** Milliseconds in which the broker drops repeats of an id. */
const duplicateMs = 120_000

interface Stream {
  messages: Stored[]
  last: number
  ids: Map<string, { seq: number; at: number }>
}

export class Broker {
  readonly lanes: readonly Stream[]
  readonly events = stream()
  readonly dead = stream()
  /** Called with every answer that reaches its inbox. */
  answered: (inbox: string, body: string) => void = () => {}
  /** Called with what is new in a lane. */
  stored: (lane: number, message: Stored) => void = () => {}
  private readonly now: () => number
  private waiting: (() => void)[] = []

  constructor(lanes: number, now: () => number) {
    this.lanes = Array.from({ length: lanes }, stream)
    this.now = now
  }

  publish({ subject, id, headers = {}, body }: Publication): PublishAck {
    const tokens = subject.split('.')
    const lane = this.laneIn(tokens)
    const to = lane === undefined ? (tokens[0] === 'event' ? this.events : this.dead) : this.lanes[lane]!
    const at = this.now()
    // As the real server: what goes to lanes bears no id.
    const known = lane === undefined ? to.ids.get(id) : undefined
    if (known && at - known.at < duplicateMs) return { lane, seq: known.seq, isRepeat: true }
    const seq = ++to.last
    const address = (tokens[0] === 'lane' ? tokens.slice(2) : tokens.slice(1)).join('.')
    const message = {
      seq,
      subject: address,
      headers: { ...headers, ...(lane === undefined && { 'Nats-Msg-Id': id }) },
      body: Buffer.from(body),
      at,
      id,
    }
    to.messages.push(message)
    to.ids.set(id, { seq, at })
    if (lane !== undefined) {
      this.stored(lane, message)
      for (const wake of this.waiting.splice(0)) wake()
    }
    return { lane, seq }
  }

  private laneIn(tokens: readonly string[]): number | undefined {
    if (tokens[0] === 'lane') return Number(tokens[1])
    return tokens[0] === 'ingest' ? this.laneOf(tokens[2]!, tokens[3]!) : undefined
  }

  laneOf(org: string, place: string): number {
    let hash = 0
    for (const char of `${org}.${place}`) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0
    return (hash >>> 0) % this.lanes.length
  }

  /** Messages of `lane` from `from` on: at most `countMax` and, but for a single larger one, `bytesMax`. */
  take(lane: number, from: number, countMax: number, bytesMax: number): LogMessage[] {
    const { messages } = this.lanes[lane]!
    const taken: LogMessage[] = []
    let bytes = 0
    for (let i = lowest(messages, from); i < messages.length && taken.length < countMax; i++) {
      const { id: _, ...message } = messages[i]!
      bytes += message.body.length
      if (taken.length > 0 && bytes > bytesMax) break
      taken.push(message)
    }
    return taken
  }

  /** @throws when the lane has not what comes next */
  check(lane: number, from: number): void {
    const { messages, last } = this.lanes[lane]!
    const first = messages[0]?.seq ?? last + 1
    if (from > last + 1 || from < first) throw new Error(`lane ${lane} holds ${first} to ${last}, not ${from}`)
  }

  has(lane: number, from: number): boolean {
    return this.lanes[lane]!.last >= from
  }

  /** Resolves when something is stored in any lane. */
  arrival(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  trim(lane: number, cursor: number, keep: number): void {
    const to = this.lanes[lane]!
    to.messages = to.messages.slice(lowest(to.messages, cursor + 1 - keep))
  }

  forgetIds(): void {
    for (const { ids } of [...this.lanes, this.events, this.dead]) ids.clear()
  }
}

const stream = (): Stream => ({ messages: [], last: 0, ids: new Map() })

/** Index of the first message at or behind `from`. */
function lowest(messages: readonly Stored[], from: number): number {
  const first = messages[0]?.seq ?? 0
  let i = Math.max(0, Math.min(messages.length, from - first))
  while (i > 0 && messages[i - 1]!.seq >= from) i--
  return i
}

/** What goes wrong with a reader after it has given out `after` messages. */
export interface ReaderFate {
  what: 'ends' | 'stalls'
  after: number
}

export interface MemoryLogOptions {
  broker: Broker
  link: Link
  clock: Clock
  /** Drawn for every reader that is opened; undefined for a good one. */
  fate?: () => ReaderFate | undefined
  /** Drawn for every batch: how many of `count` waiting messages have come yet, at least one. */
  arrived?: (count: number) => number
  /** False when an answer gets lost. */
  answers?: () => boolean
}

export class MemoryLog implements Log {
  private readonly options: MemoryLogOptions

  constructor(options: MemoryLogOptions) {
    this.options = options
  }

  async read(lane: number, from: number): Promise<LogReader> {
    await this.options.link('read', () => this.options.broker.check(lane, from))
    return new MemoryReader(this.options, lane, from)
  }

  laneOf(org: string, place: string): number {
    return this.options.broker.laneOf(org, place)
  }

  publish(message: Publication): Promise<PublishAck> {
    return this.options.link('publish', () => this.options.broker.publish(message))
  }

  answer(inbox: string, body: string): void {
    const { link, broker, answers } = this.options
    if (answers?.() ?? true) link('answer', () => broker.answered(inbox, body)).catch(() => {})
  }

  last(lane: number): Promise<number> {
    return this.options.link('last', () => this.options.broker.lanes[lane]!.last)
  }

  trim(lane: number, cursor: number, keep: number): Promise<void> {
    return this.options.link('trim', () => this.options.broker.trim(lane, cursor, keep))
  }
}

/** Milliseconds until missed heartbeats tell that a reader will hear no more. */
const stalledMsMax = 3000

class MemoryReader implements LogReader {
  private readonly options: MemoryLogOptions
  private readonly lane: number
  private readonly fate: ReaderFate | undefined
  private from: number
  private given = 0
  private failure: Error | undefined
  private stalledMs = 0
  private readonly stop = new AbortController()

  constructor(options: MemoryLogOptions, lane: number, from: number) {
    this.options = options
    this.lane = lane
    this.from = from
    this.fate = options.fate?.()
  }

  async next(countMax: number, bytesMax: number, waitMs: number): Promise<LogMessage[]> {
    const { broker } = this.options
    if (this.failure) throw this.failure
    if (this.fate && this.given >= this.fate.after) return this.broken(this.fate.what, waitMs)
    if (!broker.has(this.lane, this.from)) await this.arrival(waitMs)
    if (this.stop.signal.aborted || !broker.has(this.lane, this.from)) return []
    const taken = await this.fetch(countMax, bytesMax)
    this.given += taken.length
    this.from = (taken.at(-1)?.seq ?? this.from - 1) + 1
    return taken
  }

  private async fetch(countMax: number, bytesMax: number): Promise<LogMessage[]> {
    const { broker, link, arrived } = this.options
    const room = Math.min(countMax, this.fate ? this.fate.after - this.given : countMax)
    try {
      return await link('next', () => {
        const waiting = broker.take(this.lane, this.from, room, bytesMax)
        return arrived ? waiting.slice(0, arrived(waiting.length)) : waiting
      })
    } catch (error) {
      this.failure = error as Error
      throw error
    }
  }

  private async arrival(waitMs: number): Promise<void> {
    const { broker, clock } = this.options
    let over = false
    const sleep = clock.sleep(waitMs, this.stop.signal).then(() => (over = true))
    while (!over && !broker.has(this.lane, this.from)) await Promise.race([sleep, broker.arrival()])
  }

  private async broken(what: ReaderFate['what'], waitMs: number): Promise<LogMessage[]> {
    if (what === 'stalls' && this.stalledMs < stalledMsMax) {
      this.stalledMs += waitMs
      await this.options.clock.sleep(waitMs, this.stop.signal)
      return []
    }
    this.failure = new Error(`the reader ${what}`)
    throw this.failure
  }

  async close(): Promise<void> {
    this.stop.abort()
  }
}
