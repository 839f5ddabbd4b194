/**
 * The attributes that mappings write, found by running each on an item that has nothing but its name: a mapping names all of
 * its attributes, and leaves out those without a value afterwards. So there is no second list that could differ.
 */
let written: Map<string, Set<string>> | undefined

/** Called by every mapping with the attributes it writes, those without a value included. */
export function noteWritten(type: string, specs: Readonly<Record<string, unknown>> | undefined): void {
  if (!written) return
  const known = written.get(type) ?? new Set()
  written.set(type, known)
  for (const name of Object.keys(specs ?? {})) known.add(name)
}

/** Attributes by resource type, as `specs.<name>`. */
export type AttributesByType = ReadonlyMap<string, ReadonlySet<string>>

/** Runs mappings, none of which may wait for anything. */
export function writtenBy(run: () => void): AttributesByType {
  const outer = written
  const own = new Map<string, Set<string>>()
  written = own
  try {
    run()
  } finally {
    written = outer
  }
  return own
}
