import type { Static, TObject } from '#engine/value/schema.ts'

/**
 * A keyed ClickHouse table that actors append to, with the columns that actors write. Its DDL is in
 * `analytics/tables/`; a test compares both. The table is a ReplacingMergeTree by the column `x_Version`, which the
 * commit fills: first the source's own time, then the lane's epoch, then the message's sequence, so that no replay and
 * no former owner restores an older row.
 */
export interface Table<R extends TObject = TObject> {
  name: string
  /** The row as actors write it; missing columns take the DDL's default. */
  row: R
  /** Inserted after the tables with a lower order, once those are durable. Default 0. */
  order?: number
}

export type TableRow<T> = T extends Table<infer R> ? Static<R> : never

export const table = <R extends TObject>(declaration: Table<R>): Table<R> => declaration
