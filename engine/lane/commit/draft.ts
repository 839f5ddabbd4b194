/** Collects a commit: the results of a batch's turns, each key once with its newest value. */
import { Fault } from '#engine/value/fault.ts'
import type { Letter, TurnOutcome } from '#engine/lane/message/mailbox.ts'
import { isRefusal, keptText, type Message, type MessageRefusal } from '#engine/lane/message/message.ts'
import { header, ingestSubject, manyPlaces, orgWide, subjectToken } from '#engine/actor/subject.ts'
import {
  noneApart,
  type Apart,
  type Commit,
  type DeadLetter,
  type FactRow,
  type Lease,
  type LogMessage,
  type ReminderKey,
  type RowChanges,
} from '#engine/actor/ports.ts'
import type { RowShape } from '#engine/actor/row.ts'
import type { Table } from '#engine/actor/table.ts'
import type { Address } from '#engine/actor/address.ts'
import type { SentSignal } from '#engine/actor/turn.ts'

export interface Batch {
  commit: Commit
  facts: Map<Table, FactRow[]>
  answers: { inbox: string; body: string }[]
  states: Map<string, Record<string, unknown> | undefined>
  signals: SignalRow[]
  counts: { messages: number; turns: number; echoes: number; refused: number }
}

/** A signal, with its organization. */
export interface SignalRow {
  orgId: string
  told: SentSignal
}

/** Prefix of ids of outbox rows that forward a message on its own. */
export const forwardPrefix = 'forward-'

/** Bytes of an envelope that every server accepts as one message. */
const forwardBytesMax = 1_000_000

/** The reply to a caller: the value, or the fault that refused the command. */
export type CommandReply = { ok: true; value: unknown } | { ok: false; fault: object }

/**
 * The id under which a message's effect is remembered; it includes the organization, because two may use the same
 * message id.
 */
export const inboxId = (m: Message): string => `${m.orgId}/${m.envelope.id}`

export const reminderKey = (m: Message | MessageRefusal): ReminderKey => {
  const { kind, key, name } = m.reminded!
  return { kind, orgId: m.orgId, place: m.place, key, name }
}

/** The position of a lane between two batches. */
export interface Head {
  cursor: number
  /** Milliseconds since 1970. */
  clock: number
  apart: Apart
}

export class BatchDraft {
  readonly states = new Map<string, Record<string, unknown> | undefined>()
  readonly once = new Map<Message, string>()
  /** Messages of this batch with the same id as another one in it: they get its reply. */
  readonly repeats: { first: Message; again: Message }[] = []
  clock: number
  private to: number
  private readonly lease: Lease
  private readonly head: Head
  private readonly times = new Map<number, number>()
  private readonly rows = new Map<string, TableRows>()
  private readonly outbox = new Map<string, Commit['outbox'][number]>()
  private readonly reminders = new Map<string, Commit['reminders'][number]>()
  private readonly forgotten = new Map<string, ReminderKey>()
  private readonly marks = new Map<string, Commit['marks'][number]>()
  private readonly effects = new Map<string, Commit['effects'][number]>()
  private readonly facts = new Map<Table, FactRow[]>()
  private readonly written = new Map<Table, Set<string>>()
  private readonly answers: Batch['answers'] = []
  private readonly signals: SignalRow[] = []
  private readonly dead: DeadLetter[] = []
  private readonly letterName: (id: string) => string
  private readonly outcomes = new Map<Message, CommandReply>()
  private readonly parked: LogMessage[] = []
  private readonly unparked = new Set<number>()
  private readonly counts = { messages: 0, turns: 0, echoes: 0, refused: 0 }

  constructor(lease: Lease, head: Head, letterName = (id: string) => id) {
    this.lease = lease
    this.letterName = letterName
    this.head = head
    this.clock = head.clock
    this.to = head.cursor
  }

