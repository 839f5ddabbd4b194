/** The targets of policies: their place, and who may see them. */
import type { CloudAccount } from '#actors/account/entity.ts'
import { findAccount } from '#actors/account/queries.ts'
import { findTargets, isAccountSeen, isTargetSeen, seenTargets } from '#actors/autoscaling/target/queries.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { typeProblems } from '#http/autoscaling/check.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { sightOf } from '#http/recommendation/body.ts'

export interface TargetRequest {
  /** Real type, in place of a simulated one. */
  type: string
  uid: string
  cloudAccountId: string
  /** Where the request has the type. */
  place: Pick<InputError, 'in' | 'name'>
}

export interface FoundTarget {
  account: CloudAccount
  /** Null if the inventory does not have it. */
  resource: Resource | null
}

/** @throws Fault `missing` if the account does not exist or the caller may not see it */
async function accountFound({ em }: Pick<Services, 'em'>, orgId: string, id: string): Promise<CloudAccount> {
  const account = await findAccount(em, orgId, id)
  if (!account) throw Fault.missing('cloud account', id)
  return account
}

/** @throws Fault `missing` if the account does not exist or the caller sees nothing in it */
export async function accountSeen(services: Pick<Services, 'em'>, caller: Caller, id: string): Promise<CloudAccount> {
  const account = await accountFound(services, caller.orgId, id)
  if (!(await isAccountSeen(services.em, caller.orgId, sightOf(caller), id))) throw Fault.missing('cloud account', id)
  return account
}

/**
 * The target in its account, with what is known of it.
 * @throws Fault `missing` if the account does not exist or the caller may not see the target; `invalid` if the
 * inventory has another type
 */
export async function targetFound(
  services: Pick<Services, 'em'>,
  caller: Caller,
  { type, uid, cloudAccountId, place }: TargetRequest,
): Promise<FoundTarget> {
  const { em } = services
  const account = await accountFound(services, caller.orgId, cloudAccountId)
  if (!(await isTargetSeen(em, caller.orgId, sightOf(caller), { cloudAccountId, uid })))
    throw Fault.missing('target', uid)
  const [resource = null] = await findTargets(em, caller.orgId, { uid, cloudAccountId })
  const wrong = typeProblems(type, { provider: account.provider, type: resource?.type }, place)
  if (wrong.length > 0) throw badInput(...wrong)
  return { account, resource }
}

/**
 * The target in the inventory: in the given account, otherwise in the first one, by id, in which the caller sees it.
 * @throws Fault `missing` if there is none, `invalid` if the inventory has another type
 */
export async function knownTarget(
  services: Pick<Services, 'em'>,
  caller: Caller,
  { uid, cloudAccountId, ...asked }: Omit<TargetRequest, 'cloudAccountId'> & { cloudAccountId?: string | undefined },
): Promise<FoundTarget & { resource: Resource }> {
  const [resource] = await seenTargets(services.em, caller.orgId, sightOf(caller), { uid, cloudAccountId })
  if (!resource) throw Fault.missing('target', uid)
  const at = { ...asked, uid, cloudAccountId: resource.cloudAccountId }
  const { account } = await targetFound(services, caller, at)
  return { account, resource }
}
