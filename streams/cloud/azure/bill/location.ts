/** Where the bill of a subscription is exported to. */
import { cloudFault } from '#streams/cloud/connector.ts'

export interface BillPlace {
  /** The storage account. */
  account: string
  container: string
  /** What names of blobs begin with; empty: all of the container. */
  prefix: string
}

/** Accounts of storage and containers are named so; whatever else there is would be put into an address. */
export const billPlaceShape =
  /^https:\/\/([a-z0-9]{3,24})\.blob\.core\.windows\.net\/([a-z0-9](?:-?[a-z0-9]){2,62})(?:\/((?!.*\.\.)[\w!'()./=+@ -]*))?$/

/** @throws a `user_action` fault `billing_export_invalid` */
export function placeOf(location: string): BillPlace {
  const [, account, container, prefix = ''] = billPlaceShape.exec(location) ?? []
  if (account === undefined || container === undefined)
    throw cloudFault('user_action', 'billing_export_invalid', `${location} is not an Azure storage container.`, {
      fixHint: 'Use https://<storage account>.blob.core.windows.net/<container>/<directory of the export>.',
    })
  return { account, container, prefix: prefix.replace(/\/+$/, '') }
}
