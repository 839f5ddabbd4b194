/** The simulated cloud's scaling policies, quotas, and infrastructure for our policies. */
import type {
  CloudAccount,
  Infrastructure,
  NativePolicy,
  Quotas,
  Replacement,
  ResourceRef,
} from '#streams/cloud/connector.ts'
import { kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import { goneAt } from './alteration.ts'
import { changing } from '#streams/cloud/simulated/state/change-once.ts'
import { beginCall, isSimulated, resourceOf, simOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { policiesNow } from './native-policy.ts'
import { notFound, unsupportedFault } from './operate.ts'
import { quotaOf } from './quota.ts'

export async function policies(
  far: Far,
  account: CloudAccount,
  { resourceUid: uid }: ResourceRef,
): Promise<readonly NativePolicy[]> {
  await beginCall(far, { call: 'policies', cloudAccountId: account.id, resourceUid: uid })
  const resource = resourceOf(far, account, uid)
  if (isGone(far, account, uid)) return []
  const found = policiesNow(far.ledger.log, account.id, uid, resource).map((policy) => ({ ...policy }))
  return found.toSorted((one, other) => (one.policyName < other.policyName ? -1 : 1))
}

export async function quotas(far: Far, account: CloudAccount, { resourceUid }: ResourceRef): Promise<Quotas> {
  await beginCall(far, { call: 'quotas', cloudAccountId: account.id, resourceUid })
  const resource = resourceOf(far, account, resourceUid)
  const max = resource && quotaOf(resource.type)
  return max === undefined ? {} : { max }
}

const isGone = ({ world, ledger, now }: Far, { id }: CloudAccount, uid: string): boolean =>
  goneAt(world, ledger.log, id, uid) <= now().getTime()

/**
 * A Kubernetes autoscaler belongs to the deployment, and a Databricks pool follows its demand, so neither can have our
 * policies.
 */
const hasNone = (type: string): boolean =>
  kubernetesKind(type) !== undefined || type === 'azure-databricks-instance-pool'

export async function replacePolicies(
  far: Far,
  account: CloudAccount,
  { resourceUid: uid, type }: ResourceRef,
  { id, policyName, metric, target }: Replacement,
): Promise<void> {
  const installed: NativePolicy = { policyName, metric, target, managedBy: 'tidemark' }
  await changing(far, {
    call: { call: 'replacePolicies', cloudAccountId: account.id, resourceUid: uid, id },
    lasts: 0,
    found: () => far.ledger.outcomeOf(account.id, id),
    refused: () => {
      const resource = resourceOf(far, account, uid)
      const name = resource?.name ?? uid
      if ((!resource && isSimulated(account)) || isGone(far, account, uid)) return notFound(name)
      return hasNone(resource?.type ?? type) ? unsupportedFault(name, type, 'scaling policies of its cloud') : undefined
    },
    make: () => ({
      answer: { status: 'succeeded' },
      effect: { uid, policies: [installed], outcome: { status: 'succeeded' } },
    }),
  })
}

/** Milliseconds until a new role and function are available. */
const creationMs = 2000

export function createInfrastructure(far: Far, account: CloudAccount, { id }: { id: string }): Promise<Infrastructure> {
  const { provider, externalId } = account
  const made = (what: string): string => `simulated-${provider}-${what}/${externalId}/tidemark-scaling`
  const answer = { role: made('role'), runtime: made('function') }
  return changing(far, {
    call: { call: 'createInfrastructure', cloudAccountId: account.id, id },
    lasts: creationMs,
    found: () => far.ledger.infrastructureOf(account.id),
    refused: () => refusedAccount(far, account),
    make: () => ({ answer, effect: { uid: '', infrastructure: answer, outcome: { status: 'succeeded' } } }),
  })
}

/** A fault if the account should be simulated but does not exist. */
function refusedAccount(far: Far, account: CloudAccount): unknown {
  try {
    simOf(far, account)
    return undefined
  } catch (error) {
    return error
  }
}
