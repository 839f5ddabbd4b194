import { csvRecord } from '#http/edge/csv.ts'
import type { Result } from './command.ts'

type Cell = string | number | null | undefined

/** Rows below a header, in columns as wide as they need; `none` where there are no rows. The last column is not padded. */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[], none: string): string {
  if (rows.length === 0) return none
  const lines = [header, ...rows.map((row) => row.map((cell) => String(cell ?? '') || '-'))]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line.map((cell, column) => (column === header.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
    )
    .join('\n')
}

/** A column of rows: a member, or what is made of a row. */
type Column<T> = keyof T | ((row: T) => Cell)
/** By header, from left to right. */
export type Columns<T> = Readonly<Record<string, Column<T>>>

/** Prints rows as a table; `none` where there are no rows. */
export const listOf =
  <T>(columns: Columns<T>, none = '') =>
  (rows: readonly T[]): Result => {
    const cells = (row: T) =>
      Object.values(columns).map((column) => (typeof column === 'function' ? column(row) : (row[column] as Cell)))
    return { data: rows, ...tableResult(Object.keys(columns), rows.map(cells), none) }
  }

/** A table for people, and as CSV. */
export const tableResult = (header: readonly string[], rows: readonly (readonly Cell[])[], none: string) => ({
  text: table(header, rows, none),
  csv: () => [header, ...rows].map((row) => csvRecord(row.map((cell) => cell ?? null))).join(''),
})
