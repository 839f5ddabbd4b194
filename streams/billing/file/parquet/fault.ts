import { Fault } from '#engine/value/fault.ts'

/** A Parquet file that is cut or damaged. */
export const broken = (what: string): Fault => Fault.invalid('parquet_invalid', `The Parquet file is corrupt: ${what}.`)

/** A Parquet file that is whole, and written in a way that is not read. */
export const unread = (what: string): Fault => Fault.invalid('file_format', `The Parquet file ${what}.`)