  /** The lane's clock never goes backwards; the shift of the test hooks is added on top, and may be removed again. */
  see({ seq, at, shift = 0, isParked }: LogMessage): void {
    if (isParked) this.unparked.add(seq)
    this.to = Math.max(this.to, seq)
    this.clock = Math.max(this.clock, at - shift)
    this.times.set(seq, this.clock + shift)
    this.counts.messages++
  }

  time(m: Message): number {
    return this.times.get(m.log.seq) ?? this.clock
  }

  /**
   * True once the caller no longer waits; the command is then not executed. By the broker's time, not the lane's: the
   * lane's stays ahead after a clock was set back.
   */
  expired(m: Message): boolean {
    const deadline = m.log.headers[header.deadline]
    if (deadline === undefined || m.log.at <= Date.parse(deadline)) return false
    this.outcomes.set(m, toFaultReply(Fault.transient('unavailable', 'The command arrived after its deadline.')))
    return true
  }

  /** Stores it, to be run later. Who waits for a reply gets `fault` instead, and the command is not run. */
  park({ log, fault }: MessageRefusal): void {
    const inbox = log.headers[header.reply]
    if (inbox) this.answers.push({ inbox, body: JSON.stringify(toFaultReply(fault)) })
    else this.parked.push(log)
  }

  /** Forwards it to its own lane; if it might be too large for a message, it is dead-lettered. */
  forward(m: Message): void {
    const id = `${forwardPrefix}${m.log.seq}-${m.index}-${this.lease.lane}`
    const subject = ingestSubject(m.subject.kind, m.orgId, m.place)
    const body = JSON.stringify(m.envelope)
    if (Buffer.byteLength(body) <= forwardBytesMax) this.outbox.set(id, { id, subject, headers: {}, body })
    else
      this.bury(
        m,
        0,
        '',
        Fault.invalid('wrong_subject', `A message this large must be sent on its own, on ${subject}.`),
      )
  }

  bury(m: Message | MessageRefusal, attempts: number, actor = '', fault = (m as MessageRefusal).fault): void {
    const envelope = isRefusal(m) ? undefined : m.envelope
    const id = `${this.lease.lane}-${m.log.seq}-${m.index}${actor && `-${actor}`}`
    const letter: DeadLetter = {
      id,
      seq: m.log.seq,
      orgId: m.orgId,
      subject: keptText(cameOn(m), 4096),
      type: envelope?.type ?? (m as MessageRefusal).type,
      messageId: envelope?.id ?? (m as MessageRefusal).messageId,
      actor,
      code: fault.code,
      reason: reason(fault),
      attempts,
      headers: Object.fromEntries(
        Object.entries(m.log.headers).map(([name, value]) => [keptText(name, 256), keptText(value, 4096)]),
      ),
      body: isRefusal(m) ? m.body : Buffer.from(JSON.stringify(m.envelope)),
    }
    this.dead.push(letter)
    this.counts.refused++
    const { headers: _, seq: _seq, body, ...rest } = letter
    const name = this.letterName(id)
    const shown = { ...rest, id: name, body: Buffer.from(body).toString('base64').slice(0, 1_000_000) }
    this.outbox.set(`dead-${name}`, {
      id: `dead-${name}`,
      subject: deadSubject(m.log.subject),
      headers: {},
      body: JSON.stringify(shown),
    })
  }

  row(shape: RowShape, what: 'upserts' | 'deletes', value: object): void {
    ;(this.table(shape)[what] as object[]).push(value)
  }

  /** An existing row in which these columns have changed. */
  update(shape: RowShape, row: object, columns: readonly string[]): void {
    const { updates } = this.table(shape)
    const key = columns.join()
    const same = updates.get(key)
    if (same) same.rows.push(row)
    else updates.set(key, { columns, rows: [row] })
  }

  /** Counts messages that were taken without a turn. */
  echoes(count: number): void {
    this.counts.echoes += count
  }

