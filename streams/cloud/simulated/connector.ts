import type { BillingLine } from '#streams/billing/messages.ts'
import type {
  AccessFacts,
  ActionKind,
  ChangingCall,
  CloudAccount,
  Connector,
  DiscoveredResource,
  MetricSamples,
  ResourceRef,
  Verification,
} from '#streams/cloud/connector.ts'
import type { Repeat } from '#streams/cloud/resource/operation.ts'
import { act } from '#streams/cloud/simulated/action/act.ts'
import { dayLines } from '#streams/cloud/simulated/bill/bill.ts'
import { dayOf, days } from '#engine/value/day.ts'
import {
  beginCall,
  isSimulated,
  resourceOf,
  simOf,
  strikeCall,
  type Far,
} from '#streams/cloud/simulated/state/cloud-state.ts'
import { Ledger, type MadeCall } from '#streams/cloud/simulated/state/ledger.ts'
import { look } from '#streams/cloud/simulated/look.ts'
import { usedClusters } from '#streams/cloud/simulated/measure/cluster-usage.ts'
import { plannedFault, plannedVerdict, type Faults } from '#streams/cloud/simulated/state/faults.ts'
import { describeResource, present } from '#streams/cloud/simulated/inventory.ts'
import { samplesOf, type SampleSpan } from '#streams/cloud/simulated/measure/measure.ts'
import {
  billedByPayer,
  listConnectableAccounts,
  payerLines,
  payers,
  type ConnectableAccount,
} from '#streams/cloud/simulated/bill/payer.ts'
import { simulatedStore } from '#streams/cloud/simulated/object-store.ts'
import type { KnownMaking } from '#streams/cloud/simulated/action/log.ts'
import { madeResources } from '#streams/cloud/simulated/provision/provisioned-resources.ts'
import { provision, provisions, unprovision } from '#streams/cloud/simulated/provision/provision.ts'
import { createDatabase, dropDatabase } from '#streams/cloud/simulated/provision/database.ts'
import { describe } from '#streams/cloud/simulated/provision/describe.ts'
import { createInfrastructure, policies, quotas, replacePolicies } from '#streams/cloud/simulated/action/scaling.ts'
import { buildWorld, type World } from '#streams/cloud/simulated/world/world.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { intervalBefore, type Interval } from '#streams/kubernetes/interval.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'

export interface SimulatedCloudOptions {
  /** The same seed, day and clock give the same cloud. */
  seed: string
  now: () => Date
  /** Resolves after `ms`, or when `signal` is aborted. Only planned delays make the simulated cloud wait. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /**
   * The day (YYYY-MM-DD) from which stories count back; by default that of the first `now()`. Keep it across restarts,
   * or the past changes.
   */
  today?: string
  /** Folder for its state, shared by all processes that use it; without one, the state is lost with the process. */
  folder?: string
}

/** The simulated cloud: a connector for all three providers whose cloud is in this process. */
export interface SimulatedCloud extends Connector {
  /** Accounts that have resources. */
  readonly accounts: readonly ConnectableAccount[]
  /** Payers after their members, for an organization whose members have no bills of their own. */
  readonly consolidated: readonly ConnectableAccount[]
  readonly world: World
  readonly faults: Faults
  /** Everything that provisioning has created for an account, in order, including deleted objects. */
  madeFor(accountId: string): readonly KnownMaking[]
  /** What a scan would have found of these resources at a past moment. Does not count as a call. */
  foundAt(account: CloudAccount, uids: readonly string[], at: Date): DiscoveredResource[]
  /**
   * Usage of the account's clusters in a past interval. Does not count as a call; the messages are not split to their
   * size limit.
   */
  usageAt(account: CloudAccount, interval: Interval): KubernetesUsage[]
  /** The newest 10,000 calls, oldest first. */
  readonly calls: readonly MadeCall[]
  /** All recorded calls from a cursor or time on, oldest first; `next` is the cursor after them. */
  callsSince(since?: string | Date): { calls: readonly MadeCall[]; next: string }
}

