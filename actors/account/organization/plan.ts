/** Plans what to connect, enable and disable so that the connected accounts are those of a cloud organization. */
import { isDeepStrictEqual } from 'node:util'
import type { CloudAccount } from '#actors/account/entity.ts'
import type { MemberAction, Membership, CloudOrganization } from '#streams/account/organization.ts'
import type { OrganizationListing, ListedAccount } from '#streams/cloud/connector.ts'
import { isAllowed } from './filter.ts'

/** The account that manages the organization. */
export interface Manager {
  id: string
  organization: CloudOrganization
  /** How members are connected: the name of their role, or a fingerprint of the credentials that all of them share. */
  roleName: string
}

/** Includes disconnected accounts: an account that a person disconnected is not connected again. */
export type KnownAccount = Pick<CloudAccount, 'id' | 'externalId' | 'status' | 'membership'>

export const leftReasons = ['own', 'suspended', 'excluded', 'management', 'disabled', 'disconnected', 'limit'] as const
/**
 * Why nothing is done to an account. `own`: a person connected it. `suspended`, `excluded`: it is not connected, or
 * disabled already. `management`: a StackSet creates no role in the management account. `disabled`, `disconnected`: a
 * person did that. `limit`: the maximum number of accounts is connected.
 */
type LeftReason = (typeof leftReasons)[number]

export interface PlannedAction {
  externalId: string
  /** Missing for an account that is not known yet. */
  id?: string
  action: MemberAction
  membership: Membership
}

interface LeftAccount {
  externalId: string
  name: string
  path: string
  reason: LeftReason
}

export interface OrganizationPlan {
  actions: PlannedAction[]
  left: LeftAccount[]
  /** Connected and allowed already: at most their membership is updated. */
  unchanged: number
}

type Verdict = { action: MemberAction; membership: Membership; left?: LeftReason } | { left: LeftReason }

/**
 * `known`: every account of the provider; `room`: how many more may be connected. After the plan has been carried out,
 * the next plan is empty. Of accounts that people connected only the membership changes.
 */
export function planOrganization(
  manager: Manager,
  listing: Pick<OrganizationListing, 'managementId' | 'accounts'>,
  known: readonly KnownAccount[],
  room: number,
): OrganizationPlan {
  const plan: OrganizationPlan = { actions: [], left: [], unchanged: 0 }
  const byNumber = indexByNumber(known)
  let free = room
  for (const listed of listing.accounts) {
    const one = byNumber.get(listed.externalId)
    const membership = membershipOf(manager, listed, one)
    const verdict =
      one && isPresent(one)
        ? present(manager, listed, one, membership)
        : absent(manager, { listed, one, membership, free, isManagement: listed.externalId === listing.managementId })
    if ('action' in verdict && verdict.action === 'connect') free--
    add(plan, listed, one, verdict)
  }
  const there = new Set(listing.accounts.map(({ externalId }) => externalId))
  for (const one of byNumber.values()) if (!there.has(one.externalId)) addGone(plan, manager, one)
  return plan
}

/** A disconnected account counts only if no connected one has the same number. */
function indexByNumber(known: readonly KnownAccount[]): ReadonlyMap<string, KnownAccount> {
  const byNumber = new Map<string, KnownAccount>()
  for (const one of known) if (isPresent(one) || !byNumber.has(one.externalId)) byNumber.set(one.externalId, one)
  return byNumber
}

const isPresent = ({ status }: KnownAccount): boolean => status !== 'deleted'

const unmanagedState = { isManaged: false, isDisabled: false, roleName: '' }

/** Tags that could not be read stay unchanged. */
function membershipOf({ id }: Manager, listed: ListedAccount, one?: KnownAccount): Membership {
  const { isManaged, isDisabled, roleName } = one?.membership && isPresent(one) ? one.membership : unmanagedState
  return {
    managedBy: id,
    name: listed.name,
    path: listed.path,
    tags: { ...(listed.tags ?? one?.membership?.tags) },
    status: listed.isActive ? 'active' : 'suspended',
    isManaged,
    isDisabled,
    roleName,
  }
}

function present(manager: Manager, listed: ListedAccount, one: KnownAccount, membership: Membership): Verdict {
  if (!membership.isManaged) return { action: 'note', membership, left: 'own' }
  const isDisabled = one.status === 'disabled'
  if (!listed.isActive || !isAllowed({ ...listed, tags: membership.tags }, manager.organization)) {
    const left = listed.isActive ? 'excluded' : 'suspended'
    if (isDisabled) return { action: 'note', membership, left }
    return { action: 'disable', membership: { ...membership, isDisabled: true } }
  }
  if (isDisabled && !membership.isDisabled) return { action: 'note', membership, left: 'disabled' }
  const { roleName } = manager
  const current = { ...membership, roleName, isDisabled: false }
  if (isDisabled) return { action: 'enable', membership: current }
  const isSame = membership.roleName === roleName && one.membership?.managedBy === manager.id
  return { action: isSame ? 'note' : 'update', membership: current }
}

interface Absent {
  listed: ListedAccount
  one: KnownAccount | undefined
  membership: Membership
  free: number
  isManagement: boolean
}

function absent({ organization, roleName }: Manager, { listed, one, membership, free, isManagement }: Absent): Verdict {
  if (one?.membership?.isManaged) return { left: 'disconnected' }
  if (!listed.isActive) return { left: 'suspended' }
  if (isManagement) return { left: 'management' }
  if (!isAllowed({ ...listed, tags: membership.tags }, organization)) return { left: 'excluded' }
  if (free <= 0) return { left: 'limit' }
  return { action: 'connect', membership: { ...membership, isManaged: true, roleName } }
}

function add(plan: OrganizationPlan, listed: ListedAccount, one: KnownAccount | undefined, verdict: Verdict): void {
  const { externalId, name, path } = listed
  if (verdict.left !== undefined) plan.left.push({ externalId, name, path, reason: verdict.left })
  if (!('action' in verdict)) return
  const { action, membership } = verdict
  if (action === 'note' && verdict.left === undefined) plan.unchanged++
  if (action === 'note' && isDeepStrictEqual(membership, one?.membership)) return
  plan.actions.push({ externalId, ...(one && { id: one.id }), action, membership })
}

/** Disables or notes an account that its organization no longer lists. */
function addGone({ actions }: OrganizationPlan, manager: Manager, one: KnownAccount): void {
  const { id, externalId, status, membership: was } = one
  if (!was || !isPresent(one) || was.managedBy !== manager.id) return
  const gone = { ...was, status: 'left' as const }
  const isDisabling = was.isManaged && status !== 'disabled'
  if (isDisabling) actions.push({ externalId, id, action: 'disable', membership: { ...gone, isDisabled: true } })
  else if (was.status !== 'left') actions.push({ externalId, id, action: 'note', membership: gone })
}
