/**
 * A JSON Schema as we read it, with our own keywords: `clamp` a number to it, take `alias` names, `explode` lists. `deprecated` is a parameter
 * that an answer says so of, when it was given. `keyed` is
 * a map of the caller's own keys: `name[<keyed>key]=value` each. `shapes` are what the document says a value may be that its
 * handler reads by itself.
 */
export interface Keywords {
  type?: string
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
  keyed?: string
  shapes?: readonly Keywords[]
}
