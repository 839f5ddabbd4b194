/** Location of a subscription's bill: an export in a container, or the subscription itself, whose costs are queried. */
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { azureClouds } from '#streams/cloud/azure/session/cloud.ts'

export interface BillPlace {
  /** The storage account. */
  account: string
  /** What follows it in the host name, which differs by cloud. */
  root: string
  container: string
  /** Prefix of blob names; empty for the whole container. */
  prefix: string
}

const roots = Object.values(azureClouds).map(({ blobs }) => blobs.replaceAll('.', '\\.'))

/** Valid names of storage accounts and containers. Others are refused, because the names become part of an address. */
export const billPlaceShape = new RegExp(
  `^https:\\/\\/([a-z0-9]{3,24})\\.(${roots.join('|')})\\/([a-z0-9](?:-?[a-z0-9]){2,62})(?:\\/((?!.*\\.\\.)[\\w!'()./=+@ -]*))?$`,
)

/** `/subscriptions/ID`: a scope of Cost Management. */
export const scopeShape = /^\/subscriptions\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/

/**
 * Whether the costs of the account's subscription are queried.
 * @throws a `user_action` fault `billing_export_invalid` for another subscription
 */
export function isScope({ externalId }: Pick<CloudAccount, 'externalId'>, location: string): boolean {
  const [, subscription] = scopeShape.exec(location) ?? []
  if (subscription === undefined) return false
  if (subscription.toLowerCase() === externalId.toLowerCase()) return true
  throw cloudFault('user_action', 'billing_export_invalid', `${location} is not the subscription of the account.`, {
    fixHint: `Use /subscriptions/${externalId}, and connect other subscriptions as accounts of their own.`,
  })
}

/**
 * The container in `location`, in the account's cloud, whose hosts of blobs are below `blobs`.
 * @throws a `user_action` fault `billing_export_invalid`
 */
export function placeIn(location: string, { blobs }: { blobs: string }): BillPlace {
  const [, account, root, container, prefix = ''] = billPlaceShape.exec(location) ?? []
  if (account === undefined || root === undefined || container === undefined)
    throw cloudFault('user_action', 'billing_export_invalid', `${location} is not an Azure storage container.`, {
      fixHint: `Use https://<storage account>.${blobs}/<container>/<directory of the export>.`,
    })
  if (root !== blobs)
    throw cloudFault('user_action', 'billing_export_invalid', `${location} is not in the cloud of the account.`, {
      fixHint: `Storage accounts of its cloud have addresses that end in ${blobs}.`,
    })
  return { account, root, container, prefix: prefix.replace(/\/+$/, '') }
}
