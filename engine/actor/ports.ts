/**
 * The engine's whole view of the outside: one log, one state store, one fact store, one clock. Everything the engine does
 * to the world goes through these, so that the same loop runs against real servers and against a simulation.
 */
import type { Address } from './address.ts'
import type { RowShape } from './row.ts'

/** Reads of the stores, for `needs`. Values are always bound, never joined into the text. */
export interface Reads {
  /** PostgreSQL, `$1` parameters. Timestamps come as Dates, bigint and numeric as text. */
  rows<T extends object>(sql: string, params: readonly unknown[]): Promise<T[]>
  /** ClickHouse, `{name:Type}` parameters; decimals and 64-bit integers come as text. */
  facts<T extends object>(sql: string, params: Readonly<Record<string, unknown>>): Promise<T[]>
}

/** What `needs` may read. */
export interface TurnReads extends Reads {
  /**
   * PostgreSQL, for plain records, and for rows of others where it does not matter whether the batch before shows yet: does
   * not wait for its commit, so the lane goes on working out turns meanwhile. What was read by the same text and values at
   * most `maxAgeMs` ago in this process is handed out again, the same rows: they are not to be changed; 0 reads anew. A turn
   * that is run again after a crash may find something newer.
   */
  plain<T extends object>(sql: string, params: readonly unknown[], options: { maxAgeMs: number }): Promise<readonly T[]>
}

export interface Clock {
  /** Wall time in milliseconds since 1970, shifted by the test hooks where they are on. */
  now(): number
  /** Resolves after `ms` of real time, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface LogMessage {
  /** Position in the lane's stream: strictly rising, with holes where the stream dropped something. */
  seq: number
  /** As the producer addressed it: `<kind>.<org>.<place>`, still as subject tokens. */
  subject: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** The broker's time of the message, milliseconds since 1970. */
  at: number
  /** Milliseconds the test hooks have added to `at`. */
  shift?: number
}

export interface LogReader {
  /**
   * The next messages in order: at most `countMax` and, but for a single larger one, `bytesMax`; an empty list when none
   * came within `waitMs`. @throws when the order can no longer be vouched for: open another from the cursor.
   */
  next(countMax: number, bytesMax: number, waitMs: number): Promise<LogMessage[]>
  /** Ends a `next` that waits. May be called again. */
  close(): Promise<void>
}

export interface Publication {
  /** Full subject; `ingest.<kind>.<org>.<place>` is mapped to its lane by the server. */
  subject: string
  /** Repeats of the id within the stream's window are dropped by the server. */
  id: string
  headers?: Readonly<Record<string, string>>
  body: string
}

/** Where a message came to stand. `lane` is undefined for events and dead letters. */
export interface Published {
  lane: number | undefined
  seq: number
}

export interface Log {
  /** Opens an ordered reader of `lane` from sequence `from` on. */
  read(lane: number, from: number): Promise<LogReader>
  /** Resolves once the message is durable. @throws when that is not known: publish it again under the same id. */
  publish(message: Publication): Promise<Published>
  /** The lane to which messages for a place go, by its tokens; undefined while that is the server's secret. */
  laneOf(org: string, place: string): number | undefined
  /** Fire and forget, to an asker's inbox. */
  answer(inbox: string, body: string): void
  /** The newest sequence of a lane. */
  last(lane: number): Promise<number>
  /** Drops what stands before `cursor`, but for the newest `keep` messages of it, or fewer where they are large. */
  trim(lane: number, cursor: number, keep: number): Promise<void>
}

/** Right to run a lane, as the store granted it. */
export interface Lease {
  lane: number
  epoch: number
  cursor: number
  clock: number
  /** Ends of owners that may be the doing of a message up to `suspectUntil`, one after the other; 0 while none is suspected. */
  ends: number
  suspectUntil: number
  apart: Apart
}

/** A message of several that is run one by one: its sequence, 0 for none, and how many of it have had their effect. */
export interface Apart {
  seq: number
  done: number
}

export const noneApart: Apart = { seq: 0, done: 0 }

export interface OutboxRow {
  id: string
  subject: string
  headers: Record<string, string>
  body: string
}

export interface ReminderRow extends Address {
  kind: string
  name: string
  /** Milliseconds since 1970. */
  due: number
  subject: string
  data: unknown
}

