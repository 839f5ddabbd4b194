/**
 * Reads a file of rows in constant memory: CSV with a header (delimited by commas, semicolons or tabs), JSON lines, one
 * JSON array, or Parquet, plain or gzipped, recognized by the first bytes. An unreadable row is reported with its
 * position; only a broken file throws.
 */
import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { csvSource, recordCharactersMax } from './csv/source.ts'
import { delimiterOf, type Delimiter } from './csv/text.ts'
import { utf8Chunks, type FileWarning } from './encoding.ts'
import { fileFault } from './file-fault.ts'
import { readHead, checkText, chunkBytes, isParquet, plainBytes, type Chunks } from './head.ts'
import { findDuplicateColumns } from './header.ts'
import { parseExact } from '#streams/billing/format/literal.ts'
import { arrayElements, jsonLines, type JsonRecord } from './json-text.ts'
import { resumeRows } from '#streams/billing/file/batch/resume.ts'
import { rowsOf, type Fields, type RowBatch, type SourceRow } from '#streams/billing/file/batch/row-batch.ts'
import { openParquet } from '#streams/billing/file/parquet/rows.ts'
import { bytesOf, spoolToFile, type Bytes } from './spool.ts'

/** What row numbers count, from 1: lines of the file, elements of the JSON array, or rows of Parquet. */
export type RowUnit = 'line' | 'element' | 'row'
export type { Fields, SourceRow }

export interface Source {
  kind: 'csv' | 'json' | 'parquet'
  unit: RowUnit
  /** Only for CSV. */
  delimiter?: Delimiter
  /** The columns in the file's order; for JSON those of the first readable row. Empty for an empty file. */
  header: readonly string[]
  rows: AsyncIterable<SourceRow>
  /** The rows in batches, to be read in place of `rows`, if the file can be read by cell. */
  batches?: AsyncIterable<RowBatch>
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

const toSource = (
  { batches, ...source }: SourceContent,
  warnings: readonly FileWarning[],
  close: () => void,
): Source => ({
  ...source,
  rows: closing(source.rows, close),
  ...(batches && { batches: closing(batches, close) }),
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

async function* closing<R>(rows: AsyncIterable<R>, close: () => void): AsyncGenerator<R, void> {
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
  const opened = await openParquet(bytes)
  return { kind: 'parquet', unit: 'row', ...opened, rows: rowsOf(opened.batches) }
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
