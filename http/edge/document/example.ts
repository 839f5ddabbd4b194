/** What the document shows beside schemas: an example of each body and each answer. */
import type { Keywords } from '#http/edge/request/keywords.ts'

/** The first example of `schema`, else one made of those of its parts; undefined where a part that must be there has none. */
export function exampleOf(schema: Keywords): unknown {
  const { examples, const: only, anyOf = schema.shapes, type, items, properties } = schema
  if (examples !== undefined) return examples[0]
  if (only !== undefined) return only
  if (anyOf) return anyOf.map(exampleOf).find((one) => one !== undefined)
  if (type === 'array' && items) return listed(exampleOf(items))
  return properties && ofMembers(schema)
}

const listed = (one: unknown): unknown => (one === undefined ? undefined : [one])

function ofMembers({ properties = {}, required = [] }: Keywords): unknown {
  const members = Object.entries(properties).map(([name, one]) => [name, exampleOf(one)] as const)
  const shown = members.filter(([, value]) => value !== undefined)
  return shown.length > 0 && required.every((name) => shown.some(([known]) => known === name))
    ? Object.fromEntries(shown)
    : undefined
}
