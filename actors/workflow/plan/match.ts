/** What a resource is seen to be like against what it is to be like. */
import { sameData } from '#engine/actor/row.ts'
import type { Sight } from '#actors/workflow/entity.ts'

export type Match = 'yes' | 'no' | 'unknown'

/**
 * Whether all that is wanted is so, by what the cloud says and, where it says nothing, by what the inventory says. One thing
 * that is another one is enough for no.
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
