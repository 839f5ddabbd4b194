import type { Address } from './address.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import type { Subject } from './subject.ts'
import type { Table } from './table.ts'

/** An external call, made after the commit, at least once, with a key by which the receiver can drop repeats. */
export interface Effect<S extends TSchema = TSchema> {
  name: string
  schema: S
  /** The party that a call goes to, for paced works: one that hangs does not block calls to others. Not empty. */
  queue?: (input: Static<S>) => string
}

/** A stream subject outside the lanes, for orders that external programs execute. */
export interface Outlet<S extends TSchema = TSchema> {
  /** The envelope's `type`. */
  name: string
  /** First tokens of the NATS subject, `<prefix>.<org>.<key>`. */
  prefix: string
  /** The meaning of the last token. */
  key: (data: Static<S>) => string
  schema: S
  summary: string
  examples: readonly Static<S>[]
}

export const outlet = <S extends TSchema>(declaration: Outlet<S>): Outlet<S> => declaration

/** A notification to current listeners only; it is not stored. */
export interface Signal<S extends TSchema = TSchema> {
  name: string
  schema: S
}

/** The ids that decide who may receive a signal. Without ids it is only for people who see the whole organization. */
export type SignalAudience = Readonly<Record<string, string>>

/** A signal as it is sent. Without `about` it is for the whole organization. */
export interface SentSignal {
  event: string
  data: unknown
  about?: SignalAudience
}

/** A derived table that is recomputed from committed rows when a turn marks one of its keys. */
export interface Projection {
  name: string
}

/**
 * The effects of one actor's turn. Nothing happens until the lane commits: first appended rows, then the actor's row,
 * outbox, reminders, marks and the cursor in one PostgreSQL transaction. A message that throws leaves no trace.
 */
export interface Turn<N = unknown> {
  /**
   * The lane's clock: the broker's time of this message, never going backwards within the lane. Handlers never read the
   * system clock.
   */
  readonly now: Date
  readonly address: Address
  /** The message's id, and the time at which it happened according to its producer. */
  readonly message: { readonly id: string; readonly time: Date }
  /** What the actor's `needs` has read for this batch; read-only. */
  readonly needs: N
  /**
   * Temporary values for this mailbox only: deleted afterwards, and empty again if the mailbox is run again after an
   * error.
   */
  readonly scratch: Map<string, unknown>
  /** A deterministic UUID: the same message always gets the same ones in the same order. */
  id(): string
  /** Sends a message to the actors that react to it, through the outbox. `at` is when it happened; default: now. */
  emit<S extends TSchema>(subject: Subject<S>, data: Static<S>, at?: Date): void
  /** Publishes a domain event on `event.<category>.<org>.<type>`. */
  publish(category: string, type: string, data: Record<string, unknown>): void
  /** Publishes an order on the outlet, with a permanent id by which the stream and its reader recognize a repeat. */
  post<S extends TSchema>(outlet: Outlet<S>, id: string, data: Static<S>): void
  /**
   * Adds or replaces a fact; the engine owns the row from then on. `at` is the row's time according to its source: a
   * later one replaces an earlier one.
   */
  append<R extends TObject>(table: Table<R>, row: Static<R>, at: Date): void
  /** Counts the table as written in this commit, because the sender has stored rows itself: no cached answer is older. */
  wrote(table: Table): void
  /** The version `append` gives a row with this source time, to compare stored rows with this message. */
  version(at: Date): bigint
  /** Marks `key` of `projection` to be recomputed. */
  mark(projection: Projection, key: string): void
  /** A durable timer: delivers the message to this actor at `at` or later, once. The same name replaces it. */
  remind<S extends TSchema>(name: string, at: Date, subject: Subject<S>, data: Static<S>): void
  forget(name: string): void
  /** Requests an external call. `key` identifies it for the receiver and for us: the same key is the same call. */
  call<S extends TSchema>(effect: Effect<S>, key: string, input: Static<S>): void
  /** The reply to the sender of this command, sent once the turn has committed. */
  reply(value: unknown): void
  /**
   * Notifies current listeners once the lane has committed; they can then read the change. Lost if the process ends
   * before that.
   */
  tell<S extends TSchema>(signal: Signal<S>, data: Static<S>, about?: SignalAudience): void
  /** Ignores this message because it is older than what is known: kinds that follow this one do not receive it. */
  ignore(): void
  /** Deletes this actor's row. */
  remove(): void
  /** Whether this actor's row is deleted at the end of this turn. */
  readonly isRemoved: boolean
}
