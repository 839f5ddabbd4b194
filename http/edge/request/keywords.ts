/**
 * A JSON Schema with our own keywords: `clamp` limits a number, `alias` accepts alternative names, `explode` accepts
 * lists. A `deprecated` parameter adds a header to the response when used, and so does the name that a parameter had
 * `formerly`, which is still accepted. `keyed` is a map with the caller's own keys: one `name[<keyed>key]=value` each.
 * `money` is an amount whose name does not end in USD. `shapes` are the possible shapes, for the document, of a value
 * that the handler reads itself.
 */
export interface Keywords {
  type?: string
  format?: string
  title?: string
  properties?: Record<string, Keywords>
  required?: string[]
  items?: Keywords
  maxItems?: number
  anyOf?: Keywords[]
  additionalProperties?: unknown
  default?: unknown
  const?: unknown
  enum?: readonly unknown[]
  examples?: readonly unknown[]
  clamp?: number
  alias?: boolean
  deprecated?: boolean
  explode?: boolean
  money?: boolean
  patternProperties?: Record<string, Keywords>
  formerly?: string
  keyed?: string
  shapes?: readonly Keywords[]
}

/** One of several shapes, with a title that is derived from its name: `shared-cost` is titled `SharedCostSpec`. */
export const titledShape = (name: string, suffix: string, schema: Keywords): Keywords => ({
  ...schema,
  title: `${name.replaceAll(/(?:^|[-_ ])(\w)/g, (_all, letter: string) => letter.toUpperCase())}${suffix}`,
})

/** Whether a parameter has a maximum to which larger numbers are reduced. */
export const isClamped = (query: Keywords | undefined): boolean =>
  Object.values(query?.properties ?? {}).some(({ clamp }) => clamp !== undefined)

const own = ['clamp', 'alias', 'explode', 'keyed', 'formerly', 'money', 'shapes'] as const

/** `schema` without our own keywords, for readers of JSON Schema. Its parts keep theirs. */
export const withoutOwn = (schema: Keywords): Omit<Keywords, (typeof own)[number]> =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !own.some((one) => one === name)))
