import type { Static, TObject } from '#engine/value/schema.ts'

/**
 * A keyed ClickHouse table that actors append to, as they see it. Its DDL is in `analytics/tables/`; a test holds the two
 * together. The table is a ReplacingMergeTree by a column `x_Version`, which the commit fills: the source's own time
 * first, then the lane's epoch, then the message's sequence, so no replay and no deposed owner brings back an older row.
 */
export interface Table<R extends TObject = TObject> {
  name: string
  /** The row as actors write it; columns it leaves out take the DDL's default. */
  row: R
  /** Inserted after the tables of a lower order, once those are durable. Default 0. */
  order?: number
}

export type Row<T> = T extends Table<infer R> ? Static<R> : never

export const table = <R extends TObject>(declaration: Table<R>): Table<R> => declaration
