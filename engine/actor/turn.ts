import type { Address } from './address.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import type { Subject } from './subject.ts'
import type { Table } from './table.ts'

/** A call to the outside world, made after the commit, at least once, with a key the far side can use to drop repeats. */
export interface Effect<S extends TSchema = TSchema> {
  name: string
  schema: S
  /** Whom a call goes to, for works that are paced: one that hangs keeps none to others waiting. Not empty. */
  queue?: (input: Static<S>) => string
}

/** Where orders go to whoever carries them out elsewhere: one subject of a stream beside the lanes. */
export interface Outlet<S extends TSchema = TSchema> {
  /** The envelope's `type`. */
  name: string
  /** First tokens of the NATS subject, `<prefix>.<org>.<key>`. */
  prefix: string
  /** What the last token stands for. */
  key: (data: Static<S>) => string
  schema: S
  summary: string
  examples: readonly Static<S>[]
}

export const outlet = <S extends TSchema>(declaration: Outlet<S>): Outlet<S> => declaration

/** What is told at once to whoever listens then, and to nobody later. */
export interface Signal<S extends TSchema = TSchema> {
  name: string
  schema: S
}

/** By what it is decided who may hear a signal; what names nothing is for whoever sees the whole organization. */
export type About = Readonly<Record<string, string>>

/** A signal as it is told. Without `about` it is for all of the organization. */
export interface Told {
  event: string
  data: unknown
  about?: About
}

/** A read shape that is worked out anew from committed rows whenever a turn marks one of its keys. */
export interface Projection {
  name: string
}

/**
 * The effects of one actor's turn. Nothing here happens until the lane commits: appended rows first, then the actor's row,
 * outbox, reminders, marks and the cursor in one PostgreSQL transaction. A message that throws leaves no trace.
 */
export interface Turn {
  /** The lane's clock: the broker's time of this message, never backwards within the lane. Handlers never read the wall clock. */
  readonly now: Date
  readonly address: Address
  /** The message's own id and the time its producer says it happened. */
  readonly message: { readonly id: string; readonly time: Date }
  /** What the actor's `needs` fetched for this batch; read only. */
  readonly needs: unknown
  /** Notes of this mailbox only: gone after it, and empty again when the mailbox is run anew after a throw. */
  readonly scratch: Map<string, unknown>
  /** A deterministic UUID: the same message always draws the same ones, in the same order. */
  id(): string
  /** Sends a message to the actors that react to it, by way of the outbox. `at` is when what it says happened; now unless given. */
  emit<S extends TSchema>(subject: Subject<S>, data: Static<S>, at?: Date): void
  /** Publishes a domain event on `event.<category>.<org>.<type>`. */
  publish(category: string, type: string, data: Record<string, unknown>): void
  /** Hands an order to whoever listens at the outlet, under an id that names it for good: the stream and its reader know a repeat by it. */
  post<S extends TSchema>(outlet: Outlet<S>, id: string, data: Static<S>): void
  /** Adds or replaces a fact; the row is the engine's from then on. `at` is what the row's source says its time is: a later one wins over an earlier one. */
  append<R extends TObject>(table: Table<R>, row: Static<R>, at: Date): void
  /** The version `append` gives a row of this source time; compares rows already stored with what this message says. */
  version(at: Date): bigint
  /** Says that `key` of `projection` has to be worked out anew. */
  mark(projection: Projection, key: string): void
  /** Durable timer: delivers the message to this actor at `at` or later, once. The same name again replaces it. */
  remind<S extends TSchema>(name: string, at: Date, subject: Subject<S>, data: Static<S>): void
  forget(name: string): void
  /** Asks for a call to the outside. `key` names it for the far side and for us: the same key again is the same call. */
  call<S extends TSchema>(effect: Effect<S>, key: string, input: Static<S>): void
  /** What the asker of this message gets once the turn has committed. */
  reply(value: unknown): void
  /** Tells whoever listens, once the lane has committed: what is told shows by then. Lost where the process ends before it is told. */
  tell<S extends TSchema>(signal: Signal<S>, data: Static<S>, about?: About): void
  /** Says that this message, older than what is known, counts for nothing: kinds that follow this one do not hear it. */
  ignore(): void
  /** Deletes this actor's row. */
  remove(): void
}
