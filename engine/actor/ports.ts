/**
 * Interfaces of everything outside the engine: one log, one state store, one fact store, one clock. The engine uses
 * only these, so the same loop runs on real servers and in a simulation.
 */
import type { Address } from './address.ts'
import type { RowShape } from './row.ts'

/** Reads from the stores, for `needs`. Values are always bound as parameters, never joined into the SQL. */
export interface Reads {
  /** PostgreSQL, with `$1` parameters. Timestamps are returned as Dates, bigint and numeric as text. */
  rows<T extends object>(sql: string, params: readonly unknown[]): Promise<T[]>
  /** ClickHouse, with `{name:Type}` parameters; decimals and 64-bit integers are returned as text. */
  facts<T extends object>(sql: string, params: Readonly<Record<string, unknown>>): Promise<T[]>
}

/** What `needs` may read. */
export interface TurnReads extends Reads {
  /**
   * PostgreSQL, for plain records, and for rows of other actors if it does not matter whether the previous batch is
   * visible yet. It does not wait for that batch's commit, so the lane continues with its turns. Results for the same
   * SQL and values that were read at most `maxAgeMs` ago in this process are returned again, as the same objects, which
   * must not be changed; 0 always reads. A turn that runs again after a crash may read newer data.
   */
  plain<T extends object>(sql: string, params: readonly unknown[], options: { maxAgeMs: number }): Promise<readonly T[]>
}

export interface Clock {
  /** Current time in milliseconds since 1970, shifted by the test hooks if they are on. */
  now(): number
  /** Resolves after `ms` of real time, or immediately when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface LogMessage {
  /** Position in the lane's stream: strictly increasing, with gaps where the stream dropped something. */
  seq: number
  /** As addressed by the producer: `<kind>.<org>.<place>`, still as subject tokens. */
  subject: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** When the broker received the message, milliseconds since 1970. */
  at: number
  /** Milliseconds the test hooks have added to `at`. */
  shift?: number
  /** Its lane had stored it, because the facts of its organization could not be written. */
  isParked?: true
}

export interface LogReader {
  /**
   * The next messages in order: at most `countMax` and, except for a single larger one, `bytesMax`; an empty list if
   * none arrived within `waitMs`. @throws if the order is no longer guaranteed: open another reader from the cursor.
   */
  next(countMax: number, bytesMax: number, waitMs: number): Promise<LogMessage[]>
  /** Ends a waiting `next`. May be called repeatedly. */
  close(): Promise<void>
}

export interface Publication {
  /** The full subject. The server maps `ingest.<kind>.<org>.<place>` to its lane. */
  subject: string
  /** The server drops repeats of this id within the stream's window. */
  id: string
  headers?: Readonly<Record<string, string>>
  body: string
}

/** Where a message was stored. `lane` is undefined for events and dead letters. */
export interface PublishAck {
  lane: number | undefined
  seq: number
  /** Whether the stream already had a message with this id, and stored no other. */
  isRepeat?: boolean
}

export interface Log {
  /** Opens an ordered reader of `lane`, starting at sequence `from`. */
  read(lane: number, from: number): Promise<LogReader>
  /** Resolves once the message is durable. @throws if that is unknown: publish it again with the same id. */
  publish(message: Publication): Promise<PublishAck>
  /** The lane for messages of a place, given as tokens; undefined while the mapping is known only to the server. */
  laneOf(org: string, place: string): number | undefined
  /** Sends a reply to a caller's inbox, without confirmation. */
  answer(inbox: string, body: string): void
  /** The newest sequence of a lane. */
  last(lane: number): Promise<number>
  /** Drops messages before `cursor`, except for the newest `keep` of them, or fewer if they are large. */
  trim(lane: number, cursor: number, keep: number): Promise<void>
}

/** The right to run a lane, granted by the store. */
export interface Lease {
  lane: number
  epoch: number
  cursor: number
  clock: number
  /**
   * How many owners in a row have died, possibly because of a message up to `suspectUntil`; 0 if no message is
   * suspected.
   */
  ends: number
  suspectUntil: number
  apart: Apart
}

/** A packed message whose parts are run one by one: its sequence (0 for none), and how many parts are done. */
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
  /**
   * Marks of a projection and organization whose keys are equal up to the first `|` are a group: either the whole group
   * is taken or none of it.
   */
  key: string
  /** Set by the store: different after every commit that marks the key. */
  stamp?: string
}

