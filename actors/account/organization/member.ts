/** What the account's actor does with what its organization says of it, and with what a look at its own organization came to. */
import { beginAccount, isConnected } from '#actors/account/connect.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { link } from '#actors/account/link.ts'
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import type { accountListed, organizationSynced } from '#streams/account/organization.ts'

type Listed = Static<typeof accountListed.schema>

/** The account may have changed since it was planned: what a person did meanwhile stays. */
export function takeListed(account: CloudAccount, data: Listed, turn: Turn): void {
  if (isConnected(account)) takeMember(account, data, turn)
  else if (data.action === 'connect' && !account.membership?.isManaged) begin(account, data, turn)
}

function begin(account: CloudAccount, data: Listed, turn: Turn): void {
  const { id, provider, externalId, credentials, regions, membership } = data
  const { name } = membership
  beginAccount(account, { id, name, provider, externalId, credentials, regions, billingExport: null }, turn)
  account.membership = membership
}

function takeMember(account: CloudAccount, { action, credentials, membership }: Listed, turn: Turn): void {
  const was = account.membership
  const isManaged = was?.isManaged ?? false
  let isDisabled = was?.isDisabled ?? false
  if (isManaged && action === 'disable' && account.status !== 'disabled') {
    account.status = 'disabled'
    account.refusal = null
    isDisabled = true
  }
  if (isManaged && action === 'enable' && account.status === 'disabled' && isDisabled) {
    account.status = 'pending'
    isDisabled = false
  }
  if (isManaged && credentials !== null) account.credentials = credentials
  account.membership = { ...membership, isManaged, isDisabled, roleName: isManaged ? membership.roleName : '' }
  account.updatedAt = turn.now
  // A name that a person gave stays.
  if (isManaged && account.name === was?.name && account.name !== membership.name) {
    account.name = membership.name
    link(account, turn)
  }
}

export function takeSynced(account: CloudAccount, data: Static<typeof organizationSynced.schema>): void {
  const { at, listed, message } = data
  if (account.organization) account.organizationState = { at, listed, message }
}
