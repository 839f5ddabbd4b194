/**
 * The lane loop: read from the cursor, decode, run turns, one commit. Guarantee: every message up to the cursor has
 * taken effect exactly once, in order, and no message after it has any visible effect. While a batch commits, the next
 * one is decoded and its turns run on the states that the first will leave. Nothing of it is sent before the first has
 * committed, and if that fails it is discarded.
 */
import type { LaneTools } from '#engine/lane/tools.ts'
import { Activations } from '#engine/lane/activation.ts'
import { makeBatch, type BatchTools } from '#engine/lane/batch.ts'
import type { Batch, Head } from '#engine/lane/commit/draft.ts'
import { Committer, LaneEndedError, type LaneEnd } from '#engine/lane/commit/committer.ts'
import { Fault } from '#engine/value/fault.ts'
import { batchParts, bySequence, isBarrier, isUnknown, setAside, type Item } from '#engine/lane/message/item.ts'
import { Echoes } from '#engine/lane/message/echo.ts'
import { refuseLogMessage } from '#engine/lane/message/message.ts'
import { Parking } from '#engine/lane/message/parking.ts'
import { Quota } from '#engine/lane/quota.ts'
import {
  DataRefused,
  FactsAway,
  ReaderLapsed,
  type Lease,
  type LogMessage,
  type LogReader,
} from '#engine/actor/ports.ts'
import { engineRetries, pauseBefore } from '#engine/actor/retry.ts'
import { Relay } from '#engine/lane/commit/relay.ts'
import { Reminders } from '#engine/lane/commit/reminder.ts'

interface Flight {
  part: Item[]
  batch: Batch
  done: Promise<void>
  isOver: boolean
}

/**
 * How a batch runs: `pass` waits until turns may run; `within` says how many parts of a packed message are done after
 * it, if others follow.
 */
type BatchOptions = Pick<BatchTools, 'portion' | 'pass' | 'within'>

/**
 * After this many deaths of owners in a row, messages are taken a few at a time, so that the next death narrows the
 * suspects.
 */
const endsWary = 1
/** After this many deaths, those few are run one at a time, each marked before its turn. */
const endsCareful = 2
/** After this many deaths on a marked message it is not run again. */
const deathsMax = 3
/** Milliseconds after its turn until a message is no longer suspected: its result has been computed by then. */
const outlivedMs = 250
/** During a commit, messages that arrive within this many milliseconds of each other join one batch. */
const joinMs = 5
/** Messages per batch while one of them is suspected. */
const countWary = 250

export class Lane {
  readonly lease: Lease
  private readonly tools: LaneTools
  private readonly stop: AbortSignal
  private readonly activations: Activations
  private readonly echoes: Echoes
  private readonly relay: Relay
  private readonly reminders: Reminders
  private readonly committer: Committer
  private readonly parking: Parking
  /** Set while a carefully run message waits for its turns to finish; called then. */
  private worked: (() => void) | undefined
  private quota = new Quota()
  /** The batch that is committing now. */
  private flight: Flight | undefined
  /** The position of the lane after that commit. */
  private head: Head
  /** While the cursor is below it, messages are run one at a time, each marked before its turn. */
  private carefulUntil: number
  /** Up to here messages run individually: facts of a refused batch may still be on their way. */
  private aloneUntil = 0

  constructor(tools: LaneTools, lease: Lease, stop: AbortSignal) {
    this.tools = tools
    this.lease = lease
    this.stop = stop
    this.activations = new Activations(tools.store, tools.limits.activationsMax)
    this.echoes = new Echoes(tools.registry, tools.limits.echoesMax ?? 0)
    this.relay = new Relay(tools, lease.lane, stop)
    this.reminders = new Reminders(tools, lease)
    this.committer = new Committer(tools, lease, stop, this.relay, this.reminders)
    this.parking = new Parking(tools.parking, lease)
    this.head = { cursor: lease.cursor, clock: lease.clock, apart: lease.apart }
    this.carefulUntil = lease.ends >= endsCareful ? lease.cursor + countWary : 0
  }

  get number(): number {
    return this.lease.lane
  }

