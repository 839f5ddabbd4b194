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
