/** Reads the three inputs of a request by their schemas. Every wrong one is named: all of them, not only the first. */
import { Fault, type Problem } from '#engine/fault.ts'
import { decoder, type Static, type TObject, type TSchema } from '#engine/schema.ts'
import { badInput, located, type InputError } from '#http/problem.ts'
import { pointerStep, unclean } from '#http/text.ts'
import { realName } from '#streams/names.ts'

type Where = 'query' | 'path'
type Texts = Readonly<Record<string, string | string[] | undefined>>

/** A JSON Schema as we read it, with our own keywords: `clamp` a number to it, take `alias` names, `explode` lists. */
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
  clamp?: number
  alias?: boolean
  explode?: boolean
}

/** Reads declared parameters out of texts: `5` as 5, `true` as true, lists by commas. Unknown names are left out. */
export function textInput(schema: TObject, where: Where): (texts: Texts) => unknown {
  const decode = decoder(schema)
  const properties = Object.entries(schema.properties as unknown as Record<string, Keywords>)
  return (texts) => {
    const input: Record<string, unknown> = {}
    const errors: InputError[] = []
    for (const [name, property] of properties) {
      const given = Object.hasOwn(texts, name) ? texts[name] : undefined
      const error = given === undefined ? undefined : refusal(name, property, given, where)
      if (error) errors.push(error)
      const value = given === undefined ? property.default : read(property, given)
      if (value !== undefined) input[name] = value
    }
    if (errors.length > 0) throw badInput(...errors)
    try {
      return decode(input)
    } catch (error) {
      throw located(error, where)
    }
  }
}

function refusal(name: string, property: Keywords, given: string | string[], where: Where): InputError | undefined {
  if (Array.isArray(given) && property.type !== 'array') {
    return { in: where, name, code: 'repeated', message: 'may be given only once' }
  }
  if ([given].flat().some(unclean))
    return { in: where, name, code: 'text', message: 'holds a character that is not text' }
  return undefined
}

/** What cannot be read stays text, so that the schema refuses it by name. */
function read(property: Keywords, given: string | string[]): unknown {
  if (property.type === 'array') {
    const texts = property.explode ? [given].flat() : [given].flat().flatMap((text) => text.split(','))
    return texts.filter((text) => text !== '').map((text) => read(property.items ?? {}, text))
  }
  const text = given as string
  if (property.type === 'integer' || property.type === 'number') return number(text, property)
  if (property.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return property.alias ? realName(text) : text
}

const decimal = /^[+-]?\d+(?:\.\d+)?$/

function number(text: string, { clamp }: Keywords): number | string {
  if (!decimal.test(text)) return text
  return clamp === undefined || !Number.isInteger(Number(text)) ? Number(text) : Math.min(Number(text), clamp)
}

/** Reads a body. No body at all is an empty object where the schema asks for nothing; unknown members are refused. */
export function bodyInput(schema: TSchema): (body: unknown) => unknown {
  const shut = closed(schema as Keywords)
  const decode = decoder(shut as TSchema)
  const nothingNeeded = shut.type === 'object' && (shut.required ?? []).length === 0
  return (body) => {
    if (body === undefined && !nothingNeeded) throw badInput(bodyError('', 'required', 'must have a JSON body'))
    try {
      return decode(body === undefined ? {} : body)
    } catch (error) {
      throw located(withStrangers(error, shut, body), 'body')
    }
  }
}

/** The schema's own errors, with every missing and every unknown member named: it names only the first of each. */
function withStrangers(error: unknown, schema: Keywords, body: unknown): unknown {
  if (!(error instanceof Fault) || !error.detail.problems) return error
  const missing = [...missingMembers(schema, body), ...longLists(schema, body)]
  const others = error.detail.problems
    .filter(
      ({ path, code }) => code !== 'additionalProperties' && !missing.some((m) => m.code === code && m.path === path),
    )
    .map((p) => (p.code === 'boolean' ? { ...p, code: 'additionalProperties', message: 'is not a known field' } : p))
  return Fault.invalid(error.code, error.message, { problems: [...missing, ...others] })
}

function missingMembers({ type, required = [] }: Keywords, body: unknown): Problem[] {
  if (type !== 'object' || typeof body !== 'object' || body === null) return []
  return required
    .filter((name) => !Object.hasOwn(body, name))
    .map((name) => ({ path: pointerStep(name), code: 'required', message: 'is required' }))
}

/** Said first: the schema names what is wrong with the first few elements, and then no more. */
function longLists({ properties = {} }: Keywords, body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(properties).flatMap(([name, { maxItems }]) => {
    const value = (body as Record<string, unknown>)[name]
    if (maxItems === undefined || !Array.isArray(value) || value.length <= maxItems) return []
    return [{ path: pointerStep(name), code: 'maxItems', message: `must not have more than ${maxItems} items` }]
  })
}

const bodyError = (name: string, code: string, message: string): InputError => ({ in: 'body', name, code, message })

/** A copy of `schema` in which objects take only the members they declare, unless they say otherwise themselves. */
export function closed(schema: Keywords): Keywords {
  const copy = { ...schema }
  if (schema.properties) {
    copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, s]) => [name, closed(s)]))
    copy.additionalProperties ??= false
  }
  if (schema.items) copy.items = closed(schema.items)
  if (schema.anyOf) copy.anyOf = schema.anyOf.map(closed)
  return copy
}

/** Reads what an actor answered. A wrong shape is a bug of ours, not of the caller. @throws Fault `defect` */
export function actorReply<S extends TSchema>(schema: S): (answer: unknown) => Static<S> {
  const decode = decoder(schema)
  return (answer) => {
    try {
      return decode(answer)
    } catch (error) {
      throw Fault.defect(error)
    }
  }
}
