/** Objects in the store of a cloud: what exports write. */

/** Where objects are. Names are checked before they are stored, because they become parts of addresses. */
export interface StorePlace {
  /** The bucket or container. */
  bucket: string
  /** For Azure: the storage account. */
  storageAccount?: string
  /** For AWS: the region of the bucket. */
  region?: string
}

/** Each call may throw a `cloudFault`, and may be repeated. */
export interface ObjectStore {
  /** Writes the whole object or nothing, in place of one with the same key. */
  put(key: string, object: { body: Buffer; media: string }): Promise<void>
  /** Keys that begin with `prefix`. */
  keys(prefix: string): Promise<string[]>
  /** An object that does not exist counts as removed. */
  remove(key: string): Promise<void>
  close(): void
}

/** More objects below one prefix are not what an export wrote. */
export const keysMax = 10_000
