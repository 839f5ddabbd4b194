import type { FileWarning } from './encoding.ts'

/** Warnings about columns with the same name. */
export function findDuplicateColumns(names: readonly string[]): FileWarning[] {
  const known = names.map((name) => name.trim())
  const twice = new Set(known.filter((name, at) => name !== '' && known.indexOf(name) < at))
  return [...twice].slice(0, placesMax).map((name) => ({
    code: 'column_twice',
    message: `The header has ${name} more than once: the first of them counts.`,
  }))
}

const placesMax = 10

/** Trimmed, distinct names: a repeated name gets a number, an empty one its position. */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return names.map((raw, index) => {
    const name = raw.trim() || `column ${index + 1}`
    let [free, n] = [name, numbers.get(name) ?? 1]
    while (taken.has(free)) free = `${name} #${++n}`
    numbers.set(name, n)
    taken.add(free)
    return free
  })
}