export type ReminderKey = Omit<ReminderRow, 'due' | 'subject' | 'data'>

export interface MarkRow {
  projection: string
  orgId: string
  /** Marks of a projection and an organization whose keys agree up to the first `|` are a group: all of it is taken, or none. */
  key: string
  /** As the store tells it: another one after every commit that marks the key. */
  stamp?: string
}

/** Reads what belongs to marks. */
export type Beside = (marks: readonly MarkRow[], rows: Reads['rows']) => Promise<void>

export interface EffectRow {
  key: string
  name: string
  orgId: string
  input: unknown
  /** Whom it calls, of a work that is paced; empty of others. */
  queue?: string
}

export interface ClaimedEffect extends EffectRow {
  /** This one included. */
  attempts: number
}

/** Which calls a process takes upon itself: of these names alone, those of others are left to a process that knows them. */
export interface EffectClaim {
  names: readonly string[]
  max: number
  /** Organizations take turns, and none has more than so many, those in `begun` included. */
  orgMax: number
  /** Calls under way here, by organization. */
  begun: ReadonlyMap<string, number>
  /** Milliseconds until another process may claim them, unless they are held. */
  claimMs: number
  /**
   * Of one work whose calls are queued by whom they go to: no more to one of them than its room, `roomMax` where it has none.
   * An organization that is not in `begun` counts as having `orgBegun`.
   */
  queues?: { roomMax: number; rooms: readonly { orgId: string; queue: string; room: number }[]; orgBegun: number }
}

