/** Objects in Cloud Storage. Source: "Objects: insert", "list" and "delete" of its JSON API, and "Multipart uploads". */
import { createHash, randomUUID } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { keysMax, type ObjectStore, type StorePlace } from '#streams/delivery/object-store.ts'
import { sendTo } from '#streams/cloud/gcp/session/api.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

const Names = t.Object({
  nextPageToken: t.Optional(t.String()),
  items: t.Optional(t.Array(t.Object({ name: t.String() }))),
})
const Nothing = t.Object({}, { additionalProperties: true })

export function gcsStore(
  options: GcpOptions,
  account: CloudAccount,
  { bucket }: StorePlace,
  signal?: AbortSignal,
): ObjectStore {
  const session = openGcp(account, options, signal)
  const path = `/b/${bucket}/o`
  return {
    async put(key, object) {
      const { boundary, body } = multipart(key, object)
      await session.called({ service: 'storage', permission: 'storage.objects.create' }, (how) =>
        sendTo(
          options,
          'storage',
          {
            path: `/upload/storage/v1${path}?uploadType=multipart`,
            method: 'POST',
            headers: { 'content-type': `multipart/related; boundary=${boundary}` },
            body,
          },
          how,
        ),
      )
    },
    async keys(prefix) {
      const query = { prefix, maxResults: 1000, fields: 'nextPageToken,items(name)' }
      const call = { service: 'storage', path, query, permission: 'storage.objects.list' } as const
      const keys: string[] = []
      for await (const { items = [] } of session.pages(call, Names)) {
        keys.push(...items.map(({ name }) => name))
        if (keys.length >= keysMax) break
      }
      return keys
    },
    async remove(key) {
      const call = { service: 'storage', method: 'DELETE', path: `${path}/${encodeURIComponent(key)}` } as const
      try {
        await session.ask({ ...call, permission: 'storage.objects.delete' }, Nothing)
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'not_found') throw error
      }
    },
    close: () => {},
  }
}

/** With a checksum, Cloud Storage refuses content that arrives changed. */
function multipart(name: string, { body, media }: { body: Buffer; media: string }) {
  const boundary = `tidemark-${randomUUID()}`
  const md5Hash = createHash('md5').update(body).digest('base64')
  const described = JSON.stringify({ name, contentType: media, md5Hash })
  const head =
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${described}\r\n` +
    `--${boundary}\r\nContent-Type: ${media}\r\n\r\n`
  return { boundary, body: Buffer.concat([Buffer.from(head), body, Buffer.from(`\r\n--${boundary}--\r\n`)]) }
}
