/** PostgreSQL as far as workflows need it: rows of actors, lanes with their fences, what is to be sent, called and remembered. */
import type { TurnOutcome } from '#engine/lane/message/mailbox.ts'
import type { Message } from '#engine/lane/message/message.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import type { Address } from '#engine/actor/address.ts'

export type Row = Record<string, unknown>

/** What an asker gets. */
export type Answer = { ok: true; value: unknown } | { ok: false; code: string }

export interface Entry {
  message: Message
  /** Told behind the commit; of what no person asks it is left out. */
  answered?: (answer: Answer) => void
}

export interface Sent {
  id: string
  type: string
  body: string
}

export interface Lane {
  place: string
  log: Entry[]
  epoch: number
  cursor: number
  /** Answers by the ids of messages that count once. */
  readonly inbox: Map<string, Answer>
  outbox: Sent[]
}

export interface Reminder {
  lane: Lane
  kind: string
  key: string
  name: string
  due: number
  subject: string
  data: object
}

export interface Called {
  key: string
  name: string
  input: object
  /** Tries begun. */
  attempts: number
  isClaimed: boolean
}

/** What the turns of one actor in a batch came to. */
export interface Taken {
  kind: string
  address: Address
  before: Row | undefined
  outcome: TurnOutcome
}

/** All that one batch changes. */
export interface Commit {
  epoch: number
  from: number
  to: number
  taken: readonly Taken[]
  inbox: ReadonlyMap<string, Answer>
  /** Reminders that came to nothing. */
  unheard: readonly string[]
}

export const rowKey = (place: string, key: string): string => `${place}\0${key}`
export const reminderId = (place: string, kind: string, key: string, name: string): string =>
  [place, kind, key, name].join('\0')

const typeIn = /"type":"([^"]+)"/

export class State {
  /** By kind, then by place and key. What is here is never changed in place. */
  readonly rows = new Map<string, Map<string, Row>>()
  readonly reminders = new Map<string, Reminder>()
  readonly calls = new Map<string, Called>()
  /** Lines of workflows, those of batches that were not committed among them. */
  readonly facts: FactRow[] = []
  private readonly types: ReadonlySet<string>

  /** Only messages of these types go anywhere. */
  constructor(types: ReadonlySet<string>) {
    this.types = types
  }

  of<T = Row>(kind: string): Map<string, T> {
    let found = this.rows.get(kind)
    if (!found) this.rows.set(kind, (found = new Map()))
    return found as Map<string, T>
  }

  /** All of it or, when another owner has moved the lane or taken it, nothing. The calls that are new. */
  commit(lane: Lane, { epoch, from, to, taken, inbox, unheard }: Commit): Called[] | undefined {
    if (lane.epoch !== epoch || lane.cursor !== from) return undefined
    lane.cursor = to
    for (const [id, answer] of inbox) lane.inbox.set(id, answer)
    for (const id of unheard) this.reminders.delete(id)
    return taken.flatMap((one) => this.take(lane, one))
  }

  private take(lane: Lane, { kind, address: { place, key }, outcome }: Taken): Called[] {
    if (outcome.removed) this.of(kind).delete(rowKey(place, key))
    else this.of(kind).set(rowKey(place, key), outcome.state)
    for (const [name, set] of outcome.reminders) {
      const id = reminderId(place, kind, key, name)
      if (set) this.reminders.set(id, { lane, kind, key, name, ...set, data: set.data as object })
      else this.reminders.delete(id)
    }
    for (const { id, subject, body } of outcome.outbox) {
      if (!subject.startsWith('ingest.')) continue
      const type = typeIn.exec(body)![1]!
      if (this.types.has(type)) lane.outbox.push({ id, type, body })
    }
    const fresh = outcome.effects.filter((effect) => !this.calls.has(effect.key))
    const calls = fresh.map(({ key: of, name, input }) => ({
      key: of,
      name,
      input: input as object,
      attempts: 0,
      isClaimed: false,
    }))
    for (const call of calls) this.calls.set(call.key, call)
    return calls
  }
}
