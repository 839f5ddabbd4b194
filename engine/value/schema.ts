/**
 * The schema language. A schema is a JSON Schema value built with `t`; it gives the TypeScript type, the decoder of a
 * stream message or request, and the OpenAPI component. No other file imports TypeBox.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Value from 'typebox/value'
import { Fault, type Problem } from './fault.ts'

export { Type as t }
export type { Static, TObject, TSchema }

/**
 * Compiles `schema` once, at the first input: a process needs few of the thousand schemas that it declares.
 * @throws Fault `invalid`, naming up to 20 invalid paths, if the input does not match
 */
export function decoder<S extends TSchema>(schema: S): (input: unknown) => Static<S> {
  const compile = () => Compile(schema)
  let compiled: ReturnType<typeof compile> | undefined
  return (input) => {
    compiled ??= compile()
    if (compiled.Check(input)) return input as Static<S>
    throw Fault.invalid('validation_failed', 'The input does not match its schema.', {
      problems: [...compiled.Errors(input)].flatMap(problemsOf).slice(0, 20),
    })
  }
}

/** Like `decoder`, for text (query strings, CSV): first fills in defaults and converts `"5"` to 5. */
export function textDecoder<S extends TSchema>(schema: S): (input: object) => Static<S> {
  const decode = decoder(schema)
  return (input) => decode(Value.Convert(schema, Value.Default(schema, { ...input })))
}

/** Whether `input` matches `schema`, without compiling it: for single checks. */
export const matches = <S extends TSchema>(schema: S, input: unknown): input is Static<S> => Value.Check(schema, input)

interface SchemaError {
  keyword: string
  instancePath: string
  message: string
  params: unknown
}

interface Params {
  requiredProperties?: string[]
  additionalProperties?: string[]
  allowedValues?: unknown[]
  pattern?: string | RegExp
  format?: string
}

/**
 * A missing property is reported at the property, not at its parent, because callers look for that name. Several are
 * reported separately.
 */
function problemsOf({ keyword: code, instancePath, message, params }: SchemaError): Problem[] {
  const { requiredProperties, additionalProperties, allowedValues: allowed, pattern, format } = (params ?? {}) as Params
  const missing = (name: string) => ({
    path: `${instancePath}/${name}`,
    code,
    message: `must have required properties ${name}`,
  })
  if (requiredProperties && requiredProperties.length > 1) return requiredProperties.map(missing)
  const name = requiredProperties?.[0] ?? additionalProperties?.[0]
  const path = name === undefined ? instancePath : `${instancePath}/${name}`
  const rule = { ...(allowed && { allowed }), ...(pattern && { pattern: String(pattern) }), ...(format && { format }) }
  return [{ path, code, message, ...rule }]
}
