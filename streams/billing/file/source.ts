/**
 * A file of rows, read in constant memory: CSV with a header (cells between commas, semicolons or tabs), JSON lines, one
 * JSON array, or Parquet, plain or gzipped, told apart by their first bytes. A row that cannot be read is reported with its
 * place; only a broken file throws.
 */
import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { csvRecords, delimiterOf, type CsvRecord, type Delimiter } from './csv-text.ts'
import { utf8Chunks, type FileWarning } from './encoding.ts'
import { withPoints } from './decimal-comma.ts'
import { fileFault } from './file-fault.ts'
import { readHead, checkText, chunkBytes, isParquet, plainBytes, type Chunks } from './head.ts'
import { distinct, findDuplicateColumns } from './header.ts'
import { parseExact } from '#streams/billing/format/literal.ts'
import { arrayElements, jsonLines, type JsonRecord } from './json-text.ts'
import { resumeRows } from './resume.ts'
import { openParquet } from '#streams/billing/file/parquet/rows.ts'
import { bytesOf, spoolToFile, type Bytes } from './spool.ts'

/** A row's columns under the names the file gives them. It has no prototype: no column name is special. */
export type Fields = Record<string, unknown>
/** What a row's number counts, from 1: the lines of the file, the elements of its one JSON array, or the rows of Parquet. */
export type RowUnit = 'line' | 'element' | 'row'
/** `row` is the line of the file that the row begins on, or its number among the elements or rows. */
export type SourceRow = { row: number; fields: Fields } | { row: number; fault: Fault }

export interface Source {
  kind: 'csv' | 'json' | 'parquet'
  unit: RowUnit
  /** Of a CSV file. */
  delimiter?: Delimiter
  /** The columns in the file's order; for JSON those of the first row that could be read. Empty for an empty file. */
  header: readonly string[]
  rows: AsyncIterable<SourceRow>
  /** What is to be said of the file; all of it is known behind its last row. */
  warnings: readonly FileWarning[]
  /** Lets go of the file before its end. */
  close: () => void
}

/** A file that is open and known for what it is: what its rows come to, in its order and in constant memory. */
export interface RowStream<R> {
  unit: RowUnit
  rows: AsyncGenerator<R, void>
  warnings: readonly FileWarning[]
  close: () => void
}

/**
 * Opens a file by its path, or takes its bytes. Parquet that is no file on this machine is put into one first.
 * @throws Fault `invalid` `file_unreadable`, `file_format`, `gzip_invalid`, `csv_invalid`, `parquet_invalid`, `encoding_invalid`
 */
export async function openSource(input: string | Readable): Promise<Source> {
  const file = typeof input === 'string' ? createReadStream(input, { highWaterMark: chunkBytes }) : input
  let close: () => void = () => void file.destroy()
  try {
    const plain = await plainBytes(file)
    if (isParquet(plain.head)) {
      const bytes =
        typeof input === 'string' && !plain.isUnpacked && statSync(input).isFile()
          ? await bytesOf(input)
          : await spoolToFile(plain.chunks)
      close()
      close = once(() => void bytes.close())
      const { names, ...source } = await parquetSource(bytes)
      return toSource(source, findDuplicateColumns(names), close)
    }
    checkText(plain.head)
    const warnings: FileWarning[] = []
    const { head, chunks } = await readHead(utf8Chunks(plain, (warning) => warnings.push(warning)))
    const start = head.toString('utf8').replace(/^\uFEFF/, '')
    const first = start.trimStart()[0]
    const source =
      first === '{' || first === '['
        ? await jsonSource(chunks, first)
        : await csvSource(chunks, delimiterOf(start), warnings)
    return toSource(source, warnings, close)
  } catch (error) {
    close()
    throw fileFault(error)
  }
}

const toSource = (source: SourceContent, warnings: readonly FileWarning[], close: () => void): Source => ({
  ...source,
  rows: closing(source.rows, close),
  warnings,
  close,
})

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

/** A record longer than this is taken for a missing quote or bracket. */
const recordCharactersMax = 4 * 1024 * 1024

async function* closing(rows: AsyncIterable<SourceRow>, close: () => void): AsyncGenerator<SourceRow, void> {
  try {
    yield* rows
  } catch (error) {
    throw fileFault(error)
  } finally {
    close()
  }
}

