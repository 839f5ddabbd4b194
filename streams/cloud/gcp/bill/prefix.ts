/** Objects in Cloud Storage below a prefix. */
import { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { objectsMax, rangesWithin, type StoredObject } from '#streams/cloud/bill/stored-object.ts'
import { placeInStorage } from './location.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

const Objects = t.Object({
  nextPageToken: t.Optional(t.String()),
  items: t.Optional(
    t.Array(t.Object({ name: t.String(), updated: t.String(), size: t.String(), generation: t.String() })),
  ),
})

/** @throws a `cloudFault`: faults of Google, or `billing_export_invalid` for an invalid location */
export async function objectsInGcs(
  options: GcpOptions,
  account: CloudAccount,
  location: string,
): Promise<StoredObject[]> {
  const place = placeInStorage(location)
  if (!place) throw wrong(`${location} is not a Cloud Storage location.`, 'Use gs://<bucket>/<prefix>.')
  const { bucket, prefix } = place
  const session = openGcp(account, options)
  const path = `/b/${bucket}/o`
  const call = {
    service: 'storage',
    path,
    query: { prefix, maxResults: 1000 },
    permission: 'storage.objects.list',
  } as const
  const found: StoredObject[] = []
  for await (const { items = [] } of session.pages(call, Objects)) {
    for (const { name: key, updated, size, generation } of items) {
      const object = { path: `${path}/${encodeURIComponent(key)}`, size: Number(size), generation }
      const open = async () => Readable.from(rangesOf(session, object), { objectMode: false })
      if (!key.endsWith('/')) found.push({ key, at: new Date(updated), open })
    }
    if (found.length > objectsMax)
      throw wrong(`The location has more than ${objectsMax} objects.`, 'Use the folder of the export.')
  }
  return found
}

const wrong = (message: string, fixHint: string) =>
  cloudFault('user_action', 'billing_export_invalid', message, { fixHint })

/**
 * All ranges are of the same version of the object.
 * @throws `bill_replaced` of bucket `transient` if the object was replaced meanwhile
 */
async function* rangesOf(
  session: GcpSession,
  { path, size, generation }: { path: string; size: number; generation: string },
): AsyncGenerator<Buffer> {
  for (const [first, last] of rangesWithin(size)) {
    const query = { alt: 'media', generation }
    const call = { service: 'storage', path, query, permission: 'storage.objects.get' } as const
    const bytes = await session.bytes(call, `bytes=${first}-${last}`).catch((error: unknown) => {
      throw error instanceof Fault && error.code === 'not_found' ? overwritten(path, error) : error
    })
    if (bytes.length !== last - first + 1) throw overwritten(path)
    yield bytes
  }
}

const overwritten = (path: string, cause?: unknown): Fault => {
  const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  return cloudFault('transient', 'bill_replaced', `${name} was overwritten while it was being read.`, {}, cause)
}
