/** Blobs of a container below a directory; for the command line. */
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { StoredObject } from '#streams/cloud/bill/stored-object.ts'
import { blobBytes, blobsIn } from './blob.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { placeIn } from './location.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'

/** @throws a `cloudFault`: faults of the storage, or `billing_export_invalid` for an invalid location */
export async function blobsBelow(
  options: AzureOptions,
  account: CloudAccount,
  location: string,
): Promise<StoredObject[]> {
  const session = openAzure(account, options)
  const { account: storage, container, prefix } = placeIn(location, session.hosts)
  const found: StoredObject[] = []
  const begins = location.endsWith('/') && prefix !== '' ? `${prefix}/` : prefix
  for await (const blob of blobsIn(session, { account: storage, container }, begins))
    if (blob.size > 0) found.push({ key: blob.name, at: blob.at, open: async () => blobBytes(session, blob) })
  return found
}
