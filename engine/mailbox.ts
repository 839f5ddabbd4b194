/**
 * One actor's turn: its whole mailbox of the batch, against a copy of its state. A message that throws leaves no trace:
 * the turn is run anew from the state before it, without that message once it is given up.
 */
import { hash } from 'node:crypto'
import type { Actor, Reaction } from '#engine/actor.ts'
import { Fault } from '#engine/fault.ts'
import type { Message } from '#engine/message.ts'
import type { FactRow } from '#engine/ports.ts'
import { copy, same } from '#engine/row.ts'
import type { Static, TObject, TSchema } from '#engine/schema.ts'
import { ingestSubject, orgWide, subjectToken, type Envelope, type Subject } from '#engine/subject.ts'
import type { Table } from '#engine/table.ts'
import type { Address, Effect, Projection, Turn } from '#engine/turn.ts'

export interface Letter {
  message: Message
  reaction: Reaction<object>
}

/** What a mailbox's turn comes to. Fact rows carry their version already. */
export interface Outcome {
  state: Record<string, unknown>
  removed: boolean
  facts: { table: Table; row: FactRow }[]
  outbox: { id: string; subject: string; body: string }[]
  reminders: Map<string, { due: number; subject: string; data: unknown } | undefined>
  marks: { projection: string; key: string }[]
  effects: { key: string; name: string; input: unknown }[]
  replies: Map<Message, unknown>
  refused: { message: Message; fault: Fault; attempts: number }[]
}

/** How often a message may throw before it is set aside; faults that trying again cannot mend are given one try. */
export const triesMax = 5

export interface MailboxContext {
  epoch: number
  /** Whether the message runs by itself because its batch held values a store refuses: its facts replace those of then. */
  alone?: boolean
  /** The lane's clock for a message: never backwards. */
  now: (message: Message) => number
  needs: unknown
}

export function runMailbox(
  actor: Actor,
  address: Address,
  state: Record<string, unknown>,
  letters: readonly Letter[],
  context: MailboxContext,
): Outcome {
  const failures = new Map<Letter, { fault: Fault; attempts: number }>()
  const given = (letter: Letter) => {
    const failure = failures.get(letter)
    return failure !== undefined && (!failure.fault.retryable || failure.attempts >= triesMax)
  }
  for (;;) {
    const turn = new Recording(actor, address, copy(state), context)
    const thrown = letters.filter((letter) => !given(letter)).find((letter) => !attempt(turn, letter, failures))
    if (thrown) continue
    turn.end()
    const refused = [...failures].filter(([letter]) => given(letter))
    turn.outcome.refused = refused.map(([{ message }, failure]) => ({ message, ...failure }))
    return turn.outcome
  }
}

function attempt(turn: Recording, letter: Letter, failures: Map<Letter, { fault: Fault; attempts: number }>): boolean {
  try {
    if (!turn.begin(letter.message)) return true
    letter.reaction.handle(turn.outcome.state, letter.message.envelope.data as never, turn)
    return true
  } catch (error) {
    failures.set(letter, { fault: Fault.from(error), attempts: (failures.get(letter)?.attempts ?? 0) + 1 })
    return false
  }
}

class Recording implements Turn {
  readonly address: Address
  readonly scratch = new Map<string, unknown>()
  readonly outcome: Outcome
  private readonly actor: Actor
  private readonly kind: string
  private readonly context: MailboxContext
  private begunAnew = false
  private current!: Message
  private drawn = 0

  constructor(actor: Actor, address: Address, state: Record<string, unknown>, context: MailboxContext) {
    this.actor = actor
    this.kind = actor.kind
    this.address = address
    this.context = context
    this.outcome = {
      state,
      removed: false,
      facts: [],
      outbox: [],
      reminders: new Map(),
      marks: [],
      effects: [],
      replies: new Map(),
      refused: [],
    }
  }

  /** False for a reminder that an earlier message of this mailbox has replaced or forgotten. */
  begin(message: Message): boolean {
    this.current = message
    this.drawn = 0
    if (message.reminded) {
      const { name } = message.reminded
      if (this.outcome.reminders.has(name)) return false
      this.outcome.reminders.set(name, undefined)
    }
    if (this.outcome.removed) this.beginAnew()
    return true
  }

