/**
 * One actor's turn: all messages of its mailbox in the batch, on a copy of its state. A message that throws leaves no
 * trace: the turn is run again from the original state, without that message once it is given up.
 */
import { hash } from 'node:crypto'
import type { Actor, Reaction } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Message } from './message.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import { engineRetries } from '#engine/actor/retry.ts'
import { deepCopy, sameData } from '#engine/actor/row.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import { ingestSubject, orgWide, subjectToken, type Envelope, type Subject } from '#engine/actor/subject.ts'
import type { Table } from '#engine/actor/table.ts'
import type { Address } from '#engine/actor/address.ts'
import type { SignalAudience, Effect, Outlet, Projection, Signal, SentSignal, Turn } from '#engine/actor/turn.ts'

export interface Letter {
  message: Message
  reaction: Reaction<object>
}

/** The result of a mailbox's turn. Fact rows already have their version. */
export interface TurnOutcome {
  state: Record<string, unknown>
  removed: boolean
  facts: { table: Table; row: FactRow }[]
  /** Tables whose rows the sender of a message has stored. */
  wrote: Table[]
  outbox: { id: string; subject: string; body: string }[]
  reminders: Map<string, { due: number; subject: string; data: unknown } | undefined>
  marks: { projection: string; key: string }[]
  effects: { key: string; name: string; input: unknown; queue?: string }[]
  signals: SentSignal[]
  replies: Map<Message, unknown>
  refused: { message: Message; fault: Fault; attempts: number }[]
  ignored: Message[]
}

/** Whether it changes nothing but a state. */
export const isSilent = (o: TurnOutcome): boolean =>
  o.reminders.size === 0 &&
  o.replies.size === 0 &&
  [o.facts, o.wrote, o.outbox, o.marks, o.effects, o.signals, o.refused].every(({ length }) => length === 0)

/** What is run and committed at once: a batch, one message, or one part of a packed message. */
const portions = ['batch', 'message', 'one'] as const
export type Portion = (typeof portions)[number]

export interface MailboxContext {
  epoch: number
  /** If it runs individually because a store refused values of its batch: its facts replace those of the batch. */
  portion?: Portion
  /** The lane's clock for a message: never goes backwards. */
  now: (message: Message) => number
  needs: unknown
}

type Failures = Map<Letter, { fault: Fault; attempts: number }>

export function runMailbox(
  actor: Actor,
  address: Address,
  state: Record<string, unknown>,
  letters: readonly Letter[],
  context: MailboxContext,
): TurnOutcome {
  let failures: Failures | undefined
  for (;;) {
    const turn = new Recording(actor, address, deepCopy(state), context)
    const failure = attempt(turn, letters, failures)
    if (failure) {
      failures ??= new Map()
      failures.set(failure.letter, {
        fault: failure.fault,
        attempts: (failures.get(failure.letter)?.attempts ?? 0) + 1,
      })
      continue
    }
    turn.end()
    for (const [{ message }, given] of failures ?? [])
      if (isGivenUp(given)) turn.outcome.refused = appendTo(turn.outcome.refused, { message, ...given })
    return turn.outcome
  }
}

/** Final faults get a single attempt. */
const isGivenUp = ({ fault, attempts }: { fault: Fault; attempts: number }): boolean =>
  !fault.retryable || attempts >= engineRetries.turn.tries

/** Runs the letters that are not given up; returns the one that threw, if any. */
function attempt(turn: Recording, letters: readonly Letter[], failures?: Failures) {
  for (const letter of letters) {
    const failure = failures?.get(letter)
    if (failure && isGivenUp(failure)) continue
    try {
      if (turn.begin(letter)) letter.reaction.handle(turn.outcome.state, letter.message.envelope.data as never, turn)
    } catch (error) {
      return { letter, fault: Fault.from(error) }
    }
  }
  return undefined
}

/** An empty list shared by most turns; never changed. */
const none: never[] = []
const noEntries = new Map<never, never>()

function appendTo<T>(list: T[], item: T): T[] {
  if (list === none) return [item]
  list.push(item)
  return list
}

class Recording implements Turn {
  readonly address: Address
  readonly outcome: TurnOutcome
  private readonly actor: Actor
  private readonly kind: string
  private readonly context: MailboxContext
  private begunAnew = false
  private current!: Message
  private drawn = 0
  private told: { id: string; time: Date } | undefined
  private notes: Map<string, unknown> | undefined

  constructor(actor: Actor, address: Address, state: Record<string, unknown>, context: MailboxContext) {
    this.actor = actor
    this.kind = actor.kind
    this.address = address
    this.context = context
    this.outcome = {
      state,
      removed: false,
      facts: none,
      wrote: none,
      outbox: none,
      reminders: noEntries,
      marks: none,
      effects: none,
      signals: none,
      replies: noEntries,
      refused: none,
      ignored: none,
    }
  }

  /**
   * False for a reminder that an earlier message of this mailbox has cancelled or moved, and, after an actor was
   * removed, for reactions to existing actors.
   */
  begin({ message, reaction }: Letter): boolean {
    this.current = message
    this.drawn = 0
    this.told = undefined
    if (message.reminded) {
      const { name } = message.reminded
      const { reminders } = this.outcome
      if (reminders.has(name) && reminders.get(name)?.due !== message.reminded.due) return false
      this.timers().set(name, undefined)
    }
    if (!this.outcome.removed) return true
    if (reaction.existing) return false
    this.beginAnew()
    return true
  }

