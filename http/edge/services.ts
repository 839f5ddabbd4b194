import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Query } from '#analytics/store/query.ts'
import type { Open, Seal } from '#engine/seal.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import type { Change } from '#engine/run/tell.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { BillTools } from '#actors/billing/upload-tools.ts'
import type { Counting } from '#actors/resource/row.ts'
import type { Exports } from '#actors/export/folder.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Identity } from '#http/identity/index.ts'
import type { Clouds } from '#streams/cloud/index.ts'
import type { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'
import type { MadeCall } from '#streams/cloud/simulated/state/ledger.ts'
import type { Mail } from '#streams/delivery/email.ts'
import type { Channels, Webhooks } from '#streams/delivery/index.ts'
import type { JobName } from '#streams/job.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'

export interface Settings {
  /** Which of the four FOCUS costs reports show unless they are asked for another (decision G-47). */
  readonly reportCost: 'billed' | 'effective'
  /** Which savings reports show unless they are asked for others; `verified` are those that bills prove. */
  readonly reportSavings: 'reported' | 'verified'
  /** The addresses this service calls from; empty when the operator has not said. */
  readonly egressCidrs: readonly string[]
  /** Whether addresses that customers give may lead into private networks. */
  readonly allowPrivateAddresses: boolean
  /** Whether accounts of Azure may do without a client secret, by a federated token of this installation. */
  readonly azureFederated?: boolean
  /** Where callers reach this service, without a slash at the end. */
  readonly publicUrl: string
  /** Where weaknesses are reported, as URIs; empty when the operator has not said. */
  readonly securityContacts?: readonly string[]
  /** Origins of pages that may call; `*` is any. */
  readonly corsOrigins?: readonly string[]
}

/** Ways for tests to drive time and the simulated cloud from outside; there only when the operator switched them on. */
export interface Hooks {
  /** What was still under way of the organization after `waitMs`, one line each. */
  readonly settle: (orgId: string, waitMs: number) => Promise<string[]>
  readonly setClock: (now: Date) => Promise<void>
  /** Replaces the simulated cloud's plan of faults. */
  readonly faults: (plan: FaultPlan) => Promise<void>
  /** Calls of the simulated cloud from a cursor or a moment on, oldest first; `next` is the cursor behind them. */
  readonly calls: (since?: string | Date) => Promise<{ calls: readonly MadeCall[]; next: string }>
  /** Runs everything that is due now, once. An id of the run. */
  readonly tick: () => Promise<string>
  /**
   * Runs a job of one organization, or of all that have it; resolves once what it led to has taken effect. The id of the run.
   * @throws Fault `missing` for an organization there is not
   */
  readonly runJob: (job: JobName, of: { orgId?: string; date?: string; period?: string }) => Promise<string>
  /** What was written to the outbox file. */
  readonly mails: () => Promise<(Mail & { at: string })[]>
}

/** One who listens to what happens in his organization. */
export interface Listener {
  readonly caller: Caller
  /** Who he is now, and whether he may listen still. @throws Fault `unauthenticated` or `forbidden` */
  readonly again: () => Promise<Caller>
  /** Accounts in which a caller who sees some teams has costs to see. */
  readonly teamAccounts: (caller: Caller) => Promise<readonly string[]>
}

/** How far a lane is behind with what an organization has sent. */
export interface LaneLag {
  lane: number
  /** Of those that were asked about, whose messages it carries. */
  cloudAccountIDs: string[]
  /** For how long the oldest message of the organization waits that has not taken effect; null: none does. */
  oldestSeconds: number | null
}

/** What a question is asked with, but for the organization. */
type Asked<P> = Omit<P, 'org'>

/**
 * What a handler may use, built once per request. Everything is bound to the caller's organization: no other can be named,
 * and none be forgotten.
 */
export interface Services {
  /**
   * A fork per request that sees the rows of the organization alone. Rows of actors are for reads: a change is a message to
   * the actor that owns the row.
   */
  readonly em: EntityManager
  /** The answer may be given to others too: it is not to be changed. */
  readonly analytics: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: Asked<Static<P>>,
  ) => Promise<readonly Readonly<Static<R>>[]>
  /**
   * What the sums of days are of now: answers between two that are equal are of the same sums. Undefined while days wait to be
   * worked out, which may turn over at any moment.
   */
  readonly sums: () => Promise<string | undefined>
  /** Counts rows of PostgreSQL, or says the number that it was and still is. */
  readonly counting: Counting
  /** The same, row by row: the values of its columns in their order, not decoded. For what is too much to be held. */
  readonly stream: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: Asked<Static<P>>,
  ) => AsyncGenerator<readonly unknown[], void>
  /** The same, some rows at a time, each the JSON text of its values: for a thread that reads them. */
  readonly texts: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: Asked<Static<P>>,
  ) => AsyncGenerator<readonly string[], void>
  /**
   * Delivers a command to its actor; resolves with the actor's reply once the turn has committed. Asked again under a UUID of its
   * own, the answer is that of the first time.
   * @throws the turn's `Fault`, or Fault `transient` `unavailable`
   */
  readonly ask: <S extends TSchema>(subject: Subject<S>, data: Static<S>, id?: string) => Promise<unknown>
  /**
   * Changes plain records in one transaction, and tells actors of it: what is told is published however this process ends,
   * and has taken effect when this resolves (within ten seconds, else a little later). For a POST `work` returns the whole
   * answer, by `reply`: under an Idempotency-Key it is kept in the same transaction. What is wrong with what is given is
   * taken to stand in the body.
   */
  readonly change: <T>(work: (change: Change) => Promise<T>) => Promise<T>
  /** Sends a message of a producer of the organization again. @throws Fault `forbidden` for a subject of another one */
  readonly publish: (subject: string, body: Uint8Array) => Promise<void>
  /** An id for what is made beside a transaction of ours: a repeat under the same Idempotency-Key draws the same. */
  readonly newId: () => string
  /**
   * Server-sent events of what happens in the organization from now on, as text.
   * @throws Fault `invalid` `too_many_streams`, or `transient` `unavailable` where this process has no room or is about to stop
   */
  readonly listen: (listener: Listener) => Promise<Readable>
  /**
   * Of the lanes that carry these accounts or what is of the whole organization, and of all in which something of it waits.
   * @throws Fault `transient` `unavailable`
   */
  readonly lag: (accounts: readonly string[]) => Promise<LaneLag[]>
  /** Who people are, over all organizations: for the routes of identity. */
  readonly identity: Identity
  /** What roles of AWS may demand of the service for the organization, the newest first. */
  readonly externalIds: () => readonly string[]
  /** Who the service is at AWS by itself; undefined where it is nobody, or AWS cannot be asked. */
  readonly awsPrincipal: () => Promise<string | undefined>
  /** The cloud an account is in. */
  readonly cloudOf: Clouds['of']
  /** Encrypts what is kept secret, for one column and organization. */
  readonly seal: Seal
  readonly open: Open
  readonly now: () => Date
  readonly settings: Settings
  readonly channels: Channels
  readonly webhooks: Webhooks
  /** Where callers reach this service, without a slash at the end; empty where no edge runs and none is named. */
  readonly publicUrl: () => string
  /** What links in messages are signed with, 32 bytes each: the first signs, those before it are good too. */
  readonly linkSecrets: () => readonly Buffer[]
  readonly exports: Exports
  readonly bills: BillTools
  /** What is shared with hosts of sources and with builders: never told. */
  readonly source: SourceSecrets
  /**
   * For a public route: the same, bound to an organization that its signed link names. To be used within `asOrganization`.
   * @throws Fault `defect` where the caller is of an organization
   */
  readonly actingFor: (orgId: string) => Services
  readonly hooks?: Hooks
}