const pageMax = 100

/** Repeats of all actions are recognized by their id. */
const byId = {
  start: 'token',
  stop: 'token',
  scale: 'token',
  pause: 'token',
  resize: 'token',
  set: 'token',
  snapshot: 'token',
  delete: 'token',
  replacePolicies: 'token',
  createInfrastructure: 'token',
  provision: 'token',
  unprovision: 'token',
  createDatabase: 'token',
  dropDatabase: 'token',
} as const satisfies Record<ActionKind | ChangingCall, Repeat>

/**
 * Opens the simulated cloud. Accounts whose externalId does not begin with `sim-` are empty: their data comes from
 * producers.
 */
export function simulatedCloud({ seed, now, sleep, today, folder }: SimulatedCloudOptions): SimulatedCloud {
  const world = buildWorld(seed, today ?? dayOf(now()))
  const far: Far = { now, sleep, world, ledger: new Ledger(folder) }
  return {
    accounts: connectable(world),
    consolidated: listConnectableAccounts(world),
    world,
    faults: {
      set: ({ faults: plan }) => {
        far.ledger.note(() => ({ entry: { at: now(), plan } }))
      },
      get planned() {
        far.ledger.catchUp()
        return far.ledger.planned
      },
    },
    foundAt: (account, uids, at) => foundAt(far, account, uids, at),
    usageAt: (account, interval) => usedClusters(far, account, interval),
    get calls() {
      far.ledger.catchUp()
      return far.ledger.calls
    },
    madeFor: (accountId) => {
      far.ledger.catchUp()
      return far.ledger.log.makingsAt(accountId)
    },
    callsSince: (since) => far.ledger.callsSince(since),
    driver: 'simulated',
    verify: (account) => verify(far, account),
    discover: (account, signal, only) => ({
      get seen() {
        if (!isSimulated(account) || signal?.aborted) return []
        return only ? [{ types: [...only], regions: [] }] : 'everything'
      },
      pages: discover(far, account, signal, only),
    }),
    measure: (account, resources, from, to, stepSeconds = 3600) =>
      measure(far, account, resources, { from: from.getTime(), to: to.getTime(), stepSeconds }),
    usage: (account, at, signal) => usage(far, account, at, signal),
    bill: (account, from, to) => bill(far, account, from, to),
    act: (account, action) => act(far, account, action),
    objects: (account, place) => simulatedStore(far, folder, account, place),
    repeats: byId,
    look: (account, resource) => look(far, account, resource),
    access: (account, resource) => access(far, account, resource),
    policies: (account, resource) => policies(far, account, resource),
    replacePolicies: (account, resource, replacement) => replacePolicies(far, account, resource, replacement),
    quotas: (account, resource) => quotas(far, account, resource),
    infrastructureFor: [],
    createInfrastructure: (account, request) => createInfrastructure(far, account, request),
    provisions,
    provision: (account, request) => provision(far, account, request),
    unprovision: (account, request) => unprovision(far, account, request),
    describe: (account, request) => describe(far, account, request),
    createDatabase: (account, request) => createDatabase(far, account, request),
    dropDatabase: (account, request) => dropDatabase(far, account, request),
  }
}

const connectable = ({ accounts }: World): SimulatedCloud['accounts'] =>
  accounts.map(({ provider, externalId, name, regions }) => ({ provider, externalId, name, regions }))

async function verify(far: Far, account: CloudAccount): Promise<Verification> {
  const error = await strikeCall(far, { call: 'verify', cloudAccountId: account.id })
  const verdict = plannedVerdict('verify', error)
  if (verdict) return { verdict, missingPermissions: missing[verdict] }
  if (error !== undefined) throw plannedFault(error)
  try {
    if (!simOf(far, account)) return { verdict: 'read_write', missingPermissions: [], message: notThere }
  } catch (fault) {
    return { verdict: 'none', missingPermissions: [], message: fault instanceof Error ? fault.message : '' }
  }
  return { verdict: 'read_write', missingPermissions: [] }
}

