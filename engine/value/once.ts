/** Works it out when it is asked for first, and remembers it: for what is large and not needed by all who import it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
