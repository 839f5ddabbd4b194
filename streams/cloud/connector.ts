/** The connector interface: what the code for one cloud must offer. */
import { Fault, type Detail, type FaultKind } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { accountVerified, BillingExport } from '#streams/account/messages.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { metricSample } from '#streams/metric/messages.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import type { Provider } from '#streams/names.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import type { Repeat } from '#streams/cloud/resource/operation.ts'
import type { ObjectStore, StorePlace } from '#streams/delivery/object-store.ts'
import type { Provisioner } from '#streams/cloud/provision.ts'
import type { resourceDiscovered, ResourceStatus } from '#streams/resource/messages.ts'

/**
 * `simulated`: the simulated cloud in this process. `real`: the provider's cloud. `none`: no queries; producers send
 * all data.
 */
export const drivers = ['simulated', 'real', 'none'] as const
export type Driver = (typeof drivers)[number]

/** A connected account, as connectors get it. */
export interface CloudAccount {
  id: string
  orgId: string
  provider: Provider
  /** The provider's own number or name of the account. */
  externalId: string
  name: string
  /** Empty means every enabled region. */
  regions: readonly string[]
  /** Decrypted, in the provider's own shape; only that provider's connector reads it. */
  credentials: unknown
  /** Left out if the account has none. */
  billingExport?: BillingExport
}

/**
 * The result of checking the credentials. Refused credentials give the verdict `none`; a cloud that cannot be reached
 * is a Fault.
 */
export type Verification = Pick<Static<typeof accountVerified.schema>, 'verdict' | 'missingPermissions'> & {
  message?: string
  /** For each permission, if the cloud reports it. */
  permissions?: readonly PermissionCheck[]
}

/** `unknown`: the cloud cannot report it without performing the call. */
export interface PermissionCheck {
  /** The cloud's own name. */
  name: string
  access: 'read' | 'write'
  state: 'granted' | 'missing' | 'unknown'
}

/** One account of an organization, as its cloud lists it. */
export interface ListedAccount {
  externalId: string
  name: string
  /** Its organizational units from the root: `/Production/Payments`; `/` is the root itself. */
  path: string
  /** Left out if they were not requested, or could not be read. */
  tags?: Readonly<Record<string, string>>
  isActive: boolean
}

/** All accounts of an organization: one that is missing here has left it. */
export interface OrganizationListing {
  /** The account that pays for the others. */
  managementId: string
  accounts: readonly ListedAccount[]
  /** What could not be read, and why; for people. */
  message?: string
}

/** The part of an organization to list. */
interface ListingScope {
  /** Tags may cost one call per account. */
  withTags: boolean
  /** For Google Cloud: the folder or organization whose projects are listed. */
  parent?: string | undefined
}

/** `account` is the one through which the organization is connected. */
interface OrganizationReader {
  /** @throws rather than leave an account out */
  list(account: CloudAccount, scope: ListingScope, signal?: AbortSignal): Promise<OrganizationListing>
  /** Credentials of a member, in the provider's own shape. */
  credentialsFor(account: CloudAccount, externalId: string, roleName: string): unknown
  /** Members use the account's own credentials: when those are replaced, theirs are too. */
  readonly sharesCredentials?: true
}

/** A resource as the cloud describes it; the caller adds the account and the refresh. */
export type DiscoveredResource = Omit<Static<typeof resourceDiscovered.schema>, 'cloudAccountId' | 'refreshId'>

/**
 * What the discovery of an account has covered. `everything`: all resources that the connector can find, of any type. A
 * list: resources outside of its parts were not seen, so they are not deleted for being missing; an empty list covers
 * nothing.
 */
type Extent = 'everything' | readonly ScanCoverage[]

export interface Discovery {
  /** Complete only after the pages were read. */
  readonly seen: Extent
  /** Permissions that were missing, by the cloud's own names; each once. */
  readonly missingPermissions?: readonly string[]
  /** What could not be read of the account, and why; for people; left out if everything could. */
  readonly message?: string | undefined
  /** Types that could not be read for now: they may be minutes later. */
  readonly lostTypes?: readonly string[]
  /** Parents before their children, each resource once. */
  readonly pages: AsyncIterable<DiscoveredResource[]>
}

/**
 * Reads all list prices of the regions that Tidemark uses, one whole region after the other; empty if none are known.
 * @throws a `cloudFault`
 */
