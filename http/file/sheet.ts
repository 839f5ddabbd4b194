/** The content of a file: columns, and a stream of rows. */
import { csvRecord, type Cell } from '#http/edge/csv.ts'

export interface SheetColumn {
  name: string
  /**
   * `number` takes numbers and exact decimal text, `float` numbers of which no more than a double is known, `flag` the
   * texts true and false, `time` ISO 8601, `json` the text of a JSON value; anything else in such a column is text.
   */
  kind: 'text' | 'number' | 'float' | 'flag' | 'time' | 'json'
}

export interface Sheet {
  columns: readonly SheetColumn[]
  /** Values in the order of the columns. */
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>
}

export const texts = (...names: string[]): SheetColumn[] => names.map((name) => ({ name, kind: 'text' }))
export const numbers = (...names: string[]): SheetColumn[] => names.map((name) => ({ name, kind: 'number' }))

export const formats = ['csv', 'json', 'parquet'] as const
export type Format = (typeof formats)[number]

export const mediaOf: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
}

/** The text of a sheet, row by row. */
export async function* sheetText(
  { columns, rows }: Sheet,
  format: Exclude<Format, 'parquet'>,
): AsyncGenerator<string, void> {
  if (format === 'csv') {
    yield csvRecord(columns.map(({ name }) => name))
    for await (const row of rows) yield csvRecord(row)
    return
  }
  const heads = columns.map(({ name }) => `${JSON.stringify(name)}:`)
  let before = '[\n'
  for await (const row of rows) {
    const members = row.map((value, at) => heads[at]! + jsonOf(value, columns[at]!.kind))
    yield `${before}{${members.join(',')}}`
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function jsonOf(value: Cell, kind: SheetColumn['kind']): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  const isLiteral =
    kind === 'number'
      ? number.test(value)
      : kind === 'flag'
        ? value === 'true' || value === 'false'
        : kind === 'json' && isJson(value)
  return isLiteral ? value : JSON.stringify(value)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
