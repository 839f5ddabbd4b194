/** What the engine says of a failure, as far as analysts may hear it: its hints name what is of other organizations. */
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Question } from '#config/analyst/question.ts'
import type { UpstreamAnswer } from '#config/analyst/upstream.ts'
import { databaseNames } from '#config/analyst/database-name.ts'
import { pack, unpack } from '#config/embedded/clickhouse/compression.ts'
import { refusal } from '#config/embedded/clickhouse/error-codes.ts'

/** No error is longer, in bytes; unpacked neither. */
const bytesMax = 2 ** 20

const unpacking: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
}

/** The text of an answer that failed, without what is not the caller's, packed as the question wanted it. Never by HTTP. */
export async function readFailureText(
  answered: UpstreamAnswer,
  { fields }: Question,
  databases: ReadonlySet<string>,
): Promise<Buffer> {
  const { body, headers, code } = answered
  const unknown = Buffer.from(`Code: ${code ?? 1002}. DB::Exception: The query failed.\n`)
  const unpacked = unpacking[headers['content-encoding'] ?? 'identity'] ?? (async () => unknown)
  const carried = await atMost(body)
    .then((bytes) => unpacked(bytes, { maxOutputLength: bytesMax }))
    .catch(() => unknown)
  // As with a server: some are told in plain words whatever was wanted.
  const blocks = fields.get('compress') === '1' ? await unpack(carried, bytesMax).catch(() => undefined) : undefined
  const told = Buffer.from(withoutOthers((blocks ?? carried).toString(), databases))
  return blocks ? pack(told, fields.get('network_compression_method') ?? undefined) : told
}

/** @throws Error where there is more than any error has */
async function atMost(body: UpstreamAnswer['body']): Promise<Buffer> {
  let length = 0
  body.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > bytesMax) body.destroy(new Error('too much'))
  })
  return buffer(body)
}

const hint = /[.,:;]?\s*\b(?:maybe|perhaps|did) you \w+.*$/is
/** The name of the code, and the version where it is told. */
const tail = /\s\([A-Z][A-Z0-9_]+\)(?: \(version [^()]*(?:\([^()]*\))?\))?\s*$/
/** Where in the tables and by which of its ways the engine was reading. */
const reading = /:? ?\(while reading from part [^)]*\)|: While executing \w+(?:\([^)]*\))?/gi

/** Refusals whose texts count rows that the engine read, or memory that others take; these are said in words of ours. */
const refusalTexts: Readonly<Record<string, string>> = {
  158: 'The query exceeds the limit of rows to read. (TOO_MANY_ROWS)',
  160: 'The query would exceed the time limit. (TOO_SLOW)',
  241: 'The query exceeds the memory limit. (MEMORY_LIMIT_EXCEEDED)',
  307: 'The query exceeds the limit of bytes to read. (TOO_MANY_BYTES)',
}

/**
 * An error's text without hints, without the name of any database but the caller's own, and without a count of what was read, which
 * is not the caller's alone.
 */
export function withoutOthers(text: string, databases: ReadonlySet<string>): string {
  const [, code = ''] = /^Code: (\d+)/.exec(text) ?? []
  if (refusalTexts[code] !== undefined) return `${refusal(Number(code), refusalTexts[code]).message}\n`
  const end = tail.exec(text)?.[0] ?? '\n'
  const bare = hint.test(text) ? `${text.replace(hint, '')}.${end}` : text
  return bare.replace(reading, '').replace(databaseNames, (name) => (databases.has(name) ? name : 'org_...'))
}

/**
 * The engine's summary of an answer, with what the answer has in the place of what was read: drivers look for a row only where one
 * was. The engine counts bytes of its columns, dictionaries of all organizations among them; here they are those of the answer.
 */
export function summaryOf(told: string, bytes = '0'): string {
  const { result_rows: rows = '0', elapsed_ns = '0' } = JSON.parse(told) as Record<string, string>
  return JSON.stringify({ read_rows: rows, read_bytes: bytes, result_rows: rows, result_bytes: bytes, elapsed_ns })
}
