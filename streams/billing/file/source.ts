/**
 * Reads a file of rows in constant memory: CSV with a header (delimited by commas, semicolons or tabs), JSON lines, one
 * JSON array, or Parquet, plain or gzipped, recognized by the first bytes. An unreadable row is reported with its
 * position; only a broken file throws.
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

/** A row's cells by the file's column names. It has no prototype, so no column name is special. */
export type Fields = Record<string, unknown>
/** What row numbers count, from 1: lines of the file, elements of the JSON array, or rows of Parquet. */
export type RowUnit = 'line' | 'element' | 'row'
/** `row` is the line on which the row begins, or its number among the elements or rows. */
export type SourceRow = { row: number; fields: Fields } | { row: number; fault: Fault }

export interface Source {
  kind: 'csv' | 'json' | 'parquet'
  unit: RowUnit
  /** Only for CSV. */
  delimiter?: Delimiter
  /** The columns in the file's order; for JSON those of the first readable row. Empty for an empty file. */
  header: readonly string[]
  rows: AsyncIterable<SourceRow>
  /** Complete after the last row. */
  warnings: readonly FileWarning[]
  /** Closes the file before its end. */
  close: () => void
}

/** An open, recognized file. Its rows come in the file's order and in constant memory. */
export interface RowStream<R> {
  unit: RowUnit
  rows: AsyncGenerator<R, void>
  warnings: readonly FileWarning[]
  close: () => void
}

/**
 * Opens a file by its path, or a stream. Parquet from a stream is first written to a temporary file.
 * @throws Fault `invalid` `file_unreadable`, `file_format`, `gzip_invalid`, `csv_invalid`, `parquet_invalid`,
 * `encoding_invalid`
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

/** Maximum characters of a record; a longer one means a missing quote or bracket. */
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

/** Converts a source to a reader's rows. If `begin` throws, the source is closed. */
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
  // A line written by Excel that names the delimiter.
  if (!first.done && /^sep=$/i.test(first.value.cells.join(''))) first = await records.next()
  const names = first.done ? [] : first.value.cells
  warnings.push(...findDuplicateColumns(names))
  const header = distinct(names)
  // With comma delimiters, a number with a comma would be two cells.
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

/** Extra cells are accepted if they are empty. Missing cells are not: the row may be truncated. */
const fits = (cells: readonly string[], count: number): boolean =>
  cells.length > count && cells.slice(count).every((cell) => cell.trim() === '')

/**
 * Whether a multi-line cell has swallowed rows because of an unclosed quote: its first and last line together then
 * contain about as many delimiters as a row.
 */
function swallows(cell: string, delimiter: Delimiter, count: number): boolean {
  const lines = cell.split(/[\r\n]+/)
  const ends = lines.length < 2 ? [] : [lines[0]!, lines.at(-1)!]
  const found = ends.reduce((sum, part) => sum + part.split(delimiter).length - 1, 0)
  // If the cell begins with a quote, quotes are probably unbalanced, and part of the row may be in other cells.
  return found >= Math.max(delimitersMin, cell.startsWith('"') ? (count - 1) / 2 : count - 1)
}

/** With fewer delimiters it may be normal text. */
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
