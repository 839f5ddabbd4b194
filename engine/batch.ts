/**
 * From the messages of a batch to everything it changes: addresses them, activates their actors, runs their turns and
 * adds up what is to be committed. Nothing outside is changed here.
 */
import type { Actor } from '#engine/actor.ts'
import { actorId, type Activations } from '#engine/activation.ts'
import { Fault } from '#engine/fault.ts'
import { runMailbox, type Letter, type Outcome } from '#engine/mailbox.ts'
import { addressee, header, isRefusal, type Message, type Refusal } from '#engine/message.ts'
import type { Commit, DeadLetter, Lease, Reads, ReminderKey, StateStore } from '#engine/ports.ts'
import type { Registry } from '#engine/registry.ts'
import { same, toRow } from '#engine/row.ts'
import { ingestSubject } from '#engine/subject.ts'
import type { Table } from '#engine/table.ts'
import type { Address } from '#engine/turn.ts'

export interface BatchTools {
  registry: Registry
  store: StateStore
  reads: Reads
  activations: Activations
  lease: Lease
  /** Resolves when turns may run; absent for a lane that has the process's turns to itself. */
  pass?: () => Promise<void>
}

export interface Batch {
  commit: Commit
  facts: Map<Table, string[]>
  answers: { inbox: string; body: string }[]
  states: Map<string, Record<string, unknown> | undefined>
  counts: { messages: number; turns: number; refused: number }
}

interface Mailbox {
  actor: Actor
  address: Address
  letters: Letter[]
}

/** What an asker gets: the value, or the fault that refused the command. */
type Answer = { ok: true; value: unknown } | { ok: false; fault: object }

export async function makeBatch(tools: BatchTools, messages: readonly (Message | Refusal)[]): Promise<Batch> {
  const { lease, store } = tools
  const draft = new Draft(lease)
  for (const m of messages) {
    draft.see(m.log.seq, m.log.at)
    if (isRefusal(m)) draft.bury(m, 0)
    else if (m.forward) draft.forward(m)
  }
  const addressed = messages.filter((m): m is Message => !isRefusal(m) && !m.forward)
  const fresh = await unseen(store, lease.lane, addressed, draft)
  const boxes = mailboxes(await standing(store, fresh), draft)
  const needs = await activate(tools, boxes, draft.clock)
  await tools.pass?.()
  for (const box of boxes.values()) run(tools, box, needs.get(box.actor.kind), draft)
  draft.answer(fresh)
  return draft.done()
}

/** The id under which a message's effect is remembered: another organization may use the same message id. */
const inboxId = (m: Message): string => `${m.orgId}/${m.envelope.id}`

/** Leaves out messages that took effect before; an asker among them is given the answer of then. */
async function unseen(store: StateStore, lane: number, messages: Message[], draft: Draft): Promise<Message[]> {
  const once = messages.filter((m) => m.subject.once && !m.reminded)
  if (once.length === 0) return messages
  const seen = await store.seen(lane, [...new Set(once.map(inboxId))])
  const here = new Set<string>()
  return messages.filter((m) => {
    if (!m.subject.once || m.reminded) return true
    const id = inboxId(m)
    if (seen.has(id)) {
      draft.answerAs(m, seen.get(id) as Answer)
      return false
    }
    if (here.has(id)) return false
    here.add(id)
    draft.once.set(m, id)
    return true
  })
}

/** Leaves out reminders that were replaced, forgotten or delivered since they were published. */
async function standing(store: StateStore, messages: Message[]): Promise<Message[]> {
  const reminders = messages.filter((m) => m.reminded)
  if (reminders.length === 0) return messages
  const due = await store.standing(reminders.map(reminderKey))
  const gone = new Set(reminders.filter((m, i) => due[i] !== m.reminded!.due))
  return messages.filter((m) => !gone.has(m))
}

const reminderKey = (m: Message): ReminderKey => {
  const { kind, key, name } = m.reminded!
  return { kind, orgId: m.orgId, place: m.place, key, name }
}

function mailboxes(messages: readonly Message[], draft: Draft): Map<string, Mailbox> {
  const boxes = new Map<string, Mailbox>()
  for (const message of messages) {
    if (draft.expired(message)) continue
    for (const receiver of message.receivers) {
      const address = addressee(message, receiver)
      if (!address) continue
      const id = actorId(receiver.actor.kind, address)
      const box = boxes.get(id) ?? { actor: receiver.actor, address, letters: [] }
      box.letters.push({ message, reaction: receiver.reaction })
      boxes.set(id, box)
    }
  }
  return boxes
}

