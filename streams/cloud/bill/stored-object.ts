import type { Readable } from 'node:stream'

/** An object of a bucket or a container. */
export interface StoredObject {
  /** Its whole name. */
  key: string
  at: Date
  /** Its bytes from the beginning, as often as it is asked for. */
  open: () => Promise<Readable>
}

/** Objects that are looked through below one prefix. */
export const objectsMax = 100_000

const rangeBytes = 8 * 1024 * 1024
/** Of the beginning, which is often all that is looked at. */
const firstBytes = 256 * 1024

/** Where the bytes of an object are cut to be read one range after the other: the first byte and the last of each. */
export function* rangesWithin(size: number): Generator<readonly [first: number, last: number]> {
  for (let at = 0, end = firstBytes; at < size; at = end, end += rangeBytes) yield [at, Math.min(size, end) - 1]
}
