/** How an account reacts to what its cloud organization reports, and a managing account to the result of its sync. */
import { isDeepStrictEqual } from 'node:util'
import { beginAccount, isConnected } from '#actors/account/connection/connect.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { link } from '#actors/account/connection/link.ts'
import { accountRules, allocations, wholeAllocation } from '#analytics/attribution/projections.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { accountListed, Membership, organizationSynced } from '#streams/account/organization.ts'

type ListedMember = Static<typeof accountListed.schema>

/** The account may have changed since the plan was made: a person's changes since then are kept. */
export function takeListed(account: CloudAccount, data: ListedMember, turn: Turn): void {
  const was = account.membership
  if (isConnected(account)) takeMember(account, data, turn)
  else if (data.action === 'connect' && !account.membership?.isManaged) begin(account, data, turn)
  if (isDeepStrictEqual(factsOf(was), factsOf(account.membership))) return
  turn.mark(allocations, wholeAllocation)
  turn.mark(accountRules, 'all')
}

/** The facts that allocation rules and account rules can test. */
const factsOf = (membership: Membership | null | undefined) => [membership?.path, membership?.tags]

function begin(account: CloudAccount, data: ListedMember, turn: Turn): void {
  const { id, provider, externalId, credentials, regions, membership } = data
  const { name } = membership
  beginAccount(account, { id, name, provider, externalId, credentials, regions, billingExport: null }, turn)
  account.membership = membership
}

function takeMember(account: CloudAccount, data: ListedMember, turn: Turn): void {
  const { membership } = data
  const was = account.membership
  if (was?.isManaged) follow(account, was, data, turn)
  else account.membership = { ...membership, isManaged: false, isDisabled: false, roleName: '' }
  account.updatedAt = turn.now
}

/** Updates an account that the organization connected. */
function follow(
  account: CloudAccount,
  was: Membership,
  { action, credentials, membership }: ListedMember,
  turn: Turn,
): void {
  let { isDisabled } = was
  if (action === 'disable' && account.status !== 'disabled') {
    account.status = 'disabled'
    account.refusal = null
    isDisabled = true
  }
  if (action === 'enable' && account.status === 'disabled' && isDisabled) {
    account.status = 'pending'
    isDisabled = false
  }
  if (credentials !== null) account.credentials = credentials
  account.membership = { ...membership, isManaged: true, isDisabled }
  // A name given by a person is kept.
  if (account.name !== was.name || account.name === membership.name) return
  account.name = membership.name
  link(account, turn)
}

export function takeSynced(account: CloudAccount, data: Static<typeof organizationSynced.schema>): void {
  const { at, listed, message } = data
  if (account.organization) account.organizationState = { at, listed, message }
}
