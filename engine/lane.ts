/**
 * The lane loop: read from the cursor, decode, turns, one commit. Guarantee: every message up to the cursor has had its
 * effect exactly once, in order; everything behind it none that shows. The order of the commit is fixed: facts, then
 * state and cursor in one transaction, then answers and outbox (docs/architecture.md says what each step survives).
 */
import { Activations } from '#engine/activation.ts'
import { makeBatch } from '#engine/batch.ts'
import type { Batch } from '#engine/draft.ts'
import { Fault } from '#engine/fault.ts'
import type { TurnGate } from '#engine/gate.ts'
import { isRefusal, readMessage, type Message, type Refusal } from '#engine/message.ts'
import type { Meter } from '#engine/meter.ts'
import {
  DataRefused,
  type Clock,
  type FactStore,
  type Lease,
  type Log,
  type LogReader,
  type Reads,
  type StateStore,
} from '#engine/ports.ts'
import type { Registry } from '#engine/registry.ts'
import { Relay } from '#engine/relay.ts'
import { Reminders } from '#engine/reminder.ts'
import type { Reporter } from '#engine/reporter.ts'

/** Named places where a test may kill the process. */
export type CrashPoint =
  | 'after-read'
  | 'after-turns'
  | 'before-facts'
  | 'after-facts'
  | 'before-commit'
  | 'after-commit'
  | 'after-answers'
  | 'relay-published'

export interface LaneTools {
  registry: Registry
  log: Log
  store: StateStore
  facts: FactStore
  reads: Reads
  clock: Clock
  /** Milliseconds that the test hooks add to the broker's time. */
  shift: () => number
  gate: TurnGate
  meter: Meter
  report: Reporter
  limits: LaneLimits
  point: (name: CrashPoint) => void
  /** Told after each commit: projections wake up by it. */
  committed: (batch: Batch) => void
}

export interface LaneLimits {
  /** Messages of a batch. */
  countMax: number
  /** Bytes of a batch's messages. */
  bytesMax: number
  /** How long a batch waits for its first message, milliseconds. */
  waitMs: number
  /** Actor rows a lane keeps in memory. */
  activationsMax: number
  /** Milliseconds without a message after which an actor is passivated. */
  idleMs: number
  /** Committed messages a lane's stream keeps for looking back. */
  keepMessages: number
}

/** Why a lane ended. `doubt`: the outcome of a commit is unknown, the lane must be taken again. */
export type LaneEnd = 'stopped' | 'lost' | 'doubt'

type Item = Message | Refusal

/** Acquisitions without progress from which on a message is suspected of killing the process. */
const triesSuspect = 3
/** Messages of a batch once an acquisition has made no progress. */
const countWary = 100

export class Lane {
  readonly lease: Lease
  private readonly tools: LaneTools
  private readonly stop: AbortSignal
  private readonly activations: Activations
  private readonly relay: Relay
  private readonly reminders: Reminders
  /** While the cursor is below it, messages are run one at a time, each marked before its turn. */
  private carefulUntil: number
  /** Up to it messages run by themselves: facts of theirs that came of a refused batch may still be on their way. */
  private aloneUntil = 0

  constructor(tools: LaneTools, lease: Lease, stop: AbortSignal) {
    this.tools = tools
    this.lease = lease
    this.stop = stop
    this.activations = new Activations(tools.store, tools.limits.activationsMax)
    this.relay = new Relay(tools, lease.lane, stop)
    this.reminders = new Reminders(tools, lease.lane)
    this.carefulUntil = lease.tries > triesSuspect ? lease.cursor + countWary : 0
  }

  get number(): number {
    return this.lease.lane
  }

  async run(): Promise<LaneEnd> {
    for (let pause = 50; !this.stop.aborted; pause = Math.min(pause * 2, 5000)) {
      let reader: LogReader | undefined
      // A lane that waits for messages need not wait to its end when it is told to stop.
      const wake = () => void reader?.close().catch(() => {})
      this.stop.addEventListener('abort', wake, { once: true })
      try {
        await this.relay.recover()
        await this.reminders.load()
        reader = await this.tools.log.read(this.number, this.lease.cursor + 1)
        await this.loop(reader, () => (pause = 50))
      } catch (error) {
        if (error instanceof Ended) return error.end
        this.tools.report.warn({ lane: this.number, err: error }, 'lane reopens its stream')
        this.tools.meter.retries.inc({ store: 'log' })
        await this.tools.clock.sleep(pause, this.stop)
      } finally {
        this.stop.removeEventListener('abort', wake)
        await reader?.close().catch(() => {})
      }
    }
    await this.relay.settle()
    return 'stopped'
  }

