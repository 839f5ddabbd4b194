/** Turns in memory: an actor's mailbox as the engine runs it, without a lane, a log or a store. */
import type { Actor } from '#engine/actor/actor.ts'
import { runMailbox } from '#engine/lane/message/mailbox.ts'
import type { Message } from '#engine/lane/message/message.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { Address } from '#engine/actor/address.ts'
import { noticeRaised } from '#streams/notification/messages.ts'

export interface Delivery {
  /** The lane's time, milliseconds since 1970; a second after the one before unless given. */
  at?: number
  /** When the producer says it happened; the lane's time unless given. */
  time?: number
  needs?: unknown
  /** Name of the reminder that this message is. */
  reminder?: string
}

/** What one message came to. */
export interface Done {
  /** Without what people are to be told of. */
  emitted: { type: string; data: any }[]
  /** Events that people are to be told of; each is published too. */
  raised: any[]
  /** The notices that raise them, each with what else has its cause. */
  notices: any[]
  /** The time that each of them says it happened at. */
  times: string[]
  facts: { table: string; row: any }[]
  calls: { name: string; key: string; input: any }[]
  /** Keys of projections that have to be worked out anew. */
  marks: { projection: string; key: string }[]
  replies: unknown[]
  /** Whether it took the actor's row away. */
  removed: boolean
  /** Code of the fault that refused it. */
  refused: string | undefined
}

/** One actor and its reminders, message by message. */
export class MemoryActor<E extends object> {
  readonly address: Address
  /** Due times, milliseconds since 1970, of the reminders that stand. */
  readonly reminders = new Map<string, number>()
  state: E
  now = Date.parse('2026-01-15T10:00:00Z')
  private readonly actor: Actor<E>
  private seq = 0

  constructor(actor: Actor<E>, address: Partial<Address> = {}) {
    this.actor = actor
    this.address = { orgId: 'o1', place: 'acct-1', key: 'k1', ...address }
    this.state = this.first()
  }

  /** The state of one that has no row, as when it was removed. */
  private first(): E {
    const { orgId, place, key } = this.actor.address
    return {
      ...this.actor.initial(this.address),
      [orgId]: this.address.orgId,
      ...(place && { [place]: this.address.place }),
      [key]: this.address.key,
    } as E
  }

  take<S extends TSchema>(subject: Subject<S>, data: Static<S>, delivery: Delivery = {}): Done {
    const { at = this.now + 1000, time = at, needs, reminder } = delivery
    this.now = at
    const message = this.message(subject as unknown as Subject, data, at, time, reminder)
    const reaction = this.actor.reactions.get(subject.name)
    if (!reaction) throw new Error(`${this.actor.kind} does not react to ${subject.name}`)
    const outcome = runMailbox(
      this.actor as unknown as Actor,
      this.address,
      this.state as Record<string, unknown>,
      [{ message, reaction: reaction as never }],
      { epoch: 1, now: (m) => m.log.at, needs },
    )
    this.state = outcome.removed ? this.first() : (outcome.state as E)
    for (const [name, set] of outcome.reminders) {
      if (set) this.reminders.set(name, set.due)
      else this.reminders.delete(name)
    }
    const sent = outcome.outbox.map(
      ({ body }) => JSON.parse(body) as { type: string; data: { event?: unknown }; time: string },
    )
    const envelopes = sent.filter(({ type }) => type !== noticeRaised.name)
    const notices = sent.filter(({ type }) => type === noticeRaised.name).map(({ data }) => data)
    return {
      raised: notices.map(({ event }) => event),
      notices,
      emitted: envelopes.map(typeAndData),
      times: envelopes.map(({ time }) => time),
      facts: outcome.facts.map(({ table, row }) => ({
        table: table.name,
        row: JSON.parse(JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? String(v) : (v as unknown)))) as unknown,
      })),
      calls: outcome.effects,
      marks: outcome.marks,
      replies: [...outcome.replies.values()],
      removed: outcome.removed,
      refused: outcome.refused[0]?.fault.code,
    }
  }

  private message(subject: Subject, data: unknown, at: number, time: number, reminder: string | undefined): Message {
    const { orgId, place, key } = this.address
    const seq = ++this.seq
    return {
      log: { seq, subject: `${subject.kind}.${orgId}.${place}`, headers: {}, body: new Uint8Array(), at },
      index: 0,
      envelope: {
        id: `m${seq}`,
        type: subject.name,
        schemaVersion: 1,
        orgId,
        time: new Date(time).toISOString(),
        data,
      },
      time,
      subject,
      receivers: [],
      orgId,
      place,
      ...(reminder !== undefined && { reminded: { kind: this.actor.kind, key, name: reminder, due: at } }),
    }
  }
}

const typeAndData = ({ type, data }: { type: string; data: unknown }) => ({ type, data })
