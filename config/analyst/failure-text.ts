/**
 * Removes from the engine's error texts what analysts must not see: its hints may name objects of other organizations.
 */
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { Question } from '#config/analyst/question.ts'
import type { UpstreamAnswer } from '#config/analyst/upstream.ts'
import { databaseNames } from '#config/analyst/database-name.ts'
import { pack, unpack } from '#config/embedded/clickhouse/compression.ts'
import { refusal } from '#config/embedded/clickhouse/error-codes.ts'

/** Maximum bytes of an error text, packed and unpacked. */
const bytesMax = 2 ** 20

const unpacking: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
}

/**
 * The text of a failed answer, without details of other organizations. Compressed as the query requested, but not by
 * HTTP.
 */
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
  // Like a ClickHouse server, the upstream sends some errors as plain text even if compression was requested.
  const blocks = fields.get('compress') === '1' ? await unpack(carried, bytesMax).catch(() => undefined) : undefined
  const told = Buffer.from(withoutOthers((blocks ?? carried).toString(), databases))
  return blocks ? pack(told, fields.get('network_compression_method') ?? undefined) : told
}

/** @throws Error if the body is longer than `bytesMax` */
async function atMost(body: UpstreamAnswer['body']): Promise<Buffer> {
  let length = 0
  body.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > bytesMax) body.destroy(new Error('too much'))
  })
  return buffer(body)
}

const hint = /[.,:;]?\s*\b(?:maybe|perhaps|did) you \w+.*$/is
/** The name of the error code, and the version if there is one. */
const tail = /\s\([A-Z][A-Z0-9_]+\)(?: \(version [^()]*(?:\([^()]*\))?\))?\s*$/
/** Which part of the tables the engine was reading, and with which step. */
const reading = /:? ?\(while reading from part [^)]*\)|: While executing \w+(?:\([^)]*\))?/gi

/** Replacement texts by error code. The engine's own texts count the rows read, or memory used by others. */
const refusalTexts: Readonly<Record<string, string>> = {
  158: 'The query exceeds the limit of rows to read. (TOO_MANY_ROWS)',
  160: 'The query would exceed the time limit. (TOO_SLOW)',
  241: 'The query exceeds the memory limit. (MEMORY_LIMIT_EXCEEDED)',
  307: 'The query exceeds the limit of bytes to read. (TOO_MANY_BYTES)',
}

/**
 * Returns an error text without hints, without the names of databases the caller may not use, and without counts of
 * rows read, which include those of other organizations.
 */
export function withoutOthers(text: string, databases: ReadonlySet<string>): string {
  const [, code = ''] = /^Code: (\d+)/.exec(text) ?? []
  if (refusalTexts[code] !== undefined) return `${refusal(Number(code), refusalTexts[code]).message}\n`
  const end = tail.exec(text)?.[0] ?? '\n'
  const bare = hint.test(text) ? `${text.replace(hint, '')}.${end}` : text
  return bare.replace(reading, '').replace(databaseNames, (name) => (databases.has(name) ? name : 'org_...'))
}

/**
 * The engine's summary with the counts of the result in place of the counts read; drivers expect a row only if some
 * were read. The engine's byte counts include dictionaries of all organizations; `bytes`, the length of the answer,
 * replaces them.
 */
export function summaryOf(told: string, bytes = '0'): string {
  const { result_rows: rows = '0', elapsed_ns = '0' } = JSON.parse(told) as Record<string, string>
  return JSON.stringify({ read_rows: rows, read_bytes: bytes, result_rows: rows, result_bytes: bytes, elapsed_ns })
}
