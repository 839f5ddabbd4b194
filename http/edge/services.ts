/** What handlers may use: stores, commands to actors, settings and identity, bound to the caller's organization. */
import type { KeptData } from '#actors/cost/kept-from.ts'
import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Query } from '#analytics/store/query.ts'
import type { Open, Seal } from '#engine/seal.ts'
import type { Static, TObject, TSchema } from '#engine/value/schema.ts'
import type { RecordChange } from '#engine/run/tell.ts'
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

interface Settings {
  /** The default cost type of reports among the four of FOCUS (decision G-47). */
  readonly reportCost: 'billed' | 'effective'
  /** The default savings figure of reports; `verified`: by bills. */
  readonly reportSavings: 'reported' | 'verified'
  /** The addresses from which this service calls; empty if not configured. */
  readonly egressCidrs: readonly string[]
  /** Whether addresses given by customers may be in private networks. */
  readonly allowPrivateAddresses: boolean
  /** Whether Azure accounts may work without a client secret, with a federated token of this installation. */
  readonly azureFederated?: boolean
  /** Whether Azure accounts may use a managed identity of this machine, by its client ID. */
  readonly mayUseIdentity?: (clientID: string) => boolean
  /** Whether Google Cloud accounts may use the service account of this machine. */
  readonly googleAttached?: boolean
  /** Whether accounts may use the service account of this installation in its cluster. */
  readonly kubernetesInCluster?: boolean
  /** The public URL of this service, without a trailing slash. */
  readonly publicUrl: string
  /** Contacts for reporting vulnerabilities, as URIs; empty if not configured. */
  readonly securityContacts?: readonly string[]
  /** Origins of pages that may call; `*` means any. */
  readonly corsOrigins?: readonly string[]
}

/** Lets tests control time and the simulated cloud from outside; only if the operator has enabled it. */
export interface Hooks {
  /** Work of the organization that was still in progress after `waitMs`, one line each. */
  readonly settle: (orgId: string, waitMs: number) => Promise<string[]>
  readonly setClock: (now: Date) => Promise<void>
  /** Replaces the fault plan of the simulated cloud. */
  readonly faults: (plan: FaultPlan) => Promise<void>
  /** Calls to the simulated cloud since a cursor or time, oldest first; `next` is the cursor after them. */
  readonly calls: (since?: string | Date) => Promise<{ calls: readonly MadeCall[]; next: string }>
  /** Runs everything that is due now, once. Returns the id of the run. */
  readonly tick: () => Promise<string>
  /**
   * Runs a job of one organization, or of all that have it; resolves once its effects have been applied. Returns the id
   * of the run.
   * @throws Fault `missing` for an unknown organization
   */
  readonly runJob: (job: JobName, of: { orgId?: string; date?: string; period?: string }) => Promise<string>
  /** The content of the outbox file. */
  readonly mails: () => Promise<(Mail & { at: string })[]>
}

/** A client that listens to an organization's live events. */
export interface Listener {
  readonly caller: Caller
  /** The caller's current state, if it may still listen. @throws Fault `unauthenticated` or `forbidden` */
  readonly again: () => Promise<Caller>
  /** Accounts in which a caller limited to some teams has visible costs. */
  readonly teamAccounts: (caller: Caller) => Promise<readonly string[]>
}

/** How far a lane lags behind an organization's messages. */
export interface LaneLag {
  lane: number
  /** Those of the requested accounts whose messages this lane carries. */
  cloudAccountIDs: string[]
  /** Seconds for which the oldest unprocessed message of the organization has waited; null if there is none. */
  oldestSeconds: number | null
}

/** The parameters of a query, except the organization. */
type QueryParams<P> = Omit<P, 'org'>

/**
 * What a handler may use, created once per request. Everything is bound to the caller's organization: a handler can
 * neither choose another one nor forget it.
 */
