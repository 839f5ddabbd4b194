/** TypeScript types for JSON Schemas of the document. */

/** The parts of a schema that occur in the document. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Readonly<Record<string, Schema>>
}

const refPrefix = '#/components/schemas/'

/** `indent` is that of the line on which the type begins. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref.slice(refPrefix.length))
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ') || 'never'
  if (schema.anyOf) return toUnion(schema.anyOf.map((one) => typeOf(one, indent)))
  if (typeof schema.type === 'object') return toUnion(schema.type.map((type) => typeOf({ ...schema, type }, indent)))
  return ofType(schema, indent)
}

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function ofType(schema: Schema, indent: string): string {
  if (schema.type === 'object') return object(schema, indent)
  if (schema.type === 'array')
    return `readonly ${parenthesize(schema.items ? typeOf(schema.items, indent) : 'unknown')}[]`
  return simple[String(schema.type)] ?? 'unknown'
}

/** Members by name, and an index signature if other names are allowed. */
function object({ properties = {}, required = [], ...rest }: Schema, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, one]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(one.description, inner)}${inner}${key(name)}${mark}: ${typeOf(one, inner)}`
  })
  const others = Object.values(rest.patternProperties ?? {}).concat(
    typeof rest.additionalProperties === 'object' ? [rest.additionalProperties] : [],
  )
  if (members.length === 0) {
    if (others.length > 0) return `Readonly<Record<string, ${toUnion(others.map((one) => typeOf(one, indent)))}>>`
    return rest.additionalProperties === false || rest.additionalProperties === undefined
      ? 'Readonly<Record<string, never>>'
      : 'Readonly<Record<string, unknown>>'
  }
  const open = others.length > 0 || rest.additionalProperties === true ? `${inner}[name: string]: unknown\n` : ''
  return `{\n${members.join('\n')}\n${open}${indent}}`
}

/** The type name for a schema's title. */
export const nameOf = (title: string): string => {
  const name = title.replaceAll(/\W+/g, '_')
  return /^\d/.test(name) ? `_${name}` : name
}

/** A comment above a member; empty without text. The text cannot end the comment. */
export function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return ''
  const lines = text.replaceAll('*/', '*\\/').split(/[\r\n\u2028\u2029]+/)
  if (lines.length === 1) return `${indent}/** ${lines[0]!} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`).join('\n')}\n${indent} */\n`
}

/** A TypeScript literal. U+2028 and U+2029, which JSON allows and old scripts do not, are escaped. */
export const literal = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

const toUnion = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'

const parenthesize = (type: string): string => (/^[\w"'.]+$/.test(type) ? type : `(${type})`)
