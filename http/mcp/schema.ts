/** Schemas of routes without our own keywords, for readers that only know JSON Schema. */
import { withoutOwn, type Keywords } from '#http/edge/request/keywords.ts'

export function plain(schema: Keywords): object {
  const { keyed, shapes } = schema
  const { properties, items, anyOf = shapes, additionalProperties, ...rest } = withoutOwn(schema)
  const one = {
    ...rest,
    ...(properties && { properties: mapProperties(properties) }),
    ...(items && { items: plain(items) }),
    ...(anyOf && { anyOf: anyOf.map(plain) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isSchema(additionalProperties) ? plain(additionalProperties) : additionalProperties,
    }),
  }
  return keyed === undefined || keyed === '' ? one : { ...one, description: keysOf(keyed, rest) }
}

const mapProperties = (properties: Readonly<Record<string, Keywords>>): Record<string, object> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plain(schema)]))

const isSchema = (value: unknown): value is Keywords => typeof value === 'object' && value !== null

/** For a map whose keys have the same prefix in the query string. */
const keysOf = (prefix: string, { description }: Keywords & { description?: string }): string =>
  [description, `Keys start with "${prefix}".`].filter(Boolean).join(' ')
