/** Blobs of a container. Source: "Put Blob", "List Blobs" and "Delete Blob" of the Blob service REST API. */
import { createHash } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { keysMax, type ObjectStore, type StorePlace } from '#streams/delivery/object-store.ts'
import { blobsIn, callOf } from '#streams/cloud/azure/bill/blob.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'

const permissionTo = (verb: string) => `Microsoft.Storage/storageAccounts/blobServices/containers/blobs/${verb}`

export function blobStore(
  options: AzureOptions,
  account: CloudAccount,
  { bucket: container, storageAccount = '' }: StorePlace,
  signal?: AbortSignal,
): ObjectStore {
  const session = openAzure(account, options, signal)
  const at = { account: storageAccount, container }
  return {
    async put(key, { body, media }) {
      const call = callOf(at, key)
      await session.raw({
        ...call,
        method: 'PUT',
        permission: permissionTo('write'),
        headers: {
          ...call.headers,
          'x-ms-blob-type': 'BlockBlob',
          'content-type': media,
          // The service refuses content that arrives changed.
          'content-md5': createHash('md5').update(body).digest('base64'),
        },
        content: body,
      })
    },
    async keys(prefix) {
      const keys: string[] = []
      for await (const { name } of blobsIn(session, at, prefix)) if (keys.push(name) >= keysMax) break
      return keys
    },
    async remove(key) {
      try {
        await session.raw({ ...callOf(at, key), method: 'DELETE', permission: permissionTo('delete') })
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'not_found') throw error
      }
    },
    close: () => {},
  }
}