  /** Decodes the next batch while the present one commits. */
  private async loop(reader: LogReader, progress: () => void): Promise<void> {
    let ahead = this.read(reader)
    ahead.catch(() => {})
    while (!this.stop.aborted) {
      const items = await ahead
      ahead = this.read(reader)
      ahead.catch(() => {})
      if (items.length > 0) {
        this.tools.point('after-read')
        await this.process(items)
        progress()
      }
      await this.reminders.publish()
      this.activations.passivate(this.tools.clock.now() - this.tools.shift(), this.tools.limits.idleMs)
      this.tools.meter.activations.set({ lane: this.number }, this.activations.size)
    }
  }

  private async read(reader: LogReader): Promise<Item[]> {
    const { countMax, bytesMax, waitMs } = this.tools.limits
    const count = this.lease.tries > 1 ? Math.min(countWary, countMax) : countMax
    const messages = await reader.next(count, bytesMax, waitMs)
    const shift = this.tools.shift()
    return messages.flatMap((m) =>
      readMessage(this.tools.registry, shift === 0 ? m : { ...m, at: m.at + shift, shift }),
    )
  }

  private async process(items: Item[]): Promise<void> {
    for (const part of parts(items)) {
      if (this.stop.aborted) throw new Ended('stopped')
      if (part[0]!.log.seq <= this.carefulUntil) for (const one of bySequence(part)) await this.carefully(one)
      else if (part[0]!.log.seq <= this.aloneUntil) await this.apart(part)
      else await this.together(part)
    }
    if (this.lease.cursor >= this.carefulUntil) this.lease.tries = 1
  }

  /** All at once; when a store will never take what comes out of it, one message after the other. */
  private async together(part: Item[]): Promise<void> {
    try {
      await this.commit(part, false, () => this.tools.gate.pass())
    } catch (error) {
      if (!(error instanceof DataRefused)) throw error
      this.tools.report.warn({ lane: this.number, err: error }, 'a batch holds values a store refuses')
      this.aloneUntil = part.at(-1)!.log.seq
      await this.apart(part)
    }
  }

  private async apart(part: Item[]): Promise<void> {
    for (const one of bySequence(part)) await this.alone(one, () => this.tools.gate.pass())
  }

  private async alone(one: Item[], pass?: () => Promise<void>): Promise<void> {
    try {
      await this.commit(one, true, pass)
    } catch (error) {
      if (!(error instanceof DataRefused)) throw error
      if (one.length > 1) return this.scattered(one, pass)
      const fault = new Fault('invalid', 'data_refused', 'A store refuses the values of this message.', {}, error)
      await this.commit(
        one.map((item) => aside(item, fault)),
        true,
      )
    }
  }

  /** One of many in a log message holds what a store refuses: each is sent on as a message of its own. */
  private async scattered(one: Item[], pass?: () => Promise<void>): Promise<void> {
    for (const item of one) if (!isRefusal(item)) item.forward = item.log.subject.split('.')[2]!
    await this.commit(one, true, pass)
  }

  /** The message is marked before its turn, so that a death of the process is pinned on it; after three it is not run again. */
  private async carefully(one: Item[]): Promise<void> {
    const { gate, store, report } = this.tools
    const { seq } = one[0]!.log
    await gate.enter()
    try {
      const deaths = await store.markTurn(this.lease, seq)
      if (deaths === undefined) throw new Ended('lost')
      if (deaths < triesSuspect) await this.alone(one)
      else if (one.length > 1) {
        report.error({ lane: this.number, seq }, 'a message that killed its process three times is taken apart')
        await this.scattered(one)
        this.carefulUntil = 0
      } else {
        report.error({ lane: this.number, seq }, 'a message that killed its process three times is set aside')
        const fault = Fault.invalid('killed_process', 'The turn of this message killed its process three times.')
        await this.commit(
          one.map((item) => aside(item, fault)),
          true,
        )
        this.carefulUntil = 0
      }
    } finally {
      await this.survived()
      gate.leave()
    }
  }

  /** Takes the mark off: whatever went wrong with the turn, the process did not die of it. */
  private async survived(): Promise<void> {
    const { store, clock, report } = this.tools
    for (let pause = 25; ; pause = Math.min(pause * 2, 5000)) {
      try {
        return await store.clearTurn(this.lease)
      } catch (error) {
        report.warn({ lane: this.number, err: error }, 'the mark of a turn could not be cleared')
        await clock.sleep(pause, this.stop)
        if (this.stop.aborted) return
      }
    }
  }

