/** Inserts of binary rows: the embedded engine accepts only text in a request, but reads binary rows from a file. */
import fs from 'node:fs'
import { unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { literal, quoteIdentifier } from './clickhouse.ts'

/** Rows as received. */
export interface BinaryRows {
  /** Quoted as in the statement. */
  readonly table: string
  readonly columns: readonly string[]
  readonly format: 'RowBinaryWithNamesAndTypes' | 'Native'
  readonly values: Buffer
}

const TABLE = '((?:`\\w+`|\\w+)(?:\\.(?:`\\w+`|\\w+))?)'
/** Rows name their columns in a header; columns are named by the statement. */
const INSERT = new RegExp(
  `^\\s*INSERT\\s+INTO\\s+(?:TABLE\\s+)?${TABLE}(?:\\s+FORMAT\\s+RowBinaryWithNamesAndTypes|\\s*\\(([\\w\\s,\`]+)\\)\\s*FORMAT\\s+Native)\\s*$`,
  'i',
)

/** The binary rows of a request with a separate INSERT statement; undefined for other statements. */
export function binaryRows(query: string, values: Buffer): BinaryRows | undefined {
  const [, table, named] = INSERT.exec(query) ?? []
  if (table === undefined) return undefined
  if (named === undefined) return { table, columns: header(values), format: 'RowBinaryWithNamesAndTypes', values }
  const columns = named.split(',').map((name) => name.trim().replaceAll('`', ''))
  return { table, columns, format: 'Native', values }
}

/** The folder for files with rows. It is emptied, because a killed process leaves files behind. */
export function incomingFolder(data: string): string {
  const folder = path.join(path.dirname(data), 'incoming')
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

let nth = 0

/** Writes the rows to a file, runs `insert` with a statement that reads them, and removes the file. */
export async function withRowsInFile<T>(
  folder: string,
  rows: BinaryRows,
  insert: (sql: string) => Promise<T>,
): Promise<T> {
  const file = path.join(folder, `${nth++}.rows`)
  const names = rows.columns.map(quoteIdentifier).join(', ')
  await writeFile(file, rows.values)
  try {
    const source = `file(${literal(file)}, '${rows.format}')`
    return await insert(`INSERT INTO ${rows.table} (${names}) SELECT ${names} FROM ${source}`)
  } finally {
    await unlink(file).catch(() => {})
  }
}

/** The column names in the header: a count, then each name after its length. */
function header(values: Buffer): string[] {
  let at = 0
  const varint = (): number => {
    let n = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = values[at++]
      if (byte === undefined) throw new Error('Code: 33. DB::Exception: The row header is truncated.')
      n += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return n
    }
    throw new Error('Code: 33. DB::Exception: The row header is invalid.')
  }
  return Array.from({ length: Math.min(varint(), 10_000) }, () => {
    const length = varint()
    at += length
    return values.subarray(at - length, at).toString()
  })
}