export interface Services {
  /**
   * A fork per request that sees only the organization's rows. Rows of actors are read-only here: a change is a message
   * to the actor that owns the row.
   */
  readonly em: EntityManager
  /** The result may be shared with other requests: do not change it. */
  readonly analytics: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: QueryParams<Static<P>>,
  ) => Promise<readonly Readonly<Static<R>>[]>
  /**
   * The version of the daily sums: two reads with the same version are from the same sums. Undefined while days wait to
   * be computed and may change at any moment.
   */
  readonly sums: () => Promise<string | undefined>
  /** The first day (YYYY-MM-DD) whose data is stored; undefined if none was deleted for its age. */
  readonly keptFrom: (data: KeptData) => Promise<string | undefined>
  /** Counts rows of PostgreSQL, or returns a cached count that is still correct. */
  readonly counting: Counting
  /** The same, row by row: the values of its columns in order, not decoded. For results too large for memory. */
  readonly stream: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: QueryParams<Static<P>>,
  ) => AsyncGenerator<readonly unknown[], void>
  /** The same, several rows at a time, each as JSON text of its values: for a thread that reads them. */
  readonly texts: <P extends TObject, R extends TObject>(
    q: Query<P, R>,
    params: QueryParams<Static<P>>,
  ) => AsyncGenerator<readonly string[], void>
  /**
   * Sends a command to its actor; resolves with the actor's reply once the turn has committed. A repeat with the same
   * UUID gets the first reply.
   * @throws the turn's `Fault`, or Fault `transient` `unavailable`
   */
  readonly ask: <S extends TSchema>(subject: Subject<S>, data: Static<S>, id?: string) => Promise<unknown>
  /**
   * Changes plain records in one transaction and notifies actors: the messages are published even if this process ends,
   * and have taken effect when this resolves (within ten seconds, otherwise a little later). For a POST, `work` returns
   * the whole response, by `reply`: with an Idempotency-Key it is stored in the same transaction. Invalid input is
   * reported as part of the body.
   */
  readonly change: <T>(work: (change: RecordChange) => Promise<T>) => Promise<T>
  /**
   * Publishes a message of one of the organization's producers again. @throws Fault `forbidden` for a subject of
   * another organization
   */
  readonly publish: (subject: string, body: Uint8Array) => Promise<void>
  /**
   * An id for an object created outside of our transaction: a repeat with the same Idempotency-Key gets the same one.
   */
  readonly newId: () => string
  /**
   * Server-sent events of the organization from now on, as text.
   * @throws Fault `invalid` `too_many_streams`, or `transient` `unavailable` if this process has no room or is about to
   * stop
   */
  readonly listen: (listener: Listener) => Promise<Readable>
  /**
   * For the lanes of these accounts and of the organization as a whole, and all others in which its messages wait.
   * @throws Fault `transient` `unavailable`
   */
  readonly lag: (accounts: readonly string[]) => Promise<LaneLag[]>
  /** People across all organizations: for the identity routes. */
  readonly identity: Identity
  /** The external ids that AWS roles may require for the organization, newest first. */
  readonly externalIds: () => readonly string[]
  /** The service's own AWS principal; undefined without credentials, or if AWS is unavailable. */
  readonly awsPrincipal: () => Promise<string | undefined>
  /** The cloud of an account. */
  readonly cloudOf: Clouds['of']
  /** Encrypts a secret for one column and organization. */
  readonly seal: Seal
  readonly open: Open
  readonly now: () => Date
  readonly settings: Settings
  readonly channels: Channels
  readonly webhooks: Webhooks
  /** The public URL of this service, without a trailing slash; empty if no edge runs and none is configured. */
  readonly publicUrl: () => string
  /** Keys that sign links in messages, 32 bytes each: the first signs, earlier ones are still accepted. */
  readonly linkSecrets: () => readonly Buffer[]
  readonly exports: Exports
  readonly bills: BillTools
  /** Secrets shared with source hosts and builders; never shown. */
  readonly source: SourceSecrets
  /**
   * For a public route: the same services, bound to the organization named by its signed link. Use within
   * `asOrganization`.
   * @throws Fault `defect` if the caller has an organization
   */
  readonly actingFor: (orgId: string) => Services
  readonly hooks?: Hooks
}
