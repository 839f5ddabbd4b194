/** Values that match a JSON Schema of the OpenAPI document, as far as the product's schemas go. */
import fc from 'fast-check'
import { anyJson, anyText, oddNumbers } from '#test/fuzz/hostile.ts'

export interface Schema {
  $ref?: string
  type?: 'integer' | 'number' | 'boolean' | 'null' | 'string' | 'array' | 'object'
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  format?: string
  examples?: unknown[]
}

export type Components = Readonly<Record<string, Schema>>

/** Values that `schema` takes, mostly; texts may hold anything. */
export function valueOf(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  if (schema.$ref) return valueOf(components[schema.$ref.split('/').at(-1)!]!, components)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valueOf(one, components)))
  const values = typed(schema, components)
  return schema.examples ? fc.oneof(fc.constantFrom(...schema.examples), values) : values
}

function typed(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return number(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return text(schema)
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, components), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      })
    case 'object':
      return object(schema, components)
    case undefined:
  }
  return anyJson
}

function number({ type, minimum = -1e6, maximum = 1e6 }: Schema): fc.Arbitrary<number> {
  const within = [...oddNumbers].filter(
    (n) => n >= minimum && n <= maximum && (type === 'number' || Number.isInteger(n)),
  )
  const some =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(minimum), max: Math.min(maximum, Math.ceil(minimum) + 50) })
      : fc.double({ min: minimum, max: maximum, noNaN: true })
  return within.length > 0 ? fc.oneof(some, fc.constantFrom(...within)) : some
}

function text({ format, minLength = 0, maxLength = 5000 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ min: new Date(0), max: new Date('2101-01-01'), noInvalidDate: true }).map((at) => at.toISOString())
  return anyText.map((value) => value.slice(0, maxLength).padEnd(minLength, 'x'))
}

function object(schema: Schema, components: Components): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema
  const free =
    Object.values(patternProperties)[0] ?? (additionalProperties === false ? undefined : additionalProperties)
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valueOf(one, components)])),
    { requiredKeys: required },
  )
  if (free === undefined) return known
  const others = fc.dictionary(anyText, typeof free === 'object' ? valueOf(free, components) : anyJson, { maxKeys: 4 })
  return fc.tuple(others, known).map(([some, rest]) => ({ ...some, ...(rest as object) }))
}