export interface DeadLetter {
  id: string
  seq: number
  orgId: string
  subject: string
  type: string
  messageId: string
  actor: string
  code: string
  reason: string
  attempts: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** What changes of one table: whole rows, new or not; columns of rows that are there, beside their key; rows that go. */
export interface RowChanges {
  shape: RowShape
  upserts: readonly object[]
  /** Where one of these rows is not there, nothing is committed, as if another owner had the lane. */
  updates?: readonly RowUpdates[]
  deletes: readonly Address[]
}

/** Rows with the columns of their key and these alone. */
export interface RowUpdates {
  columns: readonly string[]
  rows: readonly object[]
}

/** Everything one batch changes in the state store: all of it or nothing, and only if epoch, cursor and what is done behind it are still as they were. */
export interface Commit {
  lease: Lease
  from: number
  to: number
  /** While a message is run one by one the cursor stays before it: how far that was before, and is behind this. */
  begun: Apart
  apart: Apart
  clock: number
  rows: readonly RowChanges[]
  outbox: readonly OutboxRow[]
  reminders: readonly ReminderRow[]
  forgotten: readonly ReminderKey[]
  marks: readonly MarkRow[]
  effects: readonly EffectRow[]
  inbox: readonly { id: string; reply: unknown }[]
  /** The tables of facts it has rows of, for whom. */
  written: readonly { orgId: string; table: string }[]
  dead: readonly DeadLetter[]
}

/**
 * Of one organization, in one moment. An answer from tables whose numbers are the same, and from what no projection turns over,
 * is the same.
 */
export interface Editions {
  /** By the name of a table of facts, or of a projection; whole numbers, which only grow. */
  numbers: ReadonlyMap<string, string>
  /** Projections of which something of the organization may turn over at any moment. */
  turning: ReadonlySet<string>
}

/** One that takes nothing any more: until it `isDeleted` it may be restored. */
export interface ClosedOrganization {
  orgId: string
  isDeleted: boolean
}

export interface StateStore {
  /** Lanes that may be had: nobody runs them, or their owner seems gone. */
  free(): Promise<number[]>
  /** Takes the lane if it is free or its owner is gone, raising its epoch. Undefined while another live owner has it. */
  acquire(lane: number): Promise<Lease | undefined>
  /** Says how far the message may lie that ended the owners before. */
  suspect(lease: Lease, seq: number): Promise<void>
  /** Gives the lane up, so that the next owner need not wait; what is suspected stays so. */
  release(lease: Lease): Promise<void>
  /** Extends the leases; the lanes still held. */
  renew(leases: readonly Lease[]): Promise<Set<number>>
  /** Says this process is alive. */
  beat(): Promise<void>
  /** The number of live engine processes, this one included once it has said so. */
  live(): Promise<number>
  /** Takes this process off the list of live ones: the others share out its lanes as it releases them. */
  leave(): Promise<void>
  load(shape: RowShape, keys: readonly Address[]): Promise<object[]>
  /** Which of the ids have taken effect before, with the reply each got. */
  seen(lane: number, ids: readonly string[]): Promise<Map<string, unknown>>
  /** Those of the reminders that still stand, as `due` in milliseconds by position; undefined where one does not. */
  standing(keys: readonly ReminderKey[]): Promise<(number | undefined)[]>
  /** A page of what is due, by when it is due, and those of one moment in an order that stays; behind `after`, where given. */
  dueReminders(lane: number, now: number, max: number, after?: ReminderRow): Promise<ReminderRow[]>
  /** When the lane's next reminder is due (behind `after`, where given), milliseconds since 1970; undefined when it has none. */
  nextReminder(lane: number, after?: ReminderRow): Promise<number | undefined>
  /** False when another owner has the lane, or moved it. @throws `DataRefused` for values no row can hold; else the outcome is unknown. */
  commit(commit: Commit): Promise<boolean>
  /**
   * Careful mode: notes that the turn of `seq` begins, or that of its `nth` (from 1 on) alone; how many processes died on
   * that before. Undefined when fenced.
   */
  markTurn(lease: Lease, seq: number, nth?: number): Promise<number | undefined>
  /** From now on the messages of `seq` are run one by one, by whoever has the lane. */
  takeApart(lease: Lease, seq: number): Promise<void>
  clearTurn(lease: Lease): Promise<void>
  outbox(lane: number, max: number): Promise<OutboxRow[]>
  sent(ids: readonly string[]): Promise<void>
  /** The groups of marks that wait longest, at most `max` marks unless one group has more, of these projections or of all; `beside` reads of the same moment. */
  marks(lanes: readonly number[], max: number, beside?: Beside, projections?: readonly string[]): Promise<MarkRow[]>
  /** Begins a run over the marks: they bear its generation from now on, a number larger than any drawn before it. */
  begin(marks: readonly MarkRow[]): Promise<string>
  /** Reads rows as they are now. */
  rows: Reads['rows']
  /** Says that what the marks are of may turn over from now on, until they are taken off or another run says so of them. */
  turnOver(marks: readonly MarkRow[], generation: string): Promise<void>
  /** Counts what has turned over, and takes off the marks that still bear the generation: those marked anew, or taken up by a later run, stay. */
  unmark(marks: readonly MarkRow[], generation: string): Promise<void>
  /** How often what an organization's questions are answered from was written, and which of the projections turn it over now. */
  editions(orgId: string, projections: readonly string[]): Promise<Editions>
  /** Those of the names of which a call could be claimed. */
  waitingEffects(names: readonly string[]): Promise<string[]>
  claimEffects(claim: EffectClaim): Promise<ClaimedEffect[]>
  /** Renews the claims of this process. */
  holdEffects(keys: readonly string[], claimMs: number): Promise<void>
  /** Forgets those that this process has claimed. */
  doneEffects(keys: readonly string[]): Promise<void>
  /** Seconds for which the oldest call of these names that nobody has claimed has been due; 0 when there is none. */
  effectLag(names: readonly string[]): Promise<number>
  retryEffect(key: string, afterMs: number, failure: string): Promise<void>
  /** Organizations that are about to be deleted, or have been. */
  closedOrganizations(): Promise<ClosedOrganization[]>
  /** Drops inbox rows older than `ageMs`, which no repeat can be older than. */
  prune(ageMs: number): Promise<void>
}

/** A row of a fact table by column name, `x_Version` (a bigint) with it; columns left out take their default. */
export type FactRow = Readonly<Record<string, unknown>>

export interface FactStore {
  /** Resolves once the rows are durable. Repeating it changes nothing. @throws `DataRefused` for values no column can hold. */
  insert(table: string, rows: readonly FactRow[]): Promise<void>
}

/** A store will never take these values: trying again is no use, the message behind them must be found and set aside. */
export class DataRefused extends Error {
  override readonly name = 'DataRefused'
}

/** The server has let go of a reader, as it may at any time. Nothing is lost: what it holds is handed out, then the lane opens another. */
export class ReaderLapsed extends Error {
  override readonly name = 'ReaderLapsed'
}
