import type { Readable } from 'node:stream'

/** An object in a bucket or container. */
export interface StoredObject {
  /** Its complete name. */
  key: string
  at: Date
  /** Streams its bytes from the beginning; can be called repeatedly. */
  open: () => Promise<Readable>
}

/** Maximum objects searched below a prefix. */
export const objectsMax = 100_000

const rangeBytes = 8 * 1024 * 1024
/** Size of the first range, which is often all that is read. */
const firstBytes = 256 * 1024

/** Byte ranges (first and last byte, inclusive) for reading an object in parts. */
export function* rangesWithin(size: number): Generator<readonly [first: number, last: number]> {
  for (let at = 0, end = firstBytes; at < size; at = end, end += rangeBytes) yield [at, Math.min(size, end) - 1]
}
