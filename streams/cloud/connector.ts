import { Fault, type Detail, type FaultKind } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { accountVerified, BillingExport } from '#streams/account/messages.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { metricSample } from '#streams/metric/messages.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import type { Provider } from '#streams/names.ts'
import type { Seen } from '#streams/refresh.ts'
import type { Repeat } from '#streams/cloud/resource/operation.ts'
import type { Provisioner } from '#streams/cloud/provision.ts'
import type { resourceDiscovered, Status } from '#streams/resource/messages.ts'

/** `simulated`: a cloud in this process. `real`: the cloud of the provider. `none`: nothing, producers say all there is. */
export const drivers = ['simulated', 'real', 'none'] as const
export type Driver = (typeof drivers)[number]

/** A connected account as a connector sees it. */
export interface CloudAccount {
  id: string
  orgId: string
  provider: Provider
  /** The provider's own number or name of the account. */
  externalId: string
  name: string
  /** Empty means every enabled region. */
  regions: readonly string[]
  /** Opened, in the provider's own shape; only that provider's connector looks inside. */
  credentials: unknown
  /** Left out where the account has none. */
  billingExport?: BillingExport
}

/** What the credentials are good for. A refused credential is the verdict `none`; a cloud out of reach is a Fault. */
export type Verification = Pick<Static<typeof accountVerified.schema>, 'verdict' | 'missingPermissions'> & {
  message?: string
  /** Permission by permission, where the cloud tells. */
  permissions?: readonly PermissionCheck[]
}

/** `unknown`: the cloud does not tell without doing it. */
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
  /** Its organizational units from the root on: `/Production/Payments`; `/` is the root itself. */
  path: string
  /** Left out where they were not asked for, or could not be read. */
  tags?: Readonly<Record<string, string>>
  isActive: boolean
}

/** All accounts of an organization: one that is not here has left it. */
export interface OrganizationListing {
  /** The account that pays for the others. */
  managementId: string
  accounts: readonly ListedAccount[]
  /** What could not be read and why, for people. */
  message?: string
}

/** What of an organization is listed. */
export interface ListingScope {
  /** Tags may cost a call for each account. */
  withTags: boolean
  /** Of Google Cloud: the folder or the organization whose projects are listed. */
  parent?: string | undefined
}

/** `account` is the one that the organization is connected by. */
export interface OrganizationReader {
  /** @throws rather than leave an account out */
  list(account: CloudAccount, scope: ListingScope, signal?: AbortSignal): Promise<OrganizationListing>
  /** Credentials of a member, in the provider's own shape. */
  credentialsFor(account: CloudAccount, externalId: string, roleName: string): unknown
  /** Members are asked with the account's own credentials: when those are replaced, theirs are. */
  readonly sharesCredentials?: true
}

/** A resource as the cloud describes it; who asked, and in which refresh, is for the caller to add. */
export type DiscoveredResource = Omit<Static<typeof resourceDiscovered.schema>, 'cloudAccountId' | 'refreshId'>

/**
 * What the discovery of an account has looked through. `everything`: all that the connector finds of any type. A list: what lies in
 * none of its parts was not seen, so that nothing of it is deleted for not having turned up; the empty list has seen nothing.
 */
export type Extent = 'everything' | readonly Seen[]

export interface Discovery {
  /** Read these after the pages. */
  readonly seen: Extent
  /** What the cloud did not allow to be looked at, by its own names of permissions; each once. */
  readonly missingPermissions?: readonly string[]
  /** What of the account could not be seen and why, for people; left out where all could be. */
  readonly message?: string | undefined
  /** Parents before their children, each resource once. */
  readonly pages: AsyncIterable<DiscoveredResource[]>
}

/** What a connector has to know of a resource to find it in its cloud; its size, to tell shares of it. */
export type ResourceRef = Pick<
  DiscoveredResource,
  'resourceUid' | 'type' | 'region' | 'specs' | 'instanceType' | 'sizeGB'