export type ReadListPrices = (
  account: CloudAccount,
  regions: readonly string[],
  signal?: AbortSignal,
) => AsyncIterable<readonly ListPrice[]>

/** The fields by which a connector finds a resource in its cloud, and its size, to compute shares of it. */
export type ResourceRef = Pick<
  DiscoveredResource,
  'resourceUid' | 'type' | 'region' | 'specs' | 'instanceType' | 'sizeGB'
>

/** 1 to 5,000 samples of one resource. */
export type MetricSamples = Static<typeof metricSample.schema>

export const actionKinds = ['start', 'stop', 'scale', 'pause', 'resize', 'set', 'snapshot', 'delete'] as const
export type ActionKind = (typeof actionKinds)[number]

export interface CloudAction {
  /** Identifies the action for the cloud: the same id has no second effect. */
  id: string
  kind: ActionKind
  resource: ResourceRef
  /** Unit counts: for `scale`, and those that a `start` restores. */
  params?: Partial<Capacity>
  /** For `resize`: the new size. */
  size?: string
  /** For `set`: the new specs; those left out do not change. */
  specs?: Readonly<Record<string, unknown>>
}

/** Limits and desired number of units of a resource that has units. */
export interface Capacity {
  min: number
  max: number
  desired: number
}

/**
 * The current state of one resource in its cloud. Values the cloud does not report are left out: they are as in the
 * inventory.
 */
export interface Look {
  exists: boolean
  status?: ResourceStatus
  /** For resources with units. */
  capacity?: Capacity
  instanceType?: string
  specs?: Record<string, unknown>
}

export interface ActionOutcome {
  /** `running`: the cloud has accepted the action and not finished it; `look` reports the end. */
  status: 'succeeded' | 'running'
  observedState?: ResourceStatus
}

/** A cloud's own scaling policy for a resource. Kubernetes calls it an autoscaler. */
export interface NativePolicy {
  policyName: string
  /** The metric it uses: the product's own name if there is one (`cpu_percent`), otherwise the cloud's. */
  metric: string
  /** The target value, in the unit of the metric. */
  target: number
  managedBy: 'tidemark' | 'customer'
}

/** Our one policy that replaces all others. */
export type Replacement = Pick<NativePolicy, 'policyName' | 'metric' | 'target'> & {
  /** Identifies the call for the cloud: the same id has no second effect. */
  id: string
}

/** How far a resource may grow. */
export interface Quotas {
  /** The maximum units that its cloud allows now; left out if the cloud does not report it. */
  max?: number
}

/** What policies need in a cloud, by the cloud's names. */
export interface Infrastructure {
  /** The role it uses. */
  role: string
  /** The function that runs there and forwards changes. */
  runtime: string
}

/** Calls that change something, other than actions. */
export const changingCalls = [
  'replacePolicies',
  'createInfrastructure',
  'provision',
  'unprovision',
  'createDatabase',
  'dropDatabase',
] as const
export type ChangingCall = (typeof changingCalls)[number]

/** Decision G-33. The caller decides whether the network is reachable, which depends on our own addresses. */
export interface AccessFacts {
  accessible: boolean
  /** The role, service account or client that the service uses. */
  principal: string
  /** Only for `aws-eks`. `allowlist`: CIDRs that may reach the public endpoint. */
  network?: { publicAccess: boolean; allowlist: readonly string[] }
}

/**
 * The code for one cloud: what every cloud must offer. Each call and each page may throw a `cloudFault`, whose bucket
 * says who can act on it; nothing else is thrown on purpose. Calls only read, except `act` and the `ChangingCall`s.
 */