  async run(): Promise<LaneEnd> {
    for (let attempt = 1; !this.stop.aborted; attempt++) {
      let reader: LogReader | undefined
      // A lane that waits for messages stops waiting when it is told to stop.
      const wake = () => void reader?.close().catch(() => {})
      this.stop.addEventListener('abort', wake, { once: true })
      try {
        await this.relay.recover()
        await this.narrow()
        await this.tools.closed.load()
        await this.reminders.load()
        await this.parking.load()
        reader = await this.tools.log.read(this.number, this.lease.cursor + 1)
        await this.loop(reader, () => (attempt = 1))
      } catch (error) {
        const end = (await this.halt()) ?? (error instanceof LaneEndedError ? error.end : undefined)
        if (end) return end
        this.reopening(error)
        this.tools.meter.retries.inc({ store: 'log' })
        await this.tools.clock.sleep(pauseBefore(engineRetries.lane, attempt + 1)!, this.stop)
      } finally {
        this.stop.removeEventListener('abort', wake)
        await reader?.close().catch(() => {})
      }
    }
    const end = await this.halt()
    if (end) return end
    await this.relay.settle()
    return 'stopped'
  }

  /**
   * A message that was not in the stream when an owner died cannot have killed it. The position is read slightly later,
   * so it is an upper bound.
   */
  private async narrow(): Promise<void> {
    const { lease, tools } = this
    if (lease.ends === 0 || lease.cursor >= lease.suspectUntil) return
    const last = await tools.log.last(this.number)
    if (last < lease.suspectUntil) await this.suspect(last)
  }

  private async suspect(until: number): Promise<void> {
    await this.tools.store.suspect(this.lease, until)
    this.lease.suspectUntil = until
  }

  /**
   * Careful until the lane is past the suspected messages, whoever owns it: otherwise it would meet the same message
   * again.
   */
  private isWary(): boolean {
    const { ends, cursor, suspectUntil } = this.lease
    return ends >= endsWary && cursor < suspectUntil
  }

  private reopening(error: unknown): void {
    const { number: lane, tools } = this
    if (error instanceof ReaderLapsed) tools.report.info({ lane, why: error.message }, 'lane reopens its stream')
    else if (error instanceof Fault || error instanceof FactsAway)
      tools.report.warn({ lane, why: error.message }, 'lane cannot continue')
    else tools.report.warn({ lane, err: error }, 'lane reopens its stream')
  }

  private async loop(reader: LogReader, progress: () => void): Promise<void> {
    this.quota = new Quota(this.tools.limits.quota)
    let known = this.tools.closed.version
    while (!this.stop.aborted) {
      await this.tools.closed.refresh()
      if (known !== this.tools.closed.version) {
        known = this.tools.closed.version
        // Reminders of a restored organization have waited.
        await this.reminders.load()
      }
      const isMore = this.parking.isReady && (await this.unpark())
      const items = await this.gather(reader, isMore ? joinMs : this.tools.limits.waitMs)
      if (items.length > 0) {
        this.tools.point('after-read')
        await this.process(items)
        progress()
      } else await this.landed()
      await this.reminders.publish()
      const now = this.tools.clock.now() - this.tools.shift()
      this.activations.passivate(now, this.tools.limits.idleMs, this.flight?.batch.states)
      this.tools.meter.activations.set({ lane: this.number }, this.activations.size)
    }
  }

  /** The next messages, decoded. Those that arrive during a commit would wait for it anyway, so they form one batch. */
  private async gather(reader: LogReader, firstMs: number): Promise<Item[]> {
    const { limits, shift } = this.tools
    const countMax = this.isWary() ? Math.min(countWary, limits.countMax) : limits.countMax
    const items: Item[] = []
    let bytes = 0
    for (let count = 0, waitMs = firstMs; ; waitMs = joinMs) {
      const messages = await reader.next(countMax - count, limits.bytesMax - bytes, waitMs)
      const ms = shift()
      for (const m of messages) {
        bytes += m.body.length
        const message = shifted(m, ms)
        const excess = this.quota.exceeded(m)
        const parked = excess ? undefined : this.parking.park(message)
        if (parked) items.push(parked)
        else items.push(...this.read(message, excess))
      }
      count += messages.length
      const isFull = count >= countMax || bytes >= limits.bytesMax
      if (isFull || messages.length === 0 || !this.flight || this.flight.isOver) return items
    }
  }

  private read(message: LogMessage, excess?: Fault): Item[] {
    const { closed, meter } = this.tools
    const items = excess ? [this.excessive(message, excess)] : this.left(this.echoes.read(message))
    return closed.filter(items, () => meter.dropped.inc({ lane: this.number }))
  }

