/** Reads the beginning of a file: detects gzip, and formats that contain no rows. */
import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Fault } from '#engine/value/fault.ts'

export const chunkBytes = 256 * 1024
/** Bytes that are examined, enough for any reasonable header. */
const headBytes = 64 * 1024

export type Chunks = AsyncGenerator<Buffer, void>

/** The first bytes of a file, and a stream of the whole file including them. */
export interface FileHead {
  head: Buffer
  chunks: Chunks
}

export interface PlainBytes extends FileHead {
  /** Whether the file was gzipped. */
  isUnpacked: boolean
}

/** Decompresses a gzipped file; other files stay as they are. */
export async function plainBytes(file: AsyncIterable<Buffer | string>): Promise<PlainBytes> {
  const raw = await readHead(file)
  if (raw.head[0] !== 0x1f || raw.head[1] !== 0x8b) return { ...raw, isUnpacked: false }
  const unzip = createGunzip({ chunkSize: chunkBytes })
  pipeline(Readable.from(raw.chunks), unzip, () => undefined)
  return { ...(await readHead(unzip)), isUnpacked: true }
}

export async function readHead(stream: AsyncIterable<Buffer | string>): Promise<FileHead> {
  const rest = stream[Symbol.asyncIterator]()
  const seen: Buffer[] = []
  for (let size = 0; size < headBytes; size += seen.at(-1)!.length) {
    const next = await rest.next()
    if (next.done) break
    seen.push(bufferOf(next.value))
  }
  const head = Buffer.concat(seen)
  return { head: head.subarray(0, headBytes), chunks: prependHead(head, rest) }
}

async function* prependHead(head: Buffer, rest: AsyncIterator<Buffer | string>): Chunks {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield bufferOf(next.value)
  } finally {
    await rest.return?.()
  }
}

const bufferOf = (chunk: Buffer | string): Buffer => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)

export const isParquet = (head: Buffer): boolean => /^PAR[1E]/.test(head.toString('latin1', 0, 4))
export const isZip = (head: Buffer): boolean =>
  ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(head.toString('latin1', 0, 4))

/** By first bytes, each as one character. */
const magics: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a zip archive within another file'],
  ['\u00d0\u00cf\u0011\u00e0', 'a legacy Excel workbook (.xls)'],
  ['%PDF', 'a PDF document'],
  ['\u0028\u00b5\u002f\u00fd', 'Zstandard'],
  ['BZh', 'bzip2'],
  ['\u00fd7zXZ', 'xz'],
  ['\u001f\u008b', 'gzip inside gzip'],
  ['ORC', 'ORC'],
  ['Obj\u0001', 'Avro'],
]

/** @throws Fault `invalid` `file_format`, naming the file's format if it is not supported */
export function checkText(head: Buffer): void {
  const name = nameOf(head.toString('latin1'))
  if (name) throw notRead(name)
}

export const notRead = (name: string): Fault =>
  Fault.invalid('file_format', `The file is ${name}. Supported: CSV, JSON and Parquet, plain, gzipped or zipped.`)

function nameOf(start: string): string | undefined {
  const found = magics.find(([magic]) => start.startsWith(magic))?.[1]
  if (start.startsWith('PK') && /\[Content_Types\]\.xml|xl\//.test(start)) return 'an Excel workbook'
  return found ?? markup(start.replace(/^\u00ef\u00bb\u00bf/, '').trimStart())
}

function markup(start: string): string | undefined {
  if (/^<(?:!doctype html|html|head|body)/i.test(start)) return 'an HTML page'
  return /^<(?:\?xml|!--)/i.test(start) ? 'XML' : undefined
}
