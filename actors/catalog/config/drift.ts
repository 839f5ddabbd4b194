/** A difference between what exists in a cloud and what was requested. */

export interface Difference {
  /** A JSON pointer into the config. */
  path: string
  /** Null if it exists but was not requested. */
  wanted: unknown
  /** Null if it no longer exists. */
  found: unknown
}

type Members = Readonly<Record<string, unknown>>

/**
 * The differences, in the order of the config. What the cloud does not report counts as requested. Lists whose elements
 * have names are compared by name, in any order; other lists are compared as sets.
 */
export function driftOf(wanted: Members, found: Members): Difference[] {
  return members(wanted, found, '')
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function members(wanted: Members, found: Members, above: string): Difference[] {
  return Object.entries(wanted).flatMap(([name, value]) =>
    found[name] === undefined ? [] : values(value, found[name], `${above}/${escapePointer(name)}`),
  )
}

/** Escapes a name for a JSON pointer. */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function values(wanted: unknown, found: unknown, path: string): Difference[] {
  if (isMembers(wanted) && isMembers(found)) return members(wanted, found, path)
  if (Array.isArray(wanted) && Array.isArray(found)) return lists(wanted, found, path)
  return wanted === found ? [] : [{ path, wanted, found }]
}

const nameOf = (value: unknown): string | undefined =>
  isMembers(value) && typeof value['name'] === 'string' ? value['name'] : undefined

function lists(wanted: readonly unknown[], found: readonly unknown[], path: string): Difference[] {
  const isNamed = [...wanted, ...found].every((value) => nameOf(value) !== undefined)
  if (isNamed) return compareNamed(wanted, found, path)
  const texts = (list: readonly unknown[]) => list.map((value) => JSON.stringify(value)).toSorted()
  return JSON.stringify(texts(wanted)) === JSON.stringify(texts(found)) ? [] : [{ path, wanted, found }]
}

function compareNamed(wanted: readonly unknown[], found: readonly unknown[], path: string): Difference[] {
  const of = new Map(found.map((value) => [nameOf(value), value]))
  const asked = new Set(wanted.map(nameOf))
  const changed = wanted.flatMap((value, i) => {
    const now = of.get(nameOf(value))
    const at = `${path}/${i}`
    return now === undefined ? [{ path: at, wanted: value, found: null }] : values(value, now, at)
  })
  const more = found.filter((value) => !asked.has(nameOf(value)))
  return [...changed, ...more.map((value, i) => ({ path: `${path}/${wanted.length + i}`, wanted: null, found: value }))]
}
