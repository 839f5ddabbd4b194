/** Objects of Cloud Storage below a prefix, for who reads them from the command line. */
import { Readable } from 'node:stream'
import { t } from '#engine/value/schema.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { objectsMax, type StoredObject } from '#streams/cloud/bill/stored-object.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

const Objects = t.Object({
  nextPageToken: t.Optional(t.String()),
  items: t.Optional(
    t.Array(t.Object({ name: t.String(), updated: t.String(), size: t.String(), generation: t.String() })),
  ),
})

const rangeBytes = 8 * 1024 * 1024

/** @throws a `cloudFault`: what Google says, `billing_export_invalid` for what is no place of it */
export async function objectsInGcs(
  options: GcpOptions,
  account: CloudAccount,
  location: string,
): Promise<StoredObject[]> {
  const [, bucket, prefix = ''] = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:\/(.*))?$/.exec(location) ?? []
  if (bucket === undefined) throw wrong(`${location} is not a Cloud Storage location.`, 'Use gs://<bucket>/<prefix>.')
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

/** All of one version of the object. */
async function* rangesOf(
  session: GcpSession,
  { path, size, generation }: { path: string; size: number; generation: string },
): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += rangeBytes) {
    const range = `bytes=${at}-${Math.min(size, at + rangeBytes) - 1}`
    const query = { alt: 'media', generation }
    yield await session.bytes({ service: 'storage', path, query, permission: 'storage.objects.get' }, range)
  }
}
