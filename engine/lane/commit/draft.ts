/** A commit as it grows: what the turns of a batch come to, each key once, the newest standing. */
import { Fault } from '#engine/value/fault.ts'
import type { Letter, Outcome } from '#engine/lane/message/mailbox.ts'
import { isRefusal, keptText, type Message, type Refusal } from '#engine/lane/message/message.ts'
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
import type { Told } from '#engine/actor/turn.ts'

export interface Batch {
  commit: Commit
  facts: Map<Table, FactRow[]>
  answers: { inbox: string; body: string }[]
  states: Map<string, Record<string, unknown> | undefined>
  signals: SignalRow[]
  counts: { messages: number; turns: number; echoes: number; refused: number }
}

/** A signal, and the organization it is for. */
export interface SignalRow {
  orgId: string
  told: Told
}

/** Of the ids of rows that send a message on by itself. */
export const forwardPrefix = 'forward-'

/** Bytes of an envelope that every server takes as a message of its own. */
const forwardBytesMax = 1_000_000

/** What an asker gets: the value, or the fault that refused the command. */
export type Answer = { ok: true; value: unknown } | { ok: false; fault: object }

/** The id under which a message's effect is remembered: another organization may use the same message id. */
export const inboxId = (m: Message): string => `${m.orgId}/${m.envelope.id}`

export const reminderKey = (m: Message | Refusal): ReminderKey => {
  const { kind, key, name } = m.reminded!
  return { kind, orgId: m.orgId, place: m.place, key, name }
}

/** Where a lane stands between two batches. */
export interface Head {
  cursor: number
  /** Milliseconds since 1970. */
  clock: number
  apart: Apart
}

export class Draft {
  readonly states = new Map<string, Record<string, unknown> | undefined>()
  readonly once = new Map<Message, string>()
  /** Messages of this batch under an id that another one of it bears: they get its answer. */
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
  private readonly outcomes = new Map<Message, Answer>()
  private readonly counts = { messages: 0, turns: 0, echoes: 0, refused: 0 }

  constructor(lease: Lease, head: Head, letterName = (id: string) => id) {
    this.lease = lease
    this.letterName = letterName
    this.head = head
    this.clock = head.clock
    this.to = head.cursor
  }

  /** The lane's clock never runs backwards; what the test hooks add comes on top, and may be taken off again. */
  see({ seq, at, shift = 0 }: LogMessage): void {
    this.to = Math.max(this.to, seq)
    this.clock = Math.max(this.clock, at - shift)
    this.times.set(seq, this.clock + shift)
    this.counts.messages++
  }

  time(m: Message): number {
    return this.times.get(m.log.seq) ?? this.clock
  }

  /** True once the asker no longer waits; the command is then not carried out. */
  expired(m: Message): boolean {
    const deadline = m.log.headers[header.deadline]
    if (deadline === undefined || this.time(m) <= Date.parse(deadline)) return false
    this.outcomes.set(m, failed(Fault.transient('unavailable', 'The command arrived after its deadline.')))
    return true
  }

  /** Sends it on to its own lane; what might not fit into a message any more is set aside. */
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

