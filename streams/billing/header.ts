/** Trimmed names; one that occurs again gets its number, an empty one its place, so that no column hides another. */
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
