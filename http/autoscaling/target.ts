/** The targets of policies: where they are, and who may see them. */
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
  /** By its real name. */
  type: string
  uid: string
  cloudAccountId: string
  /** Where the type was given. */
  place: Pick<InputError, 'in' | 'name'>
}

export interface FoundTarget {
  account: CloudAccount
  /** Null for what the inventory does not know. */
  resource: Resource | null
}

/** @throws Fault `missing` for an account there is not, or that the caller does not see */
async function accountFound({ em }: Pick<Services, 'em'>, orgId: string, id: string): Promise<CloudAccount> {
  const account = await findAccount(em, orgId, id)
  if (!account) throw Fault.missing('cloud account', id)
  return account
}

/** @throws Fault `missing` for an account there is not, or in which the caller sees nothing */
export async function accountSeen(services: Pick<Services, 'em'>, caller: Caller, id: string): Promise<CloudAccount> {
  const account = await accountFound(services, caller.orgId, id)
  if (!(await isAccountSeen(services.em, caller.orgId, sightOf(caller), id))) throw Fault.missing('cloud account', id)
  return account
}

/**
 * The target in its account, as far as it is known. @throws Fault `missing` for an account there is not, or a target that the caller may
 * not see; `invalid` for a type that the inventory has otherwise
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
 * The target that the inventory knows: in the account that is given, else in the first one, by id, in which the caller sees it. @throws
 * Fault `missing` where there is none, `invalid` for a type that the inventory has otherwise
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