>

/** 1 to 5,000 samples of one resource. */
export type MetricSamples = Static<typeof metricSample.schema>

export const actionKinds = ['start', 'stop', 'scale', 'pause', 'resize', 'set', 'snapshot', 'delete'] as const
export type ActionKind = (typeof actionKinds)[number]

export interface Action {
  /** Names the action for the far side: asked again under the same id it has no second effect. */
  id: string
  kind: ActionKind
  resource: ResourceRef
  /** Counts of units: for `scale`, and of what is counted what a `start` brings back. */
  params?: Partial<Capacity>
  /** For `resize`: the size it shall be of. */
  size?: string
  /** For `set`: what its specs shall say; what is left out stays. */
  specs?: Readonly<Record<string, unknown>>
}

/** How many units a resource that is counted may have, and is to have. */
export interface Capacity {
  min: number
  max: number
  desired: number
}

/** One resource as its cloud has it now. What the cloud does not tell is left out: it is as the inventory says. */
export interface Look {
  exists: boolean
  status?: Status
  /** Of what is counted. */
  capacity?: Capacity
  instanceType?: string
  specs?: Record<string, unknown>
}

export interface ActionOutcome {
  /** `running`: the cloud has taken the action and is not done with it; `look` tells. */
  status: 'succeeded' | 'running'
  observedState?: Status
}

/** A rule by which a cloud itself says how many units a resource has. Kubernetes calls it an autoscaler. */
export interface NativePolicy {
  policyName: string
  /** What it watches: the product's own name where there is one (`cpu_percent`), else the cloud's. */
  metric: string
  /** What it keeps the metric at, in the unit of the metric. */
  target: number
  managedBy: 'tidemark' | 'customer'
}

/** The one policy of ours that is to stand where others stood. */
export type Replacement = Pick<NativePolicy, 'policyName' | 'metric' | 'target'> & {
  /** Names the call for the far side: asked again under the same id it has no second effect. */
  id: string
}

/** How far a resource may grow. */
export interface Quotas {
  /** The most units its cloud lets it have now; left out where the cloud does not tell. */
  max?: number
}

/** What policies need at a cloud, by the names that it gave them. */
export interface Infrastructure {
  /** What it acts as. */
  role: string
  /** What runs there and forwards changes. */
  runtime: string
}

/** Calls that change something, beside what actions do. */
export const changingCalls = [
  'replacePolicies',
  'createInfrastructure',
  'provision',
  'unprovision',
  'createDatabase',
  'dropDatabase',
] as const
export type ChangingCall = (typeof changingCalls)[number]

/** Decision G-33. Whether the network is reachable is for the caller to conclude: it depends on our own addresses. */
export interface AccessFacts {
  accessible: boolean
  /** The role, service account or client the service acts as. */
  principal: string
  /** For `aws-eks` only. `allowlist`: CIDRs that may reach the public endpoint. */
  network?: { publicAccess: boolean; allowlist: readonly string[] }
}

/**
 * Our side of one cloud: what every cloud must offer. Each call and each page may throw a `cloudFault`, whose bucket says
 * who can act on it; nothing else is thrown on purpose. Calls read only, `act` and the `ChangingCall`s excepted.
 */