/** Brings the actors into memory and fetches what their kinds need; one query a kind each. */
async function activate(tools: BatchTools, boxes: Map<string, Mailbox>, now: number): Promise<Map<string, unknown>> {
  const byKind = Map.groupBy(boxes.values(), (box) => box.actor.kind)
  const needs = new Map<string, unknown>()
  await Promise.all(
    [...byKind].map(async ([kind, list]) => {
      const addresses = list.map((box) => box.address)
      await tools.activations.activate(kind, tools.registry.shapes.get(kind)!, addresses, now)
      const { actor } = list[0]!
      if (!actor.needs) return
      const waiting = list.flatMap(({ address, letters }) =>
        letters.map(({ message }) => ({ subject: message.subject, address, data: message.envelope.data })),
      )
      needs.set(kind, await actor.needs(waiting, tools.reads))
    }),
  )
  return needs
}

function run(tools: BatchTools, box: Mailbox, needs: unknown, draft: Draft): void {
  const { actor, address, letters } = box
  const shape = tools.registry.shapes.get(actor.kind)!
  const id = actorId(actor.kind, address)
  const before = tools.activations.state(id)
  const state = before ?? first(actor, address)
  const context = { epoch: tools.lease.epoch, now: (m: Message) => draft.time(m), needs }
  const outcome = runMailbox(actor, address, state, letters, context)
  draft.take(actor.kind, address, letters, outcome)
  if (outcome.removed) {
    if (before) draft.row(shape, 'deletes', address)
    draft.states.set(id, undefined)
  } else if (!same(state, outcome.state)) {
    draft.row(shape, 'upserts', toRow(shape, outcome.state))
    draft.states.set(id, outcome.state)
  }
}

function first(actor: Actor, address: Address): Record<string, unknown> {
  const { orgId, place, key } = actor.address as { orgId: string; place?: string; key: string }
  return { ...actor.initial(address), [orgId]: address.orgId, ...(place && { [place]: address.place }), [key]: address.key }
}

/** A commit as it grows. */
class Draft {
  readonly states = new Map<string, Record<string, unknown> | undefined>()
  readonly once = new Map<Message, string>()
  clock: number
  private to: number
  private readonly lease: Lease
  private readonly times = new Map<number, number>()
  private readonly rows = new Map<string, { shape: Commit['rows'][number]['shape']; upserts: object[]; deletes: Address[] }>()
  private readonly outbox = new Map<string, Commit['outbox'][number]>()
  private readonly reminders = new Map<string, Commit['reminders'][number]>()
  private readonly forgotten = new Map<string, ReminderKey>()
  private readonly marks = new Map<string, Commit['marks'][number]>()
  private readonly effects = new Map<string, Commit['effects'][number]>()
  private readonly facts = new Map<Table, string[]>()
  private readonly answers: Batch['answers'] = []
  private readonly dead: DeadLetter[] = []
  private readonly outcomes = new Map<Message, Answer>()
  private readonly counts = { messages: 0, turns: 0, refused: 0 }

  constructor(lease: Lease) {
    this.lease = lease
    this.clock = lease.clock
    this.to = lease.cursor
  }

  see(seq: number, at: number): void {
    this.to = Math.max(this.to, seq)
    this.clock = Math.max(this.clock, at)
    this.times.set(seq, this.clock)
    this.counts.messages++
  }

  time(m: Message): number {
    return this.times.get(m.log.seq) ?? this.clock
  }

  /** True once the asker no longer waits; the command is then not carried out. */
  expired(m: Message): boolean {
    const deadline = m.log.headers[header.deadline]
    if (deadline === undefined || this.time(m) <= Date.parse(deadline)) return false
    this.outcomes.set(m, failed(Fault.transient('unavailable', 'The command came too late.')))
    return true
  }

  forward(m: Message): void {
    const id = `forward-${m.log.seq}-${m.index}-${this.lease.lane}`
    const subject = ingestSubject(m.subject.kind, m.orgId, m.place)
    this.outbox.set(id, { id, subject, headers: {}, body: JSON.stringify(m.envelope) })
  }