  /** A message behind the one that removed the actor finds it as one that never was. */
  private beginAnew(): void {
    this.outcome.removed = false
    this.outcome.state = firstState(this.actor, this.address)
    this.begunAnew = true
  }

  /** An actor that was removed and has not changed since has no row. */
  end(): void {
    if (this.begunAnew && same(this.outcome.state, firstState(this.actor, this.address))) this.outcome.removed = true
  }

  get now(): Date {
    return new Date(this.context.now(this.current))
  }

  get needs(): unknown {
    return this.context.needs
  }

  get message(): { id: string; time: Date } {
    return { id: this.current.envelope.id, time: new Date(this.current.time) }
  }

  id(): string {
    const { log, index } = this.current
    const { orgId, place, key } = this.address
    const from = [log.subject, log.seq, index, this.kind, orgId, place, key, this.drawn++].join('\0')
    const hex = hash('sha256', from)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  emit<S extends TSchema>(subject: Subject<S>, data: Static<S>): void {
    const { orgId } = this.address
    const id = this.id()
    const place = subject.place?.(data) ?? orgWide
    this.outcome.outbox.push({
      id,
      subject: ingestSubject(subject.kind, orgId, place),
      body: this.envelope(id, subject.name, data),
    })
  }

  publish(category: string, type: string, data: Record<string, unknown>): void {
    const id = this.id()
    const subject = `event.${category}.${subjectToken(this.address.orgId)}.${type}`
    this.outcome.outbox.push({ id, subject, body: this.envelope(id, type, data) })
  }

  append<R extends TObject>(table: Table<R>, row: Static<R>, at: Date): void {
    const fact = row as Record<string, unknown>
    fact['x_Version'] = this.version(at)
    this.outcome.facts.push({ table: table as unknown as Table, row: fact })
  }

  version(at: Date): bigint {
    const { epoch, alone = false } = this.context
    return factVersion(at.getTime(), epoch, this.current.log.seq, alone, this.current.index)
  }

  mark(projection: Projection, key: string): void {
    this.outcome.marks.push({ projection: projection.name, key })
  }

  remind<S extends TSchema>(name: string, at: Date, subject: Subject<S>, data: Static<S>): void {
    this.outcome.reminders.set(name, { due: at.getTime(), subject: subject.name, data })
  }

  forget(name: string): void {
    this.outcome.reminders.set(name, undefined)
  }

  call<S extends TSchema>(effect: Effect<S>, key: string, input: Static<S>): void {
    this.outcome.effects.push({ key, name: effect.name, input })
  }

  reply(value: unknown): void {
    this.outcome.replies.set(this.current, value)
  }

  remove(): void {
    this.outcome.removed = true
  }

  private envelope(id: string, type: string, data: unknown): string {
    const envelope: Envelope = {
      id,
      type,
      schemaVersion: 1,
      orgId: this.address.orgId,
      time: this.now.toISOString(),
      source: `actor/${this.kind}`,
      data,
    }
    return JSON.stringify(envelope)
  }
}

/** The state of an actor that has no row. */
export function firstState(actor: Actor, address: Address): Record<string, unknown> {
  const { orgId, place, key } = actor.address as { orgId: string; place?: string; key: string }
  return {
    ...actor.initial(address),
    [orgId]: address.orgId,
    ...(place && { [place]: address.place }),
    [key]: address.key,
  }
}

/**
 * Orders the rows of one key: first by what the source says its time is, then by epoch, sequence, whether the message ran
 * alone, and place in the message. 48, 24, 40, 1 and 15 bits: a replayed batch writes the same rows again, a deposed
 * owner's lose to the present one's, and those of a batch that was refused to what its messages came to one by one.
 */
export const factVersion = (at: number, epoch: number, seq: number, alone: boolean, index: number): bigint =>
  (BigInt(Math.max(0, Math.trunc(at))) << 80n) |
  (BigInt(epoch) << 56n) |
  (BigInt(seq) << 16n) |
  (alone ? 0x8000n : 0n) |
  BigInt(index)
