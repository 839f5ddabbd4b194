/** The beginning of a file: tells gzip from plain bytes, and names what is no text of rows. */
import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Fault } from '#engine/fault.ts'

export const chunkBytes = 256 * 1024
/** What is looked at: a header longer than this is one of commas. */
const headBytes = 64 * 1024

export type Chunks = AsyncGenerator<Buffer, void>

/** The bytes as they were before gzip, and the first of them. @throws Fault `invalid` `file_format`, saying what the file is */
export async function plainBytes(file: Readable): Promise<{ head: Buffer; chunks: Chunks }> {
  const raw = await peeked(file)
  if (raw.head[0] !== 0x1f || raw.head[1] !== 0x8b) return known(raw)
  const unzip = createGunzip({ chunkSize: chunkBytes })
  pipeline(Readable.from(raw.chunks), unzip, () => undefined)
  return known(await peeked(unzip))
}

/** The first bytes of a stream, and the whole stream with them. */
async function peeked(stream: Readable): Promise<{ head: Buffer; chunks: Chunks }> {
  const rest = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>
  const seen: Buffer[] = []
  for (let size = 0; size < headBytes; size += seen.at(-1)!.length) {
    const next = await rest.next()
    if (next.done) break
    seen.push(Buffer.from(next.value as Buffer))
  }
  const head = Buffer.concat(seen)
  return { head: head.subarray(0, headBytes), chunks: joined(head, rest) }
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer | string>): Chunks {
  if (head.length > 0) yield head
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield Buffer.from(next.value as Buffer)
  } finally {
    await rest.return?.()
  }
}

/** By the first bytes, one character each. */
const magics: readonly (readonly [string, string])[] = [
  ['PAR1', 'Parquet'],
  ['PK\u0003\u0004', 'a zip archive'],
  ['\u00d0\u00cf\u0011\u00e0', 'an Excel workbook of the old kind'],
  ['%PDF', 'a PDF document'],
  ['\u0028\u00b5\u002f\u00fd', 'Zstandard'],
  ['BZh', 'bzip2'],
  ['\u00fd7zXZ', 'xz'],
  ['\u001f\u008b', 'gzip inside gzip'],
  ['\u00ff\u00fe', 'text in UTF-16, not in UTF-8'],
  ['\u00fe\u00ff', 'text in UTF-16, not in UTF-8'],
]

function known<T extends { head: Buffer }>(bytes: T): T {
  const name = nameOf(bytes.head.toString('latin1'))
  if (name) throw Fault.invalid('file_format', `The file is ${name}; CSV and JSON, plain or gzipped, can be read.`)
  return bytes
}

function nameOf(start: string): string | undefined {
  const found = magics.find(([magic]) => start.startsWith(magic))?.[1]
  if (found === 'a zip archive' && /\[Content_Types\]\.xml|xl\//.test(start)) return 'an Excel workbook'
  return found ?? markup(start.replace(/^\u00ef\u00bb\u00bf/, '').trimStart())
}

function markup(start: string): string | undefined {
  if (/^<(?:!doctype html|html|head|body)/i.test(start)) return 'an HTML page'
  return /^<(?:\?xml|!--)/i.test(start) ? 'XML' : undefined
}