  /** A message after the one that removed the actor gets a new state. */
  private beginAnew(): void {
    this.outcome.removed = false
    this.outcome.state = firstState(this.actor, this.address)
    this.begunAnew = true
  }

  /** An actor that was removed and has not changed since has no row. */
  end(): void {
    if (this.begunAnew && sameData(this.outcome.state, firstState(this.actor, this.address)))
      this.outcome.removed = true
  }

  get now(): Date {
    return new Date(this.context.now(this.current))
  }

  get scratch(): Map<string, unknown> {
    return (this.notes ??= new Map())
  }

  private timers(): TurnOutcome['reminders'] {
    if (this.outcome.reminders === noEntries) this.outcome.reminders = new Map()
    return this.outcome.reminders
  }

  get needs(): unknown {
    return this.context.needs
  }

  get message(): { id: string; time: Date } {
    return (this.told ??= { id: this.current.envelope.id, time: new Date(this.current.time) })
  }

  id(): string {
    const { log, index } = this.current
    const { orgId, place, key } = this.address
    const from = [log.subject, log.seq, index, this.kind, orgId, place, key, this.drawn++].join('\0')
    const hex = hash('sha256', from)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  emit<S extends TSchema>(subject: Subject<S>, data: Static<S>, at = this.now): void {
    const { orgId } = this.address
    const id = this.id()
    const place = subject.place?.(data) ?? orgWide
    this.outcome.outbox = appendTo(this.outcome.outbox, {
      id,
      subject: ingestSubject(subject.kind, orgId, place),
      body: this.envelope(id, subject.name, data, at),
    })
  }

  publish(category: string, type: string, data: Record<string, unknown>): void {
    const id = this.id()
    const subject = `event.${category}.${subjectToken(this.address.orgId)}.${type}`
    this.outcome.outbox = appendTo(this.outcome.outbox, { id, subject, body: this.envelope(id, type, data, this.now) })
  }

  post<S extends TSchema>(outlet: Outlet<S>, id: string, data: Static<S>): void {
    const { orgId } = this.address
    this.outcome.outbox = appendTo(this.outcome.outbox, {
      id: `${outlet.name}/${orgId}/${id}`,
      subject: `${outlet.prefix}.${subjectToken(orgId)}.${subjectToken(outlet.key(data))}`,
      body: this.envelope(id, outlet.name, data, this.now),
    })
  }

  append<R extends TObject>(table: Table<R>, row: Static<R>, at: Date): void {
    const fact = row as Record<string, unknown>
    fact['x_Version'] = this.version(at)
    this.outcome.facts = appendTo(this.outcome.facts, { table: table, row: fact })
  }

  wrote(table: Table): void {
    this.outcome.wrote = appendTo(this.outcome.wrote, table)
  }

  version(at: Date): bigint {
    const { epoch, portion = 'batch' } = this.context
    return factVersion(at.getTime(), epoch, this.current.log.seq, portion, this.current.index)
  }

  mark(projection: Projection, key: string): void {
    this.outcome.marks = appendTo(this.outcome.marks, { projection: projection.name, key })
  }

  remind<S extends TSchema>(name: string, at: Date, subject: Subject<S>, data: Static<S>): void {
    this.timers().set(name, { due: at.getTime(), subject: subject.name, data })
  }

  forget(name: string): void {
    this.timers().set(name, undefined)
  }

  call<S extends TSchema>(effect: Effect<S>, key: string, input: Static<S>): void {
    const queue = effect.queue?.(input)
    this.outcome.effects = appendTo(this.outcome.effects, { key, name: effect.name, input, ...(queue && { queue }) })
  }

  tell<S extends TSchema>({ name }: Signal<S>, data: Static<S>, about?: SignalAudience): void {
    this.outcome.signals = appendTo(this.outcome.signals, { event: name, data, ...(about && { about }) })
  }

  reply(value: unknown): void {
    if (this.outcome.replies === noEntries) this.outcome.replies = new Map()
    this.outcome.replies.set(this.current, value)
  }

  ignore(): void {
    this.outcome.ignored = appendTo(this.outcome.ignored, this.current)
  }

  remove(): void {
    this.outcome.removed = true
  }

  get isRemoved(): boolean {
    return this.outcome.removed
  }

  private envelope(id: string, type: string, data: unknown, at: Date): string {
    const envelope: Envelope = {
      id,
      type,
      schemaVersion: 1,
      orgId: this.address.orgId,
      time: at.toISOString(),
      source: `actor/${this.kind}`,
      data,
    }
    return JSON.stringify(envelope)
  }
}

/** The state of an actor without a row. */
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
 * Orders the rows of one key: first by the source's time, then by epoch, sequence, portion, and index in the message
 * (48, 24, 40, 2 and 14 bits). A replayed batch writes the same rows again; rows of a former owner are older than those
 * of the current one; rows of a refused batch are older than those of its parts run individually.
 */
export const factVersion = (at: number, epoch: number, seq: number, portion: Portion, index: number): bigint =>
  (BigInt(Math.max(0, Math.trunc(at))) << 80n) |
  (BigInt(epoch) << 56n) |
  (BigInt(seq) << 16n) |
  (BigInt(portions.indexOf(portion)) << 14n) |
  BigInt(index)

/** The sequence in the lane of the message that a version was given to. */
export const sequenceOf = (version: bigint): bigint => (version >> 16n) & 0xff_ffff_ffffn