export interface Connector extends Provisioner<CloudAccount> {
  /** What it speaks to. */
  readonly driver: Driver
  verify(account: CloudAccount): Promise<Verification>
  /** Left out by clouds whose organizations are not followed. */
  readonly organization?: OrganizationReader
  /** With `only`, resources of these types alone; its `seen` says so. */
  discover(account: CloudAccount, signal?: AbortSignal, only?: ReadonlySet<string>): Discovery
  /** Samples with `from` <= ts < `to`, hourly unless `stepSeconds` says otherwise; in order of time within a resource. */
  measure(
    account: CloudAccount,
    resources: readonly ResourceRef[],
    from: Date,
    to: Date,
    stepSeconds?: number,
  ): AsyncIterable<MetricSamples>
  /**
   * Who used the clusters of the account that can be reached, in the five minutes that ended last before `at`, as they are now; in
   * messages of their bounds. One that cannot be reached, or does not let itself be seen, is left out.
   */
  usage(account: CloudAccount, at: Date, signal?: AbortSignal): AsyncIterable<KubernetesUsage>
  /**
   * The lines of the days `from` to `to` (YYYY-MM-DD, UTC, both included), in the order in which the cloud has them. What a bill says of
   * days before its month comes with its first day. Rows that cannot be read are told to `refusals`: what is left is the caller's to judge.
   */
  bill(account: CloudAccount, from: string, to: string, refusals?: BillRefusals): AsyncIterable<BillingLine[]>
  /** @throws besides, `unsupported_action` of bucket `user_action` for what the type of resource has not */
  act(account: CloudAccount, action: Action): Promise<ActionOutcome>
  /** What asking twice does, by kind of action and by call; one that is not here is not offered. */
  readonly repeats: Readonly<Partial<Record<ActionKind | ChangingCall, Repeat>>>
  /** One call for what a resource is doing, how many units it has, and of what kind it is. */
  look(account: CloudAccount, resource: ResourceRef): Promise<Look>
  access(account: CloudAccount, resource: ResourceRef): Promise<AccessFacts>
  /** Those that stand, ours among them, by name; none for what has none. */
  policies(account: CloudAccount, resource: ResourceRef): Promise<readonly NativePolicy[]>
  /**
   * Removes every policy of the resource and installs ours: afterwards it has that one alone.
   * @throws besides, `unsupported_action` of bucket `user_action` for what can have no policy of ours
   */
  replacePolicies(account: CloudAccount, resource: ResourceRef, replacement: Replacement): Promise<void>
  quotas(account: CloudAccount, resource: ResourceRef): Promise<Quotas>
  /** Types of targets whose policies do nothing before the infrastructure of their account is made; empty where all work at once. */
  readonly infrastructureFor: readonly string[]
  /**
   * Makes the role and the serverless function that policies of the account need. There is one of each an account: where they
   * stand already they are described, whatever the id.
   */
  createInfrastructure(account: CloudAccount, request: { id: string }): Promise<Infrastructure>
}

/** `user_action`: the customer must fix it; `transient`: try again; `system`: our code, or an answer we do not understand. */
export const buckets = ['user_action', 'transient', 'system'] as const
export type Bucket = (typeof buckets)[number]

const kinds: Readonly<Record<Bucket, FaultKind>> = { user_action: 'refused', transient: 'transient', system: 'defect' }

/** The error of a cloud, as a Fault that carries its bucket in `detail.bucket`; `fixHint` and `consoleUrl` go into `detail`. */
export function cloudFault(bucket: Bucket, code: string, message: string, detail: Detail = {}, cause?: unknown): Fault {
  return new Fault(kinds[bucket], code, message, { ...detail, bucket }, cause)
}

/** The bucket of anything a connector threw; `system` for what it did not throw on purpose. */
export function bucketOf(error: unknown): Bucket {
  const found = error instanceof Fault ? error.detail['bucket'] : undefined
  return buckets.find((bucket) => bucket === found) ?? 'system'
}

/** The codes of a cloud that does not take the credentials it is shown. */
const refusals: readonly string[] = ['credentials_refused', 'credentials_expired']

/** What a connector threw because the cloud does not take the account's credentials, also where others have said more of it. */
export function refusalIn(error: unknown): Fault | undefined {
  if (!(error instanceof Fault)) return undefined
  const isRefusal = bucketOf(error) === 'user_action' && refusals.includes(error.code)
  return isRefusal ? error : refusalIn(error.cause)
}

/** Whether the cloud does not take the account's credentials: nothing works until they are renewed. */
export const isCredentialsRefused = (error: unknown): boolean => refusalIn(error) !== undefined
