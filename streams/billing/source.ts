/**
 * A file of rows, read in constant memory: CSV with a header (cells between commas, semicolons or tabs), JSON lines, or one
 * JSON array, plain or gzipped, told apart by their first bytes. A row that cannot be read is reported with its place; only a
 * broken file throws.
 */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { Fault } from '#engine/fault.ts'
import { csvRecords, delimiterOf, type CsvRecord, type Delimiter } from '#streams/billing/csv-text.ts'
import { chunkBytes, plainBytes, type Chunks } from '#streams/billing/head.ts'
import { parseExact } from '#streams/billing/literal.ts'
import { arrayElements, jsonLines, type JsonRecord } from '#streams/billing/json-text.ts'

/** A row's columns under the names the file gives them. It has no prototype: no column name is special. */
export type Fields = Record<string, unknown>
/** What a row's number counts, from 1: the lines of the file, or the elements of its one JSON array. */
export type RowUnit = 'line' | 'element'
/** `row` is the line of the file that the row begins on, or its number among the elements. */
export type SourceRow = { row: number; fields: Fields } | { row: number; fault: Fault }

export interface Source {
  kind: 'csv' | 'json'
  unit: RowUnit
  /** Of a CSV file. */
  delimiter?: Delimiter
  /** The columns in the file's order; for JSON those of the first row that could be read. Empty for an empty file. */
  header: readonly string[]
  rows: AsyncIterable<SourceRow>
  /** Lets go of the file before its end. */
  close: () => void
}

/** A file that is open and known for what it is: what its rows come to, in its order and in constant memory. */
export interface Opened<R> {
  unit: RowUnit
  rows: AsyncGenerator<R, void>
  close: () => void
}

/** Opens a file by its path, or takes its bytes. @throws Fault `invalid` `file_unreadable`, `file_format`, `gzip_invalid`, `csv_invalid` */
export async function openSource(input: string | Readable): Promise<Source> {
  const file = typeof input === 'string' ? createReadStream(input, { highWaterMark: chunkBytes }) : input
  const close = () => void file.destroy()
  try {
    const { head, chunks } = await plainBytes(file)
    const start = head.toString('utf8').replace(/^\uFEFF/, '')
    const first = start.trimStart()[0]
    const source =
      first === '{' || first === '[' ? await jsonSource(chunks, first) : await csvSource(chunks, delimiterOf(start))
    return { ...source, rows: closing(source.rows, close), close }
  } catch (error) {
    close()
    throw readable(error)
  }
}

/** A record longer than this is taken for a missing quote or bracket. */
const recordCharactersMax = 4 * 1024 * 1024

async function* closing(rows: AsyncIterable<SourceRow>, close: () => void): AsyncGenerator<SourceRow, void> {
  try {
    yield* rows
  } catch (error) {
    throw readable(error)
  } finally {
    close()
  }
}

/** `source` as its reader's rows; closed where `begin` finds that it is none of the reader's. */
export function openedRows<R>(source: Source, begin: () => AsyncGenerator<R, void>): Opened<R> {
  try {
    return { unit: source.unit, rows: begin(), close: source.close }
  } catch (error) {
    source.close()
    throw error
  }
}

type Found = Omit<Source, 'close'>

async function csvSource(chunks: Chunks, delimiter: Delimiter): Promise<Found> {
  const records = csvRecords(chunks, delimiter, recordCharactersMax)
  const first = await records.next()
  const header = first.done ? [] : distinct(first.value.cells)
  return { kind: 'csv', unit: 'line', delimiter, header, rows: csvRows(records, header) }
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

async function* csvRows(
  records: AsyncGenerator<CsvRecord, void>,
  header: readonly string[],
): AsyncGenerator<SourceRow, void> {
  for await (const { line, cells } of records) {
    if (cells.length === header.length || fits(cells, header.length))
      yield { row: line, fields: fieldsOf(header, cells) }
    else yield { row: line, fault: ragged(cells.length, header.length) }
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

async function jsonSource(chunks: Chunks, first: string): Promise<Found> {
  const texts = first === '{' ? jsonLines(chunks, recordCharactersMax) : arrayElements(chunks, recordCharactersMax)
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
  return { kind: 'json', unit: first === '{' ? 'line' : 'element', header, rows: resumed(ahead, rows) }
}

async function* resumed(
  ahead: readonly SourceRow[],
  rest: AsyncGenerator<SourceRow, void>,
): AsyncGenerator<SourceRow, void> {
  yield* ahead
  yield* rest
}

async function* jsonRows(texts: AsyncIterable<JsonRecord>): AsyncGenerator<SourceRow, void> {
  for await (const { at: row, text } of texts) {
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
