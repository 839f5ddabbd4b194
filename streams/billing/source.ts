/**
 * A file of rows, read in constant memory: CSV with a header, JSON lines, or one JSON array, plain or gzipped, told apart
 * by their first bytes. A row that cannot be read is reported with its number; only a broken file throws.
 */
import { createReadStream } from 'node:fs'
import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { Fault } from '#engine/fault.ts'
import { parseExact } from '#streams/billing/literal.ts'
import { arrayElements, lines } from '#streams/billing/json-text.ts'

/** A row's columns under the names the file gives them. It has no prototype: no column name is special. */
export type Fields = Record<string, unknown>
/** `row` counts the rows of data from 1; empty lines and the header do not count. */
export type SourceRow = { row: number; fields: Fields } | { row: number; fault: Fault }

export interface Source {
  kind: 'csv' | 'json'
  /** The columns in the file's order; for JSON those of the first row that could be read. Empty for an empty file. */
  header: readonly string[]
  rows: AsyncIterable<SourceRow>
  /** Lets go of the file before its end. */
  close: () => void
}

/** Opens a file by its path, or takes its bytes. @throws Fault `invalid` `file_unreadable`, `file_format`, `gzip_invalid`, `csv_invalid` */
export async function openSource(input: string | Readable): Promise<Source> {
  const file = typeof input === 'string' ? createReadStream(input, { highWaterMark: chunkBytes }) : input
  const close = () => void file.destroy()
  try {
    const { head, chunks } = await plainBytes(file)
    const first = head
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()[0]
    const source = first === '{' || first === '[' ? await jsonSource(chunks, first) : await csvSource(chunks)
    return { ...source, rows: closing(source.rows, close), close }
  } catch (error) {
    close()
    throw readable(error)
  }
}

const chunkBytes = 256 * 1024
const headBytes = 64
/** A record longer than this is taken for a missing quote or bracket. */
const recordCharactersMax = 4 * 1024 * 1024

type Chunks = AsyncGenerator<Buffer, void>

async function* closing(rows: AsyncIterable<SourceRow>, close: () => void): AsyncGenerator<SourceRow, void> {
  try {
    yield* rows
  } catch (error) {
    throw readable(error)
  } finally {
    close()
  }
}

const foreign: readonly (readonly [string, string])[] = [
  ['PAR1', 'Parquet'],
  ['PK\u0003\u0004', 'a zip archive'],
  ['\u0028\u00b5\u002f\u00fd', 'Zstandard'],
  ['BZh', 'bzip2'],
]

/** The bytes as they were before gzip, and the first of them. */
async function plainBytes(file: Readable): Promise<{ head: Buffer; chunks: Chunks }> {
  const raw = await peeked(file)
  if (raw.head[0] === 0x1f && raw.head[1] === 0x8b) {
    const unzip = createGunzip({ chunkSize: chunkBytes })
    pipeline(Readable.from(raw.chunks), unzip, () => undefined)
    return peeked(unzip)
  }
  const start = raw.head.toString('latin1')
  const found = foreign.find(([magic]) => start.startsWith(magic))
  if (found) throw Fault.invalid('file_format', `The file is ${found[1]}; CSV and JSON, plain or gzipped, can be read.`)
  return raw
}

/** The first bytes of a stream, and the whole stream with them. */
async function peeked(stream: Readable): Promise<{ head: Buffer; chunks: Chunks }> {
  const rest = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>
  let head = Buffer.alloc(0)
  while (head.length < headBytes) {
    const next = await rest.next()
    if (next.done) break
    head = Buffer.concat([head, Buffer.from(next.value as Buffer)])
  }
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

type Opened = Omit<Source, 'close'>

async function csvSource(chunks: Chunks): Promise<Opened> {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: recordCharactersMax,
  })
  pipeline(Readable.from(chunks), parser, () => undefined)
  const records = parser[Symbol.asyncIterator]() as AsyncIterator<string[]>
  const first = await records.next()
  const header = first.done ? [] : distinct(first.value)
  return { kind: 'csv', header, rows: csvRows(records, header) }
}

/** Trimmed names; one that occurs again gets its number, an empty one its place, so that no column hides another. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return names.map((raw, index) => {
    const name = raw.trim() || `column ${index + 1}`
    let [free, n] = [name, numbers.get(name) ?? 1]
    while (taken.has(free)) free = `${name} #${++n}`
    numbers.set(name, n)
    taken.add(free)
    return free
  })
}

async function* csvRows(records: AsyncIterator<string[]>, header: readonly string[]): AsyncGenerator<SourceRow, void> {
  let row = 0
  for (let next = await records.next(); !next.done; next = await records.next()) {
    const cells = next.value
    row++
    if (cells.length === header.length || fits(cells, header.length)) yield { row, fields: fieldsOf(header, cells) }
    else yield { row, fault: ragged(cells.length, header.length) }
  }
}

/** More cells than columns are no harm while they are empty; fewer may be a row that was cut. */
const fits = (cells: readonly string[], count: number): boolean =>
  cells.length > count && cells.slice(count).every((cell) => cell.trim() === '')

const ragged = (cells: number, expected: number): Fault =>
  Fault.invalid('row_ragged', `The row has ${cells} cells where the header has ${expected}.`)

function fieldsOf(header: readonly string[], cells: readonly string[]): Fields {
  const fields = Object.create(null) as Fields
  for (let i = 0; i < header.length; i++) fields[header[i]!] = cells[i]
  return fields
}

async function jsonSource(chunks: Chunks, first: string): Promise<Opened> {
  const texts = first === '{' ? lines(chunks, recordCharactersMax) : arrayElements(chunks, recordCharactersMax)
  const rows = jsonRows(texts)
  const ahead: SourceRow[] = []
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    ahead.push(next.value)
    if ('fields' in next.value || ahead.length === 10) break
  }
  const seen = ahead.at(-1)
  if (seen && 'fault' in seen)
    throw Fault.invalid('json_invalid', 'None of the first rows is a JSON object on one line.')
  const header = seen ? Object.keys(seen.fields) : []
  return { kind: 'json', header, rows: resumed(ahead, rows) }
}

async function* resumed(
  ahead: readonly SourceRow[],
  rest: AsyncGenerator<SourceRow, void>,
): AsyncGenerator<SourceRow, void> {
  yield* ahead
  yield* rest
}

async function* jsonRows(texts: AsyncIterable<string>): AsyncGenerator<SourceRow, void> {
  let row = 0
  for await (const text of texts) {
    row++
    const fields = object(text)
    if (fields) yield { row, fields }
    else yield { row, fault: Fault.invalid('json_invalid', 'The row is no JSON object.') }
  }
}

function object(text: string): Fields | undefined {
  try {
    const value = parseExact(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.assign(Object.create(null) as Fields, value)
  } catch {
    return undefined
  }
}

/** Errors of the file system, zlib and the CSV parser, said in words; anything else is not ours to explain. */
function readable(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = error instanceof Error ? error.message : ''
  if (/^(ENOENT|EACCES|EISDIR|EPERM)$/.test(code))
    return Fault.invalid('file_unreadable', `The file cannot be read (${code}).`)
  if (code.startsWith('Z_')) return Fault.invalid('gzip_invalid', `The gzip data is broken or cut: ${text}`)
  if (code.startsWith('CSV_')) return Fault.invalid('csv_invalid', `The CSV is broken: ${text.slice(0, 200)}`)
  return error
}
