/** Rows that were read together, and that are looked at by cell: most rows of a bill differ in few of their cells. */
import type { Fault } from '#engine/value/fault.ts'

/** A row's cells by the file's column names. It has no prototype, so no column name is special. */
export type Fields = Record<string, unknown>
/** `row` is the line on which the row begins, or its number among the elements or rows. */
export type SourceRow = { row: number; fields: Fields } | { row: number; fault: Fault }

export interface RowBatch {
  length: number
  row: (n: number) => SourceRow
  /** The number of the row in the file. */
  place: (n: number) => number
  /**
   * A text that rows share only if all their cells of these columns are equal. Undefined if the row can only be read as
   * a whole.
   */
  key: (n: number, columns: Ranges) => string | undefined
  /** Only for a row with a key. */
  cell: (n: number, column: number) => unknown
}

export const wholeBatch = (rows: readonly SourceRow[]): RowBatch => ({
  length: rows.length,
  row: (n) => rows[n]!,
  place: (n) => rows[n]!.row,
  key: () => undefined,
  cell: () => undefined,
})

/** Maximum rows of a batch of rows that are read as a whole. */
const batchRows = 256

/** Rows that are read as a whole, in batches. */
export async function* wholeRows(rows: AsyncIterable<SourceRow>): AsyncGenerator<RowBatch, void> {
  let held: SourceRow[] = []
  for await (const row of rows) {
    held.push(row)
    if (held.length < batchRows) continue
    yield wholeBatch(held)
    held = []
  }
  if (held.length > 0) yield wholeBatch(held)
}

export async function* rowsOf(batches: AsyncIterable<RowBatch>): AsyncGenerator<SourceRow, void> {
  for await (const batch of batches) for (let n = 0; n < batch.length; n++) yield batch.row(n)
}

/** Ranges of columns, both ends included, in ascending order. */
export type Ranges = readonly (readonly [first: number, last: number])[]

/** The ranges of the columns that do not vary. */
export function fixedRanges(varies: readonly boolean[]): Ranges {
  const ranges: [number, number][] = []
  for (const [column, isVarying] of varies.entries()) {
    if (isVarying) continue
    const last = ranges.at(-1)
    if (last && last[1] === column - 1) last[1] = column
    else ranges.push([column, column])
  }
  return ranges
}
