/** Computes a value at the first call and keeps it: for large values that not every importer needs. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