export interface Connector extends Provisioner<CloudAccount> {
  /** What it talks to. */
  readonly driver: Driver
  verify(account: CloudAccount): Promise<Verification>
  /** Left out for clouds without support for organizations. */
  readonly organization?: OrganizationReader
  /** With `only`, only resources of these types; its `seen` reflects that. */
  discover(account: CloudAccount, signal?: AbortSignal, only?: ReadonlySet<string>): Discovery
  /** Opens the object store that exports are written to. Left out for clouds without one. */
  readonly objects?: (account: CloudAccount, place: StorePlace, signal?: AbortSignal) => ObjectStore
  /** Left out for clouds whose prices are not read. */
  readonly prices?: ReadListPrices
  /** Samples with `from` <= ts < `to`, hourly unless `stepSeconds` says otherwise; in time order for each resource. */
  measure(
    account: CloudAccount,
    resources: readonly ResourceRef[],
    from: Date,
    to: Date,
    stepSeconds?: number,
  ): AsyncIterable<MetricSamples>
  /**
   * Current usage of the account's reachable clusters in the last complete five minutes before `at`; in messages within
   * their limits. Clusters that cannot be reached or do not grant access are left out.
   */
  usage(account: CloudAccount, at: Date, signal?: AbortSignal): AsyncIterable<KubernetesUsage>
  /**
   * The lines of the days `from` to `to` (YYYY-MM-DD, UTC, both included), in the cloud's order. Lines for days before
   * the bill's month are returned with its first day, lines for days after it with its last. Unreadable rows are
   * reported to `refusals`; the caller decides whether the rest is enough. A cloud that reads files gives their lines
   * to `lines`, if it is there, and no pages.
   */
  bill(
    account: CloudAccount,
    from: string,
    to: string,
    refusals?: BillRefusals,
    lines?: LineSink,
  ): AsyncIterable<BillingLine[]>
  /** @throws also `unsupported_action` of bucket `user_action` for actions that the resource type does not have */
  act(account: CloudAccount, action: CloudAction): Promise<ActionOutcome>
  /** The effect of a repeat, by action and by call; a missing entry is not offered. */
  readonly repeats: Readonly<Partial<Record<ActionKind | ChangingCall, Repeat>>>
  /** One call for the state of a resource, its number of units, and its kind. */
  look(account: CloudAccount, resource: ResourceRef): Promise<Look>
  access(account: CloudAccount, resource: ResourceRef): Promise<AccessFacts>
  /** Existing policies, including ours, by name; empty if there are none. */
  policies(account: CloudAccount, resource: ResourceRef): Promise<readonly NativePolicy[]>
  /**
   * Removes every policy of the resource and installs ours: afterwards it is the only one.
   * @throws also `unsupported_action` of bucket `user_action` for resources that cannot have one of our policies
   */
  replacePolicies(account: CloudAccount, resource: ResourceRef, replacement: Replacement): Promise<void>
  quotas(account: CloudAccount, resource: ResourceRef): Promise<Quotas>
  /**
   * Target types whose policies have no effect before the infrastructure of their account exists; empty if all work
   * immediately.
   */
  readonly infrastructureFor: readonly string[]
  /**
   * Creates the role and the serverless function that policies of the account need, one of each per account: if they
   * exist, they are described, whatever the id.
   */
  createInfrastructure(account: CloudAccount, request: { id: string }): Promise<Infrastructure>
}

/**
 * `user_action`: the customer must fix it; `transient`: retry; `system`: our code, or a response we do not understand.
 */
export const buckets = ['user_action', 'transient', 'system'] as const
export type Bucket = (typeof buckets)[number]

const kinds: Readonly<Record<Bucket, FaultKind>> = { user_action: 'refused', transient: 'transient', system: 'defect' }

/** An error of a cloud, as a Fault with its bucket in `detail.bucket`; `fixHint` and `consoleUrl` go into `detail`. */
export function cloudFault(bucket: Bucket, code: string, message: string, detail: Detail = {}, cause?: unknown): Fault {
  return new Fault(kinds[bucket], code, message, { ...detail, bucket }, cause)
}

function bucketIn(error: unknown): Bucket | undefined {
  const found = error instanceof Fault ? error.detail['bucket'] : undefined
  return buckets.find((bucket) => bucket === found)
}

/** The bucket of anything a connector threw; `system` if it was not thrown on purpose. */
export const bucketOf = (error: unknown): Bucket => bucketIn(error) ?? 'system'

/** Whether a connector threw it on purpose. */
export const isOfCloud = (error: unknown): boolean => bucketIn(error) !== undefined

/** Codes for a cloud that does not accept the credentials. */
const refusals: readonly string[] = ['credentials_refused', 'credentials_expired']

/** The fault of a connector whose cloud does not accept the account's credentials, even if wrapped in another error. */
export function refusalIn(error: unknown): Fault | undefined {
  if (!(error instanceof Fault)) return undefined
  const isRefusal = bucketOf(error) === 'user_action' && refusals.includes(error.code)
  return isRefusal ? error : refusalIn(error.cause)
}

/** Whether the cloud does not accept the account's credentials: nothing works until they are replaced. */
export const isCredentialsRefused = (error: unknown): boolean => refusalIn(error) !== undefined
