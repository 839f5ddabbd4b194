/** Reads the rows of a Parquet file in order. One page per column and a few hundred rows are in memory. */
import { parquetMetadata, type ColumnChunk, type FileMetaData, type RowGroup } from 'hyparquet'
import { Fault } from '#engine/value/fault.ts'
import { distinct } from '#streams/billing/file/header.ts'
import type { RowBatch } from '#streams/billing/file/batch/row-batch.ts'
import type { Bytes } from '#streams/billing/file/spool.ts'
import { codecNames, isCodec } from './codec.ts'
import { ColumnReader, PageMemory } from './column.ts'
import { broken, unread } from './fault.ts'
import { ParquetBatch, ValueNumbers } from './batch.ts'
import { assembleRows } from './record.ts'
import { schemaOf, type Leaf, type Schema } from './schema.ts'

export interface ParquetFile {
  /** As in the file. */
  names: readonly string[]
  /** Distinct names of the top-level columns, in the file's order; nested columns are part of their values. */
  header: readonly string[]
  /** Rows are numbered from 1. Cells are strings, booleans, arrays and objects; empty ones are left out. */
  batches: AsyncGenerator<RowBatch, void>
}

/** Rows read at once. */
const batchRows = 512
const footerMax = 64 * 1024 * 1024
const rowsMax = 2 ** 31

/** @throws Fault `invalid` `parquet_invalid`, or `file_format` for unsupported features: another codec, encryption */
export async function openParquet(file: Bytes): Promise<ParquetFile> {
  const metadata = await metadataOf(file)
  const schema = read(() => schemaOf(metadata))
  read(() => check(metadata, schema))
  const names = schema.columns.map(({ name }) => name)
  const header = distinct(names)
  return { names, header, batches: batchesOf(file, metadata, schema, header) }
}

/** Errors of the library mean that the file is corrupt. */
function read<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Fault ? error : broken('its footer is invalid')
  }
}

async function metadataOf(file: Bytes): Promise<FileMetaData> {
  if (file.size < 12) throw broken('it has no footer, so the file is truncated')
  const end = await file.read(file.size - 8, 8)
  const mark = end.toString('latin1', 4)
  if (mark === 'PARE') throw unread('is encrypted')
  if (mark !== 'PAR1') throw broken('it has no footer, so the file is truncated')
  const length = end.readUInt32LE(0)
  if (length > file.size - 12) throw broken('its footer is longer than the file')
  if (length > footerMax) throw unread(`has a footer of more than ${footerMax} bytes`)
  const footer = await file.read(file.size - 8 - length, length + 8)
  return read(() => parquetMetadata(footer, { geoparquet: false, parsers }))
}

/** Statistics are not needed, so their values are not parsed. */
const nothing = () => undefined
const parsers = {
  stringFromBytes: nothing,
  dateFromDays: nothing,
  timestampFromMilliseconds: nothing,
  timestampFromMicroseconds: nothing,
  timestampFromNanoseconds: nothing,
}

/** Checks what can be checked before reading rows. */
function check({ num_rows: rows, row_groups: groups }: FileMetaData, { leaves }: Schema): void {
  const counted = groups.reduce((sum, group) => sum + group.num_rows, 0n)
  if (rows !== counted || rows < 0n) throw broken('its row groups do not add up to its row count')
  if (rows > rowsMax) throw unread(`has more than ${rowsMax} rows`)
  for (const { columns } of groups) {
    if (columns.length !== leaves.length) throw broken('its row groups do not have the columns of its schema')
    for (const [index, column] of columns.entries()) checkColumn(column, leaves[index]!)
  }
}

function checkColumn({ meta_data: chunk, file_path: other, crypto_metadata: crypto }: ColumnChunk, leaf: Leaf): void {
  const name = leaf.path.join('.')
  if (crypto) throw unread('is encrypted')
  if (other) throw unread(`has the column ${name} in another file`)
  if (!chunk || chunk.type !== leaf.element.type) throw broken(`its footer does not locate the column ${name}`)
  if (!isCodec(chunk.codec))
    throw unread(`is compressed with ${String(chunk.codec ?? 'an unknown codec')}; supported: ${codecNames}`)
}

async function* batchesOf(
  file: Bytes,
  { row_groups: groups }: FileMetaData,
  schema: Schema,
  header: readonly string[],
): AsyncGenerator<RowBatch, void> {
  let row = 1
  const held = new PageMemory()
  const numbers = header.map(() => new ValueNumbers())
  // In a group without rows some writers give no positions of columns.
  for (const group of groups.filter((one) => one.num_rows > 0n))
    for await (const { columns, count } of batches(file, group, schema, held)) {
      yield new ParquetBatch(columns, { first: row, count }, header, numbers)
      row += count
    }
}

/** Yields the values of each column, a few hundred rows at a time. */
async function* batches(
  file: Bytes,
  group: RowGroup,
  schema: Schema,
  held: PageMemory,
): AsyncGenerator<{ columns: unknown[][]; count: number }, void> {
  const parts = group.columns.map(
    ({ meta_data: chunk }, index) => new ColumnReader(file, chunk!, schema.leaves[index]!, held),
  )
  const total = Number(group.num_rows)
  for (let at = 0; at < total; at += batchRows) {
    const count = Math.min(batchRows, total - at)
    yield { columns: await valuesOf(schema, parts, count), count }
  }
  for (const part of parts) part.end()
}

/** The next values of each column. */
async function valuesOf(
  { columns, leaves }: Schema,
  parts: readonly ColumnReader[],
  count: number,
): Promise<unknown[][]> {
  const found: unknown[][] = []
  for (const column of columns) {
    if (column.shape === 'value' && leaves[column.leaves[0]!]!.repetitionMax === 0) {
      found.push(await parts[column.leaves[0]!]!.flat(count))
      continue
    }
    const levelled = []
    for (const leaf of column.leaves) levelled[leaf] = await parts[leaf]!.levelled(count)
    found.push(assembleRows(column, levelled, count))
  }
  return found
}