  bury(m: Message | Refusal, attempts: number, actor = '', fault = (m as Refusal).fault): void {
    const envelope = isRefusal(m) ? undefined : m.envelope
    const id = `${this.lease.lane}-${m.log.seq}-${m.index}${actor && `-${actor}`}`
    const letter: DeadLetter = {
      id,
      seq: m.log.seq,
      orgId: m.orgId,
      subject: keptText(cameOn(m), 4096),
      type: envelope?.type ?? (m as Refusal).type,
      messageId: envelope?.id ?? (m as Refusal).messageId,
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

  /** A row that is there, of which these columns have changed. */
  update(shape: RowShape, row: object, columns: readonly string[]): void {
    const { updates } = this.table(shape)
    const key = columns.join()
    const same = updates.get(key)
    if (same) same.rows.push(row)
    else updates.set(key, { columns, rows: [row] })
  }

  /** Messages that were taken without a turn. */
  echoes(count: number): void {
    this.counts.echoes += count
  }

  /** A row that is there, of which its key and these columns alone are known. */
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

  take(kind: string, address: Address, letters: readonly Letter[], outcome: Outcome): void {
    const { orgId } = address
    this.counts.turns++
    for (const { table, row } of outcome.facts) this.fact(table, row, orgId)
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
      this.keep(message, failed(fault))
    }
  }

  private fact(table: Table, row: FactRow, orgId: string): void {
    const list = this.facts.get(table)
    if (list) {
      list.push(row)
      this.written.get(table)!.add(orgId)
    } else {
      this.facts.set(table, [row])
      this.written.set(table, new Set([orgId]))
    }
  }

  /** A reminder that is set aside must not come again. */
  forget(m: Message | Refusal): void {
    this.forgotten.set(...this.named(m))
  }

  private named(message: Message | Refusal): [string, ReminderKey] {
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

  /** Of several answers to one message the first stands, but a refusal beats them all. */
  private keep(message: Message, answer: Answer): void {
    if (!answer.ok || !this.outcomes.has(message)) this.outcomes.set(message, answer)
  }

  answer(messages: readonly Message[]): void {
    for (const m of messages) this.answerAs(m, this.outcomes.get(m) ?? null)
    for (const { first, again } of this.repeats) this.answerAs(again, this.outcomes.get(first) ?? null)
  }

  answerAs(m: Message, answer: Answer | null): void {
    const inbox = m.log.headers[header.reply]
    if (inbox) this.answers.push({ inbox, body: JSON.stringify(answer ?? ok(null)) })
  }

  /** With `within`, of a message that others of it are still to follow: the cursor stays before it. */
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
    }
    const { facts, answers, states, signals, counts } = this
    return { commit, facts, answers, states, signals, counts }
  }
}

interface TableRows {
  shape: RowShape
  upserts: object[]
  /** By the columns that changed; rows are whole. */
  updates: Map<string, { columns: readonly string[]; rows: object[] }>
  /** As they are written. */
  touches: Map<RowShape['columns'], { columns: readonly string[]; rows: object[] }>
  deletes: Address[]
}

/** Sets of columns of a table that are written by themselves, the most frequent ones: each is a statement of its own. */
const statementsMax = 4
/** What fewer rows have in common, or is more of a table's columns than that, is written whole, with all other rows. */
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
    rows: rows.map((row) => picked(row, [...keys, ...columns])),
  }))
  return { shape, upserts: [...upserts, ...whole], updates: [...parts, ...touches.values()], deletes }
}

const picked = (row: object, columns: readonly string[]): object =>
  Object.fromEntries(columns.map((column) => [column, (row as Record<string, unknown>)[column]]))

const ok = (value: unknown): Answer => ({ ok: true, value: value ?? null })
const failed = ({ kind, code, message, detail }: Fault): Answer => ({
  ok: false,
  fault: { kind, code, message, detail },
})

function reason(fault: Fault): string {
  const problems = (fault.detail.problems ?? []).slice(0, 3).map((p) => `${p.path} ${p.message}`)
  const cause = fault.cause instanceof Error ? ` (${fault.cause.name}: ${fault.cause.message})` : ''
  return keptText([fault.message + cause, ...problems].join('; '), 2000)
}

/** The subject to send it on again. One of many places is of its own, where that could be read. */
function cameOn({ log, place }: Message | Refusal): string {
  const [kind, org, token] = log.subject.split('.')
  if (token !== manyPlaces) return `ingest.${log.subject}`
  return `ingest.${kind}.${org}.${place === manyPlaces ? orgWide : subjectToken(place)}`
}

/** Where a message that came on `<kind>.<org>.<place>` is told of when it was set aside: an organization's apart from others'. */
function deadSubject(came: string): string {
  const [kind = '', org = ''] = came.split('.')
  return `dead.${/^[\w-]{1,64}$/.test(kind) ? kind : 'unknown'}.${org || orgWide}`
}
