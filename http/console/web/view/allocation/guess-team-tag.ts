/** Which tag names teams, and which of its values are one team. Of names, but for the order by cost. Pure. */
import { coreOf } from '../../similar-names.ts'

/** Keys by which people say whose something is. */
const owning = new Set([
  'team',
  'owner',
  'squad',
  'ownerteam',
  'teamname',
  'department',
  'dept',
  'businessunit',
  'bu',
  'costcenter',
  'project',
  'product',
])

/** Of keys that say whose something is the dearest; where there is none, the dearest of all. Keys come dearest first. */
export function likeliest(keys: readonly { tagKey: string }[]): string | undefined {
  const team = keys.find(({ tagKey }) => coreOf(tagKey) === 'team')
  return (team ?? keys.find(({ tagKey }) => owning.has(coreOf(tagKey))) ?? keys[0])?.tagKey
}

/** Each other spelling with the name of the first of its group, which is the dearest. Case is the rule's own business. */
export function spellings(groups: readonly (readonly string[])[]): Record<string, string> {
  const pairs = groups.flatMap(([first = '', ...others]) =>
    others.filter((one) => one.trim().toLowerCase() !== first.trim().toLowerCase()).map((one) => [one, first] as const),
  )
  return Object.fromEntries(pairs)
}