  /** An existing row of which only the key and these columns are known. */
  touch(shape: RowShape, row: object, columns: RowShape['columns']): void {
    const { touches } = this.table(shape)
    const same = touches.get(columns)
    if (same) same.rows.push(row)
    else touches.set(columns, { columns: columns.map(({ column }) => column), rows: [row] })
  }

  private table(shape: RowShape): TableRows {
    const entry = this.rows.get(shape.table) ?? {
      shape,
      upserts: [],
      updates: new Map(),
      touches: new Map(),
      deletes: [],
    }
    this.rows.set(shape.table, entry)
    return entry
  }

  take(kind: string, address: Address, letters: readonly Letter[], outcome: TurnOutcome): void {
    const { orgId } = address
    this.counts.turns++
    this.takeFacts(outcome, orgId)
    for (const row of outcome.outbox) this.outbox.set(row.id, { ...row, headers: {} })
    for (const mark of outcome.marks) this.marks.set(`${mark.projection}\0${orgId}\0${mark.key}`, { ...mark, orgId })
    for (const effect of outcome.effects) this.effects.set(effect.key, { ...effect, orgId })
    this.signals.push(...outcome.signals.map((told) => ({ orgId, told })))
    for (const { message } of outcome.refused) if (message.reminded) this.forgotten.set(...this.named(message))
    for (const [name, set] of outcome.reminders) this.remind({ kind, ...address, name }, set)
    for (const { message } of letters) {
      if (outcome.replies.has(message)) this.keep(message, ok(outcome.replies.get(message)))
    }
    for (const { message, fault, attempts } of outcome.refused) {
      if (message.log.headers[header.reply] === undefined) this.bury(message, attempts, kind, fault)
      this.keep(message, toFaultReply(fault))
    }
  }

  private takeFacts({ facts, wrote }: TurnOutcome, orgId: string): void {
    for (const { table, row } of facts) this.fact(table, row, orgId)
    for (const table of wrote) this.note(table, orgId)
  }

  private fact(table: Table, row: FactRow, orgId: string): void {
    const list = this.facts.get(table)
    if (list) list.push(row)
    else this.facts.set(table, [row])
    this.note(table, orgId)
  }

  private note(table: Table, orgId: string): void {
    const orgs = this.written.get(table)
    if (orgs) orgs.add(orgId)
    else this.written.set(table, new Set([orgId]))
  }

  /** A dead-lettered reminder must not be delivered again. */
  forget(m: Message | MessageRefusal): void {
    this.forgotten.set(...this.named(m))
  }

  private named(message: Message | MessageRefusal): [string, ReminderKey] {
    const key = reminderKey(message)
    return [Object.values(key).join('\0'), key]
  }

  private remind(key: ReminderKey, set: { due: number; subject: string; data: unknown } | undefined): void {
    const id = [key.kind, key.orgId, key.place, key.key, key.name].join('\0')
    if (set) {
      this.reminders.set(id, { ...key, ...set })
      this.forgotten.delete(id)
    } else {
      this.forgotten.set(id, key)
      this.reminders.delete(id)
    }
  }

  /** Of several replies to one message the first counts, but a refusal takes precedence over all. */
  private keep(message: Message, answer: CommandReply): void {
    if (!answer.ok || !this.outcomes.has(message)) this.outcomes.set(message, answer)
  }

  answer(messages: readonly Message[]): void {
    for (const m of messages) this.answerAs(m, this.outcomes.get(m) ?? null)
    for (const { first, again } of this.repeats) this.answerAs(again, this.outcomes.get(first) ?? null)
  }

  answerAs(m: Message, answer: CommandReply | null): void {
    const inbox = m.log.headers[header.reply]
    if (inbox) this.answers.push({ inbox, body: JSON.stringify(answer ?? ok(null)) })
  }