  /** Runs some of the messages that were stored to be run later. True if there may be more. */
  private async unpark(): Promise<boolean> {
    await this.landed()
    const ms = this.tools.shift()
    const found = await this.parking.next(this.tools.limits.countMax)
    if (found.length > 0) await this.process(found.flatMap((message) => this.read(shifted(message, ms))))
    return found.length > 0
  }

  /** Without parts that have already taken effect: a previous owner may have run the parts of a message one by one. */
  private left(items: Item[]): Item[] {
    const { seq, done } = this.lease.apart
    return done === 0 ? items : items.filter(({ log, index }) => log.seq !== seq || index >= done)
  }

  private excessive(message: LogMessage, fault: Fault): Item {
    this.tools.meter.overQuota.inc({ lane: this.number })
    return refuseLogMessage(message, fault)
  }

  private async process(items: Item[]): Promise<void> {
    if (items.some(isUnknown) && (await this.tools.isOutdated())) throw new LaneEndedError('outdated')
    for (const part of batchParts(items)) {
      if (this.stop.aborted) throw new LaneEndedError('stopped')
      if (part[0]!.log.seq <= this.carefulUntil) for (const one of bySequence(part)) await this.carefully(one)
      else if (part[0]!.log.seq <= this.aloneUntil) await this.apart(part)
      else await this.together(part)
    }
  }

  /**
   * Runs all at once, without waiting for the commit. If a store will never accept the result, one message at a time.
   */
  private async together(part: Item[]): Promise<void> {
    // A message that kills the process must not take the previous batch with it, and a barrier must not run before that
    // is committed.
    if (this.isWary() || isBarrier(part[0]!)) await this.landed()
    for (;;) {
      const batch = await this.turns(part, { portion: 'batch', pass: () => this.tools.gate.pass() }).catch(
        unlessRefused,
      )
      if ((await this.landed()) || !batch) continue
      const flight: Flight = { part, batch, done: this.committer.commit(batch), isOver: false }
      flight.done
        .catch((error: unknown) => {
          if (error instanceof DataRefused) this.aloneUntil = part.at(-1)!.log.seq
        })
        .finally(() => (flight.isOver = true))
      this.flight = flight
      return
    }
  }

  private async apart(part: Item[]): Promise<void> {
    for (const one of bySequence(part))
      await this.alone(one, { portion: 'message', pass: () => this.tools.gate.pass() })
  }

  private async alone(one: Item[], how: BatchOptions): Promise<void> {
    try {
      await this.commit(one, how)
    } catch (error) {
      if (!(error instanceof DataRefused)) throw error
      this.forget()
      if (one.length > 1) return this.oneByOne(one, (item, part) => this.alone([item], { ...how, ...part }))
      const fault = new Fault('invalid', 'data_refused', 'A database rejects the values of this message.', {}, error)
      await this.commit([setAside(one[0]!, fault)], how)
    }
  }

  private async commit(one: Item[], how: BatchOptions): Promise<void> {
    await this.landed()
    await this.committer.commit(await this.turns(one, how))
  }

  /**
   * One of many in a packed message cannot be run with the others: each is run and committed individually, in its
   * place. Forwarded, they would come after later messages.
   */
  private async oneByOne(one: Item[], run: (item: Item, how: BatchOptions) => Promise<void>): Promise<void> {
    const last = one.at(-1)
    for (const item of one) {
      const within = item === last ? undefined : { seq: item.log.seq, done: item.index + 1 }
      await run(item, { portion: 'one', ...(within && { within }) })
    }
  }

  /**
   * If a process has died on a packed message, each part is run individually: one of them may be the cause, or none.
   */
  private async carefully(one: Item[]): Promise<void> {
    const { seq } = one[0]!.log
    if (this.lease.apart.seq === seq || !(await this.marked(one, 0, { portion: 'message' })))
      await this.oneByOne(one, async (item, how) => void (await this.marked([item], item.index + 1, how)))
  }