  private async commit(items: Item[], alone: boolean, pass?: () => Promise<void>): Promise<void> {
    const { tools, lease, activations } = this
    const batch = await makeBatch({ ...tools, activations, lease, alone, ...(pass && { pass }) }, items)
    tools.point('after-turns')
    await this.insert(batch)
    tools.point('before-commit')
    const end = tools.meter.commitSeconds.startTimer({ part: 'state' })
    const moved = await tools.store.commit(batch.commit).catch((error: unknown) => {
      if (error instanceof DataRefused) throw error
      tools.report.warn({ lane: this.number, err: error }, 'the outcome of a commit is unknown')
      throw new Ended('doubt')
    })
    end()
    if (!moved) throw new Ended('lost')
    tools.point('after-commit')
    await this.settle(batch)
  }

  /** Facts first: the same rows again and again until they are durable. */
  private async insert(batch: Batch): Promise<void> {
    if (batch.facts.size === 0) return
    const { tools } = this
    const end = tools.meter.commitSeconds.startTimer({ part: 'facts' })
    const tables = [...batch.facts].toSorted(([a], [b]) => (a.order ?? 0) - (b.order ?? 0))
    tools.point('before-facts')
    for (const [table, rows] of tables) {
      for (let pause = 25; ; pause = Math.min(pause * 2, 5000)) {
        try {
          await tools.facts.insert(table.name, rows)
          break
        } catch (error) {
          if (error instanceof DataRefused) throw error
          tools.meter.retries.inc({ store: 'facts' })
          if (pause === 400)
            tools.report.warn({ lane: this.number, err: error }, 'ClickHouse does not take rows; retrying')
          await tools.clock.sleep(pause, this.stop)
          if (this.stop.aborted) throw new Ended('stopped')
        }
      }
      tools.meter.facts.inc({ table: table.name }, rows.length)
    }
    end()
    tools.point('after-facts')
  }

  private async settle(batch: Batch): Promise<void> {
    const { tools, lease } = this
    const { commit, counts } = batch
    lease.cursor = commit.to
    lease.clock = commit.clock
    for (const [id, state] of batch.states) this.activations.set(id, state, commit.clock)
    for (const { inbox, body } of batch.answers) tools.log.answer(inbox, body)
    tools.point('after-answers')
    this.reminders.committed(commit.reminders)
    tools.meter.messages.inc({ lane: this.number }, counts.messages)
    tools.meter.turns.inc({ lane: this.number }, counts.turns)
    tools.meter.deadLetters.inc({ lane: this.number }, counts.refused)
    tools.meter.commits.inc({ lane: this.number, outcome: 'done' })
    tools.meter.batchMessages.observe(counts.messages)
    tools.committed(batch)
    await this.relay.push(commit.outbox)
  }
}

/** Ends the lane from wherever it is. */
class Ended extends Error {
  readonly end: LaneEnd

  constructor(end: LaneEnd) {
    super(end)
    this.end = end
  }
}

const aside = ({ log, index, ...rest }: Item, fault: Fault): Refusal => ({
  log,
  index,
  fault,
  orgId: rest.orgId,
  place: rest.place,
  ...(rest.reminded && { reminded: rest.reminded }),
  type: 'envelope' in rest ? rest.envelope.type : rest.type,
  messageId: 'envelope' in rest ? rest.envelope.id : rest.messageId,
  body: log.body,
})

const isBarrier = (item: Item): boolean => !isRefusal(item) && item.receivers.some((r) => r.reaction.barrier === true)

/** A message that must run alone is a batch of its own; one that shares its log message with others is sent on by itself. */
function* parts(items: Item[]): Generator<Item[]> {
  let part: Item[] = []
  for (const one of bySequence(items)) {
    if (one.length > 1) {
      for (const item of one) if (!isRefusal(item) && isBarrier(item)) item.forward = item.log.subject.split('.')[2]!
      part.push(...one)
    } else if (isBarrier(one[0]!)) {
      if (part.length > 0) yield part
      yield one
      part = []
    } else part.push(...one)
  }
  if (part.length > 0) yield part
}

const bySequence = (items: Item[]): Item[][] => [...Map.groupBy(items, (item) => item.log.seq).values()]