/** `source` as its reader's rows; closed where `begin` finds that it is none of the reader's. */
export function openedRows<R>(source: Source, begin: () => AsyncGenerator<R, void>): RowStream<R> {
  try {
    return { unit: source.unit, rows: begin(), warnings: source.warnings, close: source.close }
  } catch (error) {
    source.close()
    throw error
  }
}

type SourceContent = Omit<Source, 'close' | 'warnings'>

async function parquetSource(bytes: Bytes): Promise<SourceContent & { names: readonly string[] }> {
  return { kind: 'parquet', unit: 'row', ...(await openParquet(bytes)) }
}

async function csvSource(chunks: Chunks, delimiter: Delimiter, warnings: FileWarning[]): Promise<SourceContent> {
  const records = csvRecords(chunks, delimiter, recordCharactersMax)
  let first = await records.next()
  // Excel's own line, which names the delimiter.
  if (!first.done && /^sep=$/i.test(first.value.cells.join(''))) first = await records.next()
  const names = first.done ? [] : first.value.cells
  warnings.push(...findDuplicateColumns(names))
  const header = distinct(names)
  // Between commas a number with one would be two cells.
  const numbers = delimiter === ',' ? records : withPoints(records, header, (warning) => void warnings.push(warning))
  return { kind: 'csv', unit: 'line', delimiter, header, rows: csvRows(numbers, header, delimiter) }
}

async function* csvRows(
  records: AsyncGenerator<CsvRecord, void>,
  header: readonly string[],
  delimiter: Delimiter,
): AsyncGenerator<SourceRow, void> {
  for await (const { line, lines, cells } of records) {
    if (lines > 1 && cells.some((cell) => swallows(cell, delimiter, header.length)))
      yield { row: line, fault: unclosedQuoteFault(line, lines) }
    else if (cells.length === header.length || fits(cells, header.length))
      yield { row: line, fields: fieldsOf(header, cells) }
    else yield { row: line, fault: raggedRowFault(cells.length, header.length) }
  }
}

/** More cells than columns are no harm while they are empty; fewer may be a row that was cut. */
const fits = (cells: readonly string[], count: number): boolean =>
  cells.length > count && cells.slice(count).every((cell) => cell.trim() === '')

/** Of a cell that runs on, the beginning and the end are of one row each: what stands between them makes up a row. */
function swallows(cell: string, delimiter: Delimiter, count: number): boolean {
  const lines = cell.split(/[\r\n]+/)
  const ends = lines.length < 2 ? [] : [lines[0]!, lines.at(-1)!]
  const found = ends.reduce((sum, part) => sum + part.split(delimiter).length - 1, 0)
  // A cell that begins with a quote is mostly one whose quotes do not match: some of the row may have become other cells.
  return found >= Math.max(delimitersMin, cell.startsWith('"') ? (count - 1) / 2 : count - 1)
}

/** In a cell of fewer they may well be text. */
const delimitersMin = 3

const unclosedQuoteFault = (line: number, lines: number): Fault =>
  Fault.invalid(
    'quote_unclosed',
    `A quote has no other half: the ends of the rows on lines ${line} to ${line + lines - 1} cannot be determined.`,
  )

const raggedRowFault = (cells: number, expected: number): Fault =>
  Fault.invalid('row_ragged', `The row has ${cells} cells, but the header has ${expected}.`)

function fieldsOf(header: readonly string[], cells: readonly string[]): Fields {
  const fields = Object.create(null) as Fields
  for (let i = 0; i < header.length; i++) fields[header[i]!] = cells[i]
  return fields
}

async function jsonSource(chunks: Chunks, first: string): Promise<SourceContent> {
  const texts = first === '{' ? jsonLines(chunks, recordCharactersMax) : arrayElements(chunks, recordCharactersMax)
  const rows = jsonRows(texts)
  const ahead: SourceRow[] = []
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    ahead.push(next.value)
    if ('fields' in next.value || ahead.length === 10) break
  }
  const seen = ahead.at(-1)
  if (seen && 'fault' in seen) throw Fault.invalid('json_invalid', 'The first rows are not JSON objects, one per line.')
  const header = seen ? Object.keys(seen.fields) : []
  return { kind: 'json', unit: first === '{' ? 'line' : 'element', header, rows: resumeRows(ahead, rows) }
}

async function* jsonRows(texts: AsyncIterable<JsonRecord>): AsyncGenerator<SourceRow, void> {
  for await (const { at: row, text } of texts) {
    const fields = object(text)
    if (fields) yield { row, fields }
    else yield { row, fault: Fault.invalid('json_invalid', 'The row is not a JSON object.') }
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