const notThere = 'This simulated cloud has no such account. Its resources and costs are sent by producers.'

const missing = {
  none: ['simulated:Describe', 'simulated:Start', 'simulated:Stop'],
  read_only: ['simulated:Start', 'simulated:Stop'],
  unknown: [],
}

async function* discover(
  far: Far,
  account: CloudAccount,
  signal?: AbortSignal,
  only?: ReadonlySet<string>,
): AsyncGenerator<DiscoveredResource[]> {
  await beginCall(far, { call: 'discover', cloudAccountId: account.id }, signal)
  const sim = simOf(far, account)
  const now = far.now()
  const { world, ledger } = far
  const made = madeResources(ledger.log, account, sim, now)
  const all = [...(world.resources.get(sim?.externalId ?? '') ?? []), ...made].filter(
    ({ type }) => only?.has(type) ?? true,
  )
  const found = present(world, ledger.log, account, all, now)
  for (let first = 0; first < found.length && !signal?.aborted; first += pageMax) {
    yield found
      .slice(first, first + pageMax)
      .map((resource) => describeResource(world, ledger.log, account.id, resource, now))
  }
}

function foundAt(far: Far, account: CloudAccount, uids: readonly string[], at: Date): DiscoveredResource[] {
  const { world, ledger } = far
  const known = uids.flatMap((uid) => resourceOf(far, account, uid) ?? [])
  const there = present(world, ledger.log, account, known, at)
  return there.map((resource) => describeResource(world, ledger.log, account.id, resource, at))
}

async function* measure(
  far: Far,
  account: CloudAccount,
  resources: readonly ResourceRef[],
  span: SampleSpan,
): AsyncGenerator<MetricSamples> {
  await beginCall(far, { call: 'measure', cloudAccountId: account.id })
  for (const { resourceUid } of resources) {
    const resource = resourceOf(far, account, resourceUid)
    if (resource) yield* samplesOf(far.world, far.ledger.log, account.id, resource, span)
  }
}

async function* usage(
  far: Far,
  account: CloudAccount,
  at: Date,
  signal?: AbortSignal,
): AsyncGenerator<KubernetesUsage> {
  await beginCall(far, { call: 'usage', cloudAccountId: account.id }, signal)
  for (const one of usedClusters(far, account, intervalBefore(at))) yield* partsOf(one)
}

async function* bill(far: Far, account: CloudAccount, from: string, to: string): AsyncGenerator<BillingLine[]> {
  await beginCall(far, { call: 'bill', cloudAccountId: account.id })
  const sim = simOf(far, account)
  if (!sim || account.billingExport?.kind === billedByPayer) return
  const books = { world: far.world, log: far.ledger.log, account, sim }
  const payer = payers.find(({ externalId }) => externalId === sim.externalId)
  for (const day of days(from < sim.born ? sim.born : from, to)) {
    yield payer ? payerLines(books, payer, day) : dayLines(books, day)
  }
}

/** From the resource's specs about its endpoint, whoever discovered it. */
async function access(far: Far, account: CloudAccount, resource: ResourceRef): Promise<AccessFacts> {
  await beginCall(far, { call: 'access', cloudAccountId: account.id, resourceUid: resource.resourceUid })
  const known = resourceOf(far, account, resource.resourceUid)
  const facts = { accessible: true, principal: `simulated-${account.provider}-role/${account.externalId}` }
  if (resource.type !== 'aws-eks') return facts
  const specs = resource.specs ?? known?.specs ?? {}
  const cidrs = specs['public_access_cidrs']
  const allowlist = Array.isArray(cidrs) ? cidrs.filter((cidr) => typeof cidr === 'string') : []
  return { ...facts, network: { publicAccess: specs['public_endpoint'] === true, allowlist } }
}
