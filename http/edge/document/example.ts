/** Examples in the OpenAPI document, for each body and response. */
import type { Keywords } from '#http/edge/request/keywords.ts'

/**
 * The first example of `schema`, otherwise one composed of the examples of its parts; undefined if a required part has
 * none.
 */
export function exampleOf(schema: Keywords): unknown {
  const { examples, const: only, anyOf = schema.shapes, type, items, properties } = schema
  if (examples !== undefined) return examples[0]
  if (only !== undefined) return only
  if (anyOf) return anyOf.map(exampleOf).find((one) => one !== undefined)
  if (type === 'array' && items) return toExampleList(exampleOf(items))
  return properties && ofMembers(schema)
}

const toExampleList = (one: unknown): unknown => (one === undefined ? undefined : [one])

function ofMembers({ properties = {}, required = [] }: Keywords): unknown {
  const members = Object.entries(properties).map(([name, one]) => [name, exampleOf(one)] as const)
  const shown = members.filter(([, value]) => value !== undefined)
  return shown.length > 0 && required.every((name) => shown.some(([known]) => known === name))
    ? Object.fromEntries(shown)
    : undefined
}