  bury(m: Message | Refusal, attempts: number, actor = '', fault = (m as Refusal).fault): void {
    const envelope = isRefusal(m) ? undefined : m.envelope
    const id = `${this.lease.lane}-${m.log.seq}-${m.index}${actor && `-${actor}`}`
    const letter: DeadLetter = {
      id,
      seq: m.log.seq,
      orgId: m.orgId,
      subject: `ingest.${m.log.subject}`,
      type: envelope?.type ?? (m as Refusal).type,
      messageId: envelope?.id ?? (m as Refusal).messageId,
      actor,
      code: fault.code,
      reason: reason(fault),
      attempts,
      headers: m.log.headers,
      body: isRefusal(m) ? m.body : Buffer.from(JSON.stringify(m.envelope)),
    }
    this.dead.push(letter)
    this.counts.refused++
    const { headers: _, body, ...rest } = letter
    const shown = { ...rest, body: Buffer.from(body).toString('base64').slice(0, 1_000_000) }
    const subject = `dead.${m.log.subject.split('.')[0] || 'unknown'}`
    this.outbox.set(`dead-${id}`, { id: `dead-${id}`, subject, headers: {}, body: JSON.stringify(shown) })
  }

  row(shape: Commit['rows'][number]['shape'], what: 'upserts' | 'deletes', value: object): void {
    const entry = this.rows.get(shape.table) ?? { shape, upserts: [], deletes: [] }
    ;(entry[what] as object[]).push(value)
    this.rows.set(shape.table, entry)
  }

  take(kind: string, address: Address, letters: readonly Letter[], outcome: Outcome): void {
    const { orgId } = address
    this.counts.turns++
    for (const { table, row } of outcome.facts) {
      const list = this.facts.get(table)
      if (list) list.push(row)
      else this.facts.set(table, [row])
    }
    for (const row of outcome.outbox) this.outbox.set(row.id, { ...row, headers: {} })
    for (const mark of outcome.marks) this.marks.set(`${mark.projection}\0${orgId}\0${mark.key}`, { ...mark, orgId })
    for (const effect of outcome.effects) this.effects.set(effect.key, { ...effect, orgId })
    for (const { message } of outcome.refused) if (message.reminded) this.forgotten.set(...this.named(message))
    for (const [name, set] of outcome.reminders) this.remind({ kind, ...address, name }, set)
    for (const { message } of letters) if (outcome.replies.has(message)) this.keep(message, ok(outcome.replies.get(message)))
    for (const { message, fault, attempts } of outcome.refused) {
      if (message.log.headers[header.reply] === undefined) this.bury(message, attempts, kind, fault)
      this.keep(message, failed(fault))
    }
  }

  private named(message: Message): [string, ReminderKey] {
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
    for (const m of messages) if (m.log.headers[header.reply]) this.answerAs(m, this.outcomes.get(m) ?? ok(null))
  }

  answerAs(m: Message, answer: Answer | null): void {
    const inbox = m.log.headers[header.reply]
    if (inbox) this.answers.push({ inbox, body: JSON.stringify(answer ?? ok(null)) })
  }

  done(): Batch {
    const { lease, to, clock } = this
    const inbox = [...this.once].map(([m, id]) => ({ id, reply: this.outcomes.get(m) ?? ok(null) }))
    const commit: Commit = {
      lease,
      from: lease.cursor,
      to,
      clock,
      rows: [...this.rows.values()],
      outbox: [...this.outbox.values()],
      reminders: [...this.reminders.values()],
      forgotten: [...this.forgotten.values()],
      marks: [...this.marks.values()],
      effects: [...this.effects.values()],
      inbox,
      dead: this.dead,
    }
    return { commit, facts: this.facts, answers: this.answers, states: this.states, counts: this.counts }
  }
}

const ok = (value: unknown): Answer => ({ ok: true, value: value ?? null })
const failed = ({ kind, code, message, detail }: Fault): Answer => ({ ok: false, fault: { kind, code, message, detail } })

function reason(fault: Fault): string {
  const problems = (fault.detail.problems ?? []).slice(0, 3).map((p) => `${p.path} ${p.message}`)
  const cause = fault.cause instanceof Error ? ` (${fault.cause.name}: ${fault.cause.message})` : ''
  return [fault.message + cause, ...problems].join('; ').slice(0, 2000)
}
