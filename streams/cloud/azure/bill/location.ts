/** Location of a subscription's exported bill. */
import { cloudFault } from '#streams/cloud/connector.ts'

export interface BillPlace {
  /** The storage account. */
  account: string
  container: string
  /** Prefix of blob names; empty for the whole container. */
  prefix: string
}

/** Valid names of storage accounts and containers. Others are refused, because the names become part of an address. */
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
