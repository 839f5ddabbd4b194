/** Reads the three inputs of a request by their schemas. Every wrong one is named: all of them, not only the first. */
import { Fault, type Problem } from '#engine/value/fault.ts'
import { decoder, type Static, type TObject, type TSchema } from '#engine/value/schema.ts'
import { patternWords } from '#http/edge/parameter/field.ts'
import { didYouMean } from './nearest.ts'
import { badInput, inputFault, type InputError } from '#http/edge/problem.ts'
import type { Keywords } from './keywords.ts'
import { strangers } from './stranger.ts'
import { itemsOf } from '#http/edge/parameter/tag-key.ts'
import { isUnclean, pointerStep } from './text.ts'
import { realName } from '#streams/names.ts'

type Where = 'query' | 'path'
type Given = string | string[]
type Texts = Readonly<Record<string, Given | undefined>>

/**
 * Reads declared parameters out of texts: `5` as 5, `true` as true, lists by commas, but for a comma after a backslash. Other parameters of a query are refused
 * (decision G-114), unless its schema says `additionalProperties: true`: then they are passed over.
 */
export function textInput(schema: TObject, where: Where): (texts: Texts) => unknown {
  const decode = decoder(schema)
  const { properties = {}, additionalProperties } = schema as Keywords
  const isOpen = where === 'path' || additionalProperties === true
  return (texts) => {
    const errors = isOpen ? [] : strayParameters(properties, texts)
    const { input, refused } = taken(properties, texts, where)
    if (refused.length > 0) throw badInput(...errors, ...refused)
    try {
      decode(input)
    } catch (error) {
      throw inputFault(hinted(error, input), where, errors)
    }
    if (errors.length > 0) throw badInput(...errors)
    return input
  }
}

/** What was given of each property, read, and what cannot be read at all. */
function taken(properties: Record<string, Keywords>, texts: Texts, where: Where) {
  const input: Record<string, unknown> = {}
  const refused: InputError[] = []
  for (const [name, property] of Object.entries(properties)) {
    if (property.keyed !== undefined) {
      const members = Object.keys(texts).filter((given) => isKey(given, name, property.keyed!))
      const wrong = members.flatMap((given) => refusal(given, { type: 'array' }, texts[given]!, where) ?? [])
      refused.push(...wrong)
      const values = members.map((given) => [given.slice(name.length + 1, -1), [texts[given]!].flat()] as const)
      if (members.length > 0) input[name] = Object.fromEntries(values)
      continue
    }
    const given = Object.hasOwn(texts, name) ? texts[name] : undefined
    const error = given === undefined ? undefined : refusal(name, property, given, where)
    if (error) refused.push(error)
    // What is refused is not read: it may be of any shape.
    const value = given === undefined ? property.default : error ? undefined : read(property, given)
    if (value !== undefined) input[name] = value
  }
  return { input, refused }
}

const isKey = (given: string, name: string, prefix: string): boolean =>
  given.startsWith(`${name}[${prefix}`) && given.endsWith(']') && given.length > name.length + prefix.length + 2

/** Names said in one answer; a query may hold thousands. */
const straysMax = 20

function strayParameters(properties: Record<string, Keywords>, texts: Texts): InputError[] {
  const declared = Object.entries(properties)
  const known = declared.map(([name, { keyed }]) => (keyed === undefined ? name : `${name}[${keyed}NAME]`))
  const isKnown = (given: string) =>
    declared.some(([name, { keyed }]) => (keyed === undefined ? given === name : isKey(given, name, keyed)))
  return Object.keys(texts)
    .filter((given) => !isKnown(given))
    .slice(0, straysMax)
    .map((name) => {
      const other = known.length === 0 ? ': this path takes no parameters' : didYouMean(name, known)
      return { in: 'query', name, code: 'unknown_parameter', message: `is not a known parameter${other}` }
    })
}

function refusal(name: string, property: Keywords, given: Given, where: Where): InputError | undefined {
  if (Array.isArray(given) && property.type !== 'array') {
    return { in: where, name, code: 'repeated', message: 'must be given only once' }
  }
  if ([given].flat().some(isUnclean))
    return { in: where, name, code: 'text', message: 'contains a character that is not allowed in text' }
  return undefined
}

/** What cannot be read stays text, so that the schema refuses it by name. */
function read(property: Keywords, given: Given): unknown {
  if (property.type === 'array') {
    const texts = property.explode ? [given].flat() : [given].flat().flatMap(itemsOf)
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
      throw inputFault(withStrangers(hinted(error, body), shut, body), 'body')
    }
  }
}

/** The schema's own errors, in words: where one is none of those that are taken, with the one nearest to it. */
function hinted(error: unknown, input: unknown): unknown {
  if (!(error instanceof Fault) || !error.detail.problems) return error
  const problems = error.detail.problems.map((problem) => {
    const said = patternWords.get(problem.pattern ?? '')
    if (said !== undefined) return { ...problem, message: said }
    const words = problem.allowed?.filter((word) => typeof word === 'string') ?? []
    const given = words.length === 0 ? undefined : at(input, problem.path)
    if (typeof given !== 'string') return problem
    return { ...problem, message: `must be one of ${words.join(', ')}${didYouMean(given, words)}` }
  })
  return Fault.invalid(error.code, error.message, { problems })
}

/** What stands at a JSON pointer. */
const at = (input: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], input)

/** The schema's own errors, with every missing and every unknown member named: it names only the first of each. */
function withStrangers(error: unknown, schema: Keywords, body: unknown): unknown {
  if (!(error instanceof Fault) || !error.detail.problems) return error
  const unknown = strangers(schema, body)
  const named = [...missingMembers(schema, body), ...longLists(schema, body), ...unknown]
  const others = error.detail.problems
    .filter(({ path, code }) => code !== 'additionalProperties' && !named.some((m) => isOf(m, code) && m.path === path))
    .map((p) => (p.code === 'boolean' ? { ...p, code: 'additionalProperties', message: 'is not a known field' } : p))
  return Fault.invalid(error.code, error.message, { problems: [...named, ...others] })
}

/** A member that nothing may be is refused as `boolean` too. */
const isOf = (named: Problem, code: string): boolean =>
  named.code === code || (named.code === 'additionalProperties' && code === 'boolean')

function missingMembers({ type, required = [] }: Keywords, body: unknown): Problem[] {
  if (type !== 'object' || typeof body !== 'object' || body === null) return []
  return required
    .filter((name) => !Object.hasOwn(body, name))
    .map((name) => ({ path: pointerStep(name), code: 'required', message: 'is required' }))
}

/** Said first: the schema names what is wrong with the first few elements, and then no more. */
function longLists({ properties = {} }: Keywords, body: unknown, above = ''): Problem[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(properties).flatMap(([name, inner]) => {
    const { maxItems } = inner
    const value = (body as Record<string, unknown>)[name]
    const path = above + pointerStep(name)
    if (maxItems === undefined || !Array.isArray(value)) return longLists(inner, value, path)
    if (value.length <= maxItems) return []
    return [{ path, code: 'maxItems', message: `must not have more than ${maxItems} items` }]
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