  /** With `within`, other parts of the same message follow: the cursor stays before it. */
  done(within?: Apart): Batch {
    const { lease, head, clock } = this
    const to = within ? head.cursor : this.to
    const inbox = [...this.once].map(([m, id]) => ({ id, reply: this.outcomes.get(m) ?? ok(null) }))
    const commit: Commit = {
      lease,
      from: head.cursor,
      to,
      begun: head.apart,
      apart: within ?? noneApart,
      clock,
      rows: [...this.rows.values()].map(changesOf),
      outbox: [...this.outbox.values()],
      reminders: [...this.reminders.values()],
      forgotten: [...this.forgotten.values()],
      marks: [...this.marks.values()],
      effects: [...this.effects.values()],
      inbox,
      written: [...this.written].flatMap(([{ name }, orgs]) => [...orgs].map((orgId) => ({ orgId, table: name }))),
      dead: this.dead,
      parked: this.parked,
      // The cursor of a message is in `apart` until its last part is done.
      unparked: [...this.unparked].filter((seq) => seq !== within?.seq),
    }
    const { facts, answers, states, signals, counts } = this
    return { commit, facts, answers, states, signals, counts }
  }
}

interface TableRows {
  shape: RowShape
  upserts: object[]
  /** By changed columns; rows are whole. */
  updates: Map<string, { columns: readonly string[]; rows: object[] }>
  /** In the order of writing. */
  touches: Map<RowShape['columns'], { columns: readonly string[]; rows: object[] }>
  deletes: Address[]
}

/** Maximum sets of columns of a table that are written separately, the most frequent ones: each is one statement. */
const statementsMax = 4
/** Sets shared by fewer rows, or covering more columns than half of the table, are written with the whole rows. */
const alikeMin = 2
const shareMax = 0.5

function changesOf({ shape, upserts, updates, touches, deletes }: TableRows): RowChanges {
  const alone = [...updates.values()]
    .filter(({ columns, rows }) => rows.length >= alikeMin && columns.length <= shareMax * shape.columns.length)
    .toSorted((a, b) => b.rows.length - a.rows.length)
    .slice(0, statementsMax)
  const whole = [...updates.values()].filter((one) => !alone.includes(one)).flatMap(({ rows }) => rows)
  const { orgId, place, key } = shape.address
  const keys = [orgId, ...(place === undefined ? [] : [place]), key]
  const parts = alone.map(({ columns, rows }) => ({
    columns,
    rows: rows.map((row) => pickColumns(row, [...keys, ...columns])),
  }))
  return { shape, upserts: [...upserts, ...whole], updates: [...parts, ...touches.values()], deletes }
}

const pickColumns = (row: object, columns: readonly string[]): object =>
  Object.fromEntries(columns.map((column) => [column, (row as Record<string, unknown>)[column]]))

const ok = (value: unknown): CommandReply => ({ ok: true, value: value ?? null })
const toFaultReply = ({ kind, code, message, detail }: Fault): CommandReply => ({
  ok: false,
  fault: { kind, code, message, detail },
})

function reason(fault: Fault): string {
  const problems = (fault.detail.problems ?? []).slice(0, 3).map((p) => `${p.path} ${p.message}`)
  const cause = fault.cause instanceof Error ? ` (${fault.cause.name}: ${fault.cause.message})` : ''
  return keptText([fault.message + cause, ...problems].join('; '), 2000)
}

/** The subject for sending it again. If it was packed for many places, its own subject, if that could be read. */
function cameOn({ log, place }: Message | MessageRefusal): string {
  const [kind, org, token] = log.subject.split('.')
  if (token !== manyPlaces) return `ingest.${log.subject}`
  return `ingest.${kind}.${org}.${place === manyPlaces ? orgWide : subjectToken(place)}`
}

/** The subject that announces a dead letter which arrived on `<kind>.<org>.<place>`: separate for each organization. */
function deadSubject(came: string): string {
  const [kind = '', org = ''] = came.split('.')
  return `dead.${/^[\w-]{1,64}$/.test(kind) ? kind : 'unknown'}.${org || orgWide}`
}
