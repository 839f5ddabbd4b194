/** Cloud Storage on loopback, as its reference has it: pages of two objects, ranges of one generation, gzip unpacked for who does not take it. */
import { gunzipSync } from 'node:zlib'
import { refusing, type Answer, type Question } from './far-google.ts'

export interface Stored {
  bytes: Buffer
  at?: string
  generation?: string
  /** It is stored as gzip, and says so: a range is only told of what is stored. */
  isEncoded?: boolean
}

const root = '/storage/v1/b/shop-bills/o'
const newest = ({ generation = '1' }: Stored): string => generation

export const farStorage =
  (objects: Readonly<Record<string, Stored>>) =>
  ({ path, query, headers }: Question): Answer => {
    if (path === root) return listed(objects, query)
    const stored = objects[path.slice(root.length + 1)]
    if (!stored || query.get('generation') !== newest(stored)) return refusing(404, 'notFound')
    const { bytes, isEncoded } = stored
    if (isEncoded && headers['accept-encoding'] !== 'gzip') return { body: gunzipSync(bytes) }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')!
    return { status: 206, body: bytes.subarray(Number(from), Number(to) + 1) }
  }

function listed(objects: Readonly<Record<string, Stored>>, query: URLSearchParams): Answer {
  const names = Object.keys(objects).filter((name) => name.startsWith(query.get('prefix') ?? ''))
  const from = Number(query.get('pageToken') ?? 0)
  const items = names
    .toSorted()
    .slice(from, from + 2)
    .map((name) => {
      const stored = objects[name]!
      const { bytes, at = '2026-04-02T00:00:00Z' } = stored
      return { name, updated: at, size: String(bytes.length), generation: newest(stored) }
    })
  return { body: { items, ...(from + 2 < names.length && { nextPageToken: String(from + 2) }) } }
}
