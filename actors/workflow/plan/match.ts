/** Compares the observed state of a resource with a desired one. */
import { sameData } from '#engine/actor/row.ts'
import type { Sight } from '#actors/workflow/entity.ts'

export type Match = 'yes' | 'no' | 'unknown'

/**
 * Whether everything is as wanted, by what the cloud reports and otherwise by the inventory. One difference is enough
 * for no.
 */
export function matches(wanted: Sight, seen: Sight, inventory: Sight = {}): Match {
  const known: Sight = { ...inventory, ...seen, specs: { ...inventory.specs, ...seen.specs } }
  const { specs = {}, ...whole } = wanted
  const pairs: [unknown, unknown][] = [
    ...Object.entries(whole).map(([name, value]): [unknown, unknown] => [value, known[name as keyof Sight]]),
    ...Object.entries(specs).map(([name, value]): [unknown, unknown] => [value, known.specs?.[name]]),
  ]
  const told = pairs.filter(([, is]) => is !== undefined)
  if (told.some(([must, is]) => !sameData(must, is))) return 'no'
  return told.length < pairs.length ? 'unknown' : 'yes'
}
