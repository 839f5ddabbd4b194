/** The container `exports` of the storage account `bills`, as its reference has it: lists by XML with markers, two a page; ranges with the version they are of. */
import type { Answer, Question } from './answer-server.ts'

export interface StoredBlob {
  at: string
  bytes: Buffer
}

const root = '/bills/exports'

export const farBlobs =
  (blobs: Readonly<Record<string, StoredBlob>>) =>
  ({ path, query, headers }: Question): Answer => {
    if (query['comp'] === 'list') return { body: listed(blobs, query['prefix'] ?? '', Number(query['marker'] ?? 0)) }
    const stored = blobs[path.slice(root.length + 1)]
    if (!stored) return { status: 404, headers: { 'x-ms-error-code': 'BlobNotFound' } }
    if (headers['if-match'] !== etagOf(stored))
      return { status: 412, headers: { 'x-ms-error-code': 'ConditionNotMet' } }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-ms-range']))!
    return { status: 206, body: stored.bytes.subarray(Number(from), Number(to) + 1) }
  }

const etagOf = ({ bytes }: StoredBlob): string => `0x${bytes.length}`

function listed(blobs: Readonly<Record<string, StoredBlob>>, prefix: string, from: number): string {
  const names = Object.keys(blobs)
    .filter((name) => name.startsWith(prefix))
    .toSorted()
  const inside = names.slice(from, from + 2).map((name) => {
    const stored = blobs[name]!
    return (
      `<Blob><Name>${name.replaceAll('&', '&amp;')}</Name><Properties><Last-Modified>${new Date(stored.at).toUTCString()}</Last-Modified>` +
      `<Etag>${etagOf(stored)}</Etag><Content-Length>${stored.bytes.length}</Content-Length></Properties></Blob>`
    )
  })
  const next = from + 2 < names.length ? `<NextMarker>${from + 2}</NextMarker>` : '<NextMarker />'
  return `<?xml version="1.0"?><EnumerationResults><Blobs>${inside.join('')}</Blobs>${next}</EnumerationResults>`
}
