import { Fault } from '#engine/value/fault.ts'

/** A truncated or corrupt Parquet file. */
export const broken = (what: string): Fault => Fault.invalid('parquet_invalid', `The Parquet file is corrupt: ${what}.`)

/** A valid Parquet file with an unsupported feature. */
export const unread = (what: string): Fault => Fault.invalid('file_format', `The Parquet file ${what}.`)