  /**
   * Marks the message before its turn, or the `nth` part of it, so that a death of the process is attributed to it;
   * after three deaths it is not run again. False for a packed message whose parts are to be run one at a time.
   */
  private async marked(one: Item[], nth: number, how: BatchOptions): Promise<boolean> {
    const { gate, store } = this.tools
    const { seq } = one[0]!.log
    await gate.enter()
    const over = new AbortController()
    let outlived: Promise<void> | undefined
    let isGuilty = false
    this.worked = () => void (outlived ??= this.outlived(over.signal))
    try {
      const deaths = await store.markTurn(this.lease, seq, nth)
      if (deaths === undefined) throw new LaneEndedError('lost')
      isGuilty = deaths >= (one.length > 1 ? 1 : deathsMax)
      if (!isGuilty) await this.alone(one, how)
      else if (one.length > 1) await this.takeApart(seq)
      else await this.setAside(one[0]!, how)
      return !isGuilty || one.length === 1
    } finally {
      this.worked = undefined
      over.abort()
      await outlived
      // A message that is not run any more stays marked until it is dead-lettered.
      if (!isGuilty) await this.survived()
      gate.leave()
    }
  }

  private async takeApart(seq: number): Promise<void> {
    const { store, report } = this.tools
    report.warn(
      { lane: this.number, seq },
      'a process died while running a batch of messages; running them one at a time',
    )
    await store.takeApart(this.lease, seq)
    this.head.apart = this.lease.apart = { seq, done: 0 }
  }

  private async setAside(item: Item, how: BatchOptions): Promise<void> {
    const { seq } = item.log
    this.tools.report.error(
      { lane: this.number, seq },
      'a message that killed its process three times was dead-lettered',
    )
    const fault = Fault.invalid('killed_process', 'Processing this message killed the process three times.')
    await this.commit([setAside(item, fault)], how)
    this.carefulUntil = 0
  }

  /**
   * If the process continues for this long, the turn has not killed it: a death while waiting for a store is not the
   * message's fault.
   */
  private async outlived(over: AbortSignal): Promise<void> {
    await this.tools.clock.sleep(outlivedMs, over)
    if (!over.aborted) await this.survived()
  }

  /** Removes the mark: whatever error the turn had, the process did not die of it. */
  private async survived(): Promise<void> {
    const { store, clock, report } = this.tools
    for (let attempt = 1; ; attempt++) {
      try {
        return await store.clearTurn(this.lease)
      } catch (error) {
        report.warn({ lane: this.number, err: error }, 'the mark of a turn could not be cleared')
        await clock.sleep(pauseBefore(engineRetries.turnMark, attempt + 1)!, this.stop)
        if (this.stop.aborted) return
      }
    }
  }

  /**
   * The turns of a batch, on the committed state and the one about to be committed. Reads of the stores wait for the
   * commit in progress.
   */
  private async turns(items: Item[], how: BatchOptions): Promise<Batch> {
    const { tools, lease, head, activations, echoes } = this
    const settled = async () => this.flight?.done
    const batch = await makeBatch({ ...tools, ...how, activations, echoes, lease, head, settled }, items)
    for (const [id, state] of batch.states) activations.set(id, state)
    const { to: cursor, clock, apart } = batch.commit
    this.head = { cursor, clock, apart }
    tools.point('after-turns')
    this.worked?.()
    return batch
  }

  /**
   * Waits for the commit in progress. True if a store has refused its values: its messages were then run one at a time,
   * and everything computed after it is invalid.
   */
  private async landed(): Promise<boolean> {
    const { flight } = this
    try {
      await flight?.done
      return false
    } catch (error) {
      if (!(error instanceof DataRefused)) throw error
      this.tools.report.warn({ lane: this.number, err: error }, 'a batch has values that a database rejects')
      this.forget()
      await this.apart(flight!.part)
      return true
    } finally {
      if (this.flight === flight) this.flight = undefined
    }
  }

  /** Returns to the committed state. */
  private forget(): void {
    this.flight = undefined
    this.activations.clear()
    this.echoes.clear()
    const { cursor, clock, apart } = this.lease
    this.head = { cursor, clock, apart }
  }

  /** Waits for the commit in progress, whatever its outcome; returns why it ended the lane, if it did. */
  private async halt(): Promise<LaneEnd | undefined> {
    const failure = await this.flight?.done.then(
      () => undefined,
      (error: unknown) => error,
    )
    this.forget()
    return failure instanceof LaneEndedError ? failure.end : undefined
  }
}

const shifted = (m: LogMessage, ms: number): LogMessage => (ms === 0 ? m : { ...m, at: m.at + ms, shift: ms })

/** A refusal is handled where the commit is awaited. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof DataRefused)) throw error
}