/** Reads the additional data that belongs to marks. */
export type Beside = (marks: readonly MarkRow[], rows: Reads['rows']) => Promise<void>

export interface EffectRow {
  key: string
  name: string
  orgId: string
  input: unknown
  /** The party that a paced call goes to; empty for other calls. */
  queue?: string
}

export interface ClaimedEffect extends EffectRow {
  /** Including this one. */
  attempts: number
}

/** Which calls a process claims: only those with these names; others are left to a process that knows them. */
export interface EffectClaim {
  names: readonly string[]
  max: number
  /** Organizations take turns. None has more calls than this, including those in `begun`. */
  orgMax: number
  /** Running calls of this process, by organization. */
  begun: ReadonlyMap<string, number>
  /** Milliseconds until another process may claim them, unless they are renewed. */
  claimMs: number
  /**
   * For a work whose calls are queued by party: at most as many calls to each party as its room, or `roomMax` if it is
   * not listed.
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

/** Changes of one table: whole rows, new or existing; some columns of existing rows, by key; rows to delete. */
export interface RowChanges {
  shape: RowShape
  upserts: readonly object[]
  /** If one of these rows does not exist, nothing is committed, as if another owner had the lane. */
  updates?: readonly RowUpdates[]
  deletes: readonly Address[]
}

/** Rows with the columns of their key and the changed columns only. */
export interface RowUpdates {
  columns: readonly string[]
  rows: readonly object[]
}

/**
 * Everything that one batch changes in the state store: all of it or nothing, and only if the epoch, the cursor and the
 * number of processed parts after it are unchanged.
 */
export interface Commit {
  lease: Lease
  from: number
  to: number
  /**
   * While the parts of a message are run one by one, the cursor stays before it. This is how many parts were done
   * before, and are done after this commit.
   */
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
  /** The fact tables it has written, with the organizations. */
  written: readonly { orgId: string; table: string }[]
  dead: readonly DeadLetter[]
  /** Messages to store, to be run later; and stored ones that have now been run, by sequence. */
  parked?: readonly LogMessage[]
  unparked?: readonly number[]
}

/**
 * For one organization at one moment. A cached response is still valid if the numbers of its tables are the same and
 * none of its projections is being published.
 */
export interface Editions {
  /** By the name of a fact table or a projection; whole numbers that only increase. */
  numbers: ReadonlyMap<string, string>
  /** Projections that may publish something of the organization at any moment. */
  turning: ReadonlySet<string>
}

/** An organization that accepts nothing more; it can be restored until it `isDeleted`. */
export interface ClosedOrganization {
  orgId: string
  isDeleted: boolean
}

export interface StateStore {
  /** Lanes that can be taken: without an owner, or whose owner seems to be dead. */
  free(): Promise<number[]>
  /**
   * Takes the lane if it is free or its owner is dead, and increases its epoch. Undefined while another live owner has
   * it.
   */
  acquire(lane: number): Promise<Lease | undefined>
  /** Records the last sequence that may contain the message that killed previous owners. */
  suspect(lease: Lease, seq: number): Promise<void>
  /** Releases the lane, so that the next owner need not wait; what is suspected stays recorded. */
  release(lease: Lease): Promise<void>
  /** Extends the leases and returns the lanes that are still owned. */
  renew(leases: readonly Lease[]): Promise<Set<number>>
  /** Records that this process is alive. */
  beat(): Promise<void>
  /** The number of live engine processes, including this one once it has recorded itself. */
  live(): Promise<number>
  /** Removes this process from the live ones, so that the others take over its lanes as it releases them. */
  leave(): Promise<void>
  load(shape: RowShape, keys: readonly Address[]): Promise<object[]>
  /** Which of the ids have already taken effect, with the reply of each. */
  seen(lane: number, ids: readonly string[]): Promise<Map<string, unknown>>
  /** For each reminder that still exists, its `due` in milliseconds, by position; undefined for others. */
  standing(keys: readonly ReminderKey[]): Promise<(number | undefined)[]>
  /** A page of due reminders, ordered by due time and then in a stable order, starting after `after` if given. */
  dueReminders(lane: number, now: number, max: number, after?: ReminderRow): Promise<ReminderRow[]>
  /**
   * When the lane's next reminder is due (after `after`, if given), milliseconds since 1970; undefined if it has none.
   */
  nextReminder(lane: number, after?: ReminderRow): Promise<number | undefined>
  /**
   * False if another owner has the lane or moved its cursor. @throws `DataRefused` for values no row can hold; after
   * any other error the outcome is unknown.
   */
  commit(commit: Commit): Promise<boolean>
  /**
   * Careful mode: records that the turn of `seq`, or only that of its `nth` part (from 1), starts. Returns how many
   * processes have died at it before. Undefined if the lease is lost.
   */
  markTurn(lease: Lease, seq: number, nth?: number): Promise<number | undefined>
  /** From now on, any owner of the lane runs the parts of message `seq` one by one. */
  takeApart(lease: Lease, seq: number): Promise<void>
  clearTurn(lease: Lease): Promise<void>
  outbox(lane: number, max: number): Promise<OutboxRow[]>
  sent(ids: readonly string[]): Promise<void>
  /**
   * The groups of marks that have waited longest, at most `max` marks unless a single group has more, for these
   * projections or all, without those of organizations on these ClickHouse servers; `beside` reads in the same
   * snapshot.
   */
  marks(
    lanes: readonly number[],
    max: number,
    beside?: Beside,
    projections?: readonly string[],
    awayShards?: readonly string[],
  ): Promise<MarkRow[]>
  /** Starts a run over the marks: they now carry its generation, a number larger than any before it. */
  begin(marks: readonly MarkRow[]): Promise<string>
  /** Reads current rows. */
  rows: Reads['rows']
  /**
   * Records that the keys of the marks may be published from now on, until the marks are removed or another run records
   * the same.
   */
  turnOver(marks: readonly MarkRow[], generation: string): Promise<void>
  /**
   * Counts the publication and removes the marks that still carry the generation. Marks set again, or taken by a later
   * run, stay.
   */
  unmark(marks: readonly MarkRow[], generation: string): Promise<void>
  /** The current edition numbers for an organization's queries, and which of the projections are publishing now. */
  editions(orgId: string, projections: readonly string[]): Promise<Editions>
  /** Which of these names have a call that could be claimed. */
  waitingEffects(names: readonly string[]): Promise<string[]>
  claimEffects(claim: EffectClaim): Promise<ClaimedEffect[]>
  /** Renews the claims of this process. */
  holdEffects(keys: readonly string[], claimMs: number): Promise<void>
  /** Deletes calls that this process has claimed. */
  doneEffects(keys: readonly string[]): Promise<void>
  /** How many seconds the oldest unclaimed call of these names has been due; 0 if there is none. */
  effectLag(names: readonly string[]): Promise<number>
  retryEffect(key: string, afterMs: number, failure: string): Promise<void>
  /** Organizations that are scheduled for deletion or deleted. */
  closedOrganizations(): Promise<ClosedOrganization[]>
  /** Deletes inbox rows older than `ageMs`; no repeat can be older. */
  prune(ageMs: number): Promise<void>
}

/** A row of a fact table by column name, including `x_Version` (a bigint); missing columns take their default. */
export type FactRow = Readonly<Record<string, unknown>>

export interface FactStore {
  /**
   * Resolves once the rows are durable. Repeating it changes nothing. @throws `DataRefused` for values that no column
   * can hold.
   */
  insert(table: string, rows: readonly FactRow[]): Promise<void>
}

/**
 * A store will never accept these values: retrying is useless, so the message that contains them must be found and
 * dead-lettered.
 */
export class DataRefused extends Error {
  override readonly name = 'DataRefused'
}

/** Messages that lanes have stored, because the facts of their organizations could not be written. */
export interface ParkedStore {
  /** Bytes of a lane's messages by organization. */
  parkedBytes(lane: number): Promise<Map<string, number>>
  /** The first messages in order, at most `countMax`, of these organizations or of one sequence. */
  parked(lane: number, of: { orgIds: readonly string[] } | { seq: number }, countMax: number): Promise<LogMessage[]>
}

/** The store for the facts of some organizations is away. Their messages wait; those of others need not. */
export class FactsAway extends Error {
  override readonly name = 'FactsAway'
}

/**
 * The server has dropped a reader, which it may do at any time. Nothing is lost: messages already received are
 * returned, then the lane opens another reader.
 */
export class ReaderLapsed extends Error {
  override readonly name = 'ReaderLapsed'
}
