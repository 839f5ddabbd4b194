/** Reads path, query and body of a request by their schemas. Reports all invalid inputs, not only the first. */
import { Fault, type Problem } from '#engine/value/fault.ts'
import { decoder, type Static, type TObject, type TSchema } from '#engine/value/schema.ts'
import { formatWords, patternWords } from '#http/edge/parameter/field.ts'
import { didYouMean } from './nearest.ts'
import { badInput, inputFault, limitTooLarge, type InputError } from '#http/edge/problem.ts'
import type { Keywords } from './keywords.ts'
import { strangers } from './unknown-field.ts'
import { itemsOf } from '#engine/value/tag-key.ts'
import { isUnclean, pointerStep } from './text.ts'
import { realName } from '#streams/names.ts'

type Where = 'query' | 'path'
type TextValue = string | string[]
type Texts = Readonly<Record<string, TextValue | undefined>>

/**
 * Reads declared parameters from text: `5` as 5, `true` as true, lists separated by commas (a backslash before a comma
 * keeps it). A number above its `clamp` is reduced to it, or refused if the request is strict. Other query parameters are
 * refused (decision G-114), unless the schema says `additionalProperties: true`:
 * then they are ignored.
 */
export function textInput(schema: TObject, where: Where): (texts: Texts, isStrict?: boolean) => unknown {
  const decode = decoder(schema)
  const { properties = {}, additionalProperties } = schema as Keywords
  const isOpen = where === 'path' || additionalProperties === true
  return (texts, isStrict = false) => {
    const errors = [...(isOpen ? [] : strayParameters(properties, texts)), ...givenTwice(properties, texts)]
    const { input, refused } = readProperties(properties, texts, where)
    const large = isStrict ? tooLarge(properties, texts) : []
    if (refused.length + large.length > 0) throw badInput(...errors, ...refused, ...large)
    try {
      decode(input)
    } catch (error) {
      throw inputFault(addHints(error, input), where, errors)
    }
    if (errors.length > 0) throw badInput(...errors)
    return input
  }
}

/** Numbers above the maximum that they would be reduced to. */
function tooLarge(properties: Record<string, Keywords>, texts: Texts): InputError[] {
  const large = Object.entries(properties).filter(
    ([name, { clamp }]) => clamp !== undefined && Number(texts[name]) > clamp,
  )
  return large.map(([name, { clamp }]) => ({
    in: 'query',
    name,
    code: limitTooLarge,
    message: `must be at most ${clamp}, got ${String(texts[name])}`,
  }))
}

/** The values of each property, and those that cannot be read. */
function readProperties(properties: Record<string, Keywords>, texts: Texts, where: Where) {
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
    const given = givenAs(name, property, texts).map((known) => texts[known])[0]
    const error = given === undefined ? undefined : refusal(name, property, given, where)
    if (error) refused.push(error)
    // Refused values are not read: they may have any shape.
    const value = given === undefined ? property.default : error ? undefined : read(property, given)
    if (value !== undefined) input[name] = value
  }
  return { input, refused }
}

/** The names under which a parameter is given: its own first, then the one it had formerly. */
const givenAs = (name: string, { formerly = name }: Keywords, texts: Texts): string[] =>
  [...new Set([name, formerly])].filter((one) => Object.hasOwn(texts, one))

function givenTwice(properties: Record<string, Keywords>, texts: Texts): InputError[] {
  const twice = Object.entries(properties).filter(([name, property]) => givenAs(name, property, texts).length > 1)
  return twice.map(([name, { formerly }]) => ({
    in: 'query',
    name: formerly!,
    code: 'repeated',
    message: `is the former name of ${name}: give only ${name}`,
  }))
}

const isKey = (given: string, name: string, prefix: string): boolean =>
  given.startsWith(`${name}[${prefix}`) && given.endsWith(']') && given.length > name.length + prefix.length + 2

/** Maximum names in one response; a query may contain thousands. */
const straysMax = 20

function strayParameters(properties: Record<string, Keywords>, texts: Texts): InputError[] {
  const declared = Object.entries(properties)
  const known = declared.map(([name, { keyed }]) => (keyed === undefined ? name : `${name}[${keyed}NAME]`))
  const isKnown = (given: string) =>
    declared.some(([name, { keyed, formerly }]) =>
      keyed === undefined ? given === name || given === formerly : isKey(given, name, keyed),
    )
  return Object.keys(texts)
    .filter((given) => !isKnown(given))
    .slice(0, straysMax)
    .map((name) => {
      const other = known.length === 0 ? ': this path takes no parameters' : didYouMean(name, known)
      return { in: 'query', name, code: 'unknown_parameter', message: `is not a known parameter${other}` }
    })
}

function refusal(name: string, property: Keywords, given: TextValue, where: Where): InputError | undefined {
  if (Array.isArray(given) && property.type !== 'array') {
    return { in: where, name, code: 'repeated', message: 'must be given only once' }
  }
  if ([given].flat().some(isUnclean))
    return { in: where, name, code: 'text', message: 'contains a character that is not allowed in text' }
  return undefined
}

/** A value that cannot be read stays text, so that the schema refuses it by name. */
function read(property: Keywords, given: TextValue): unknown {
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

/** Reads a body. An empty body is an empty object if the schema requires nothing; unknown members are refused. */
export function bodyInput(schema: TSchema): (body: unknown) => unknown {
  const shut = closeSchema(schema as Keywords)
  const decode = decoder(shut as TSchema)
  const nothingNeeded = shut.type === 'object' && (shut.required ?? []).length === 0
  return (body) => {
    if (body === undefined && !nothingNeeded) throw badInput(bodyError('', 'required', 'must have a JSON body'))
    try {
      return decode(body === undefined ? {} : body)
    } catch (error) {
      throw inputFault(withStrangers(addHints(error, body), shut, body), 'body')
    }
  }
}

/** The schema's errors as sentences; for a value that is not allowed, with the nearest allowed one. */
function addHints(error: unknown, input: unknown): unknown {
  if (!(error instanceof Fault) || !error.detail.problems) return error
  const problems = error.detail.problems.map((problem) => {
    const said = patternWords.get(problem.pattern ?? '') ?? formatWords.get(problem.format ?? '')
    if (said !== undefined) return { ...problem, message: said }
    const words = problem.allowed?.filter((word) => typeof word === 'string') ?? []
    const given = words.length === 0 ? undefined : at(input, problem.path)
    if (typeof given !== 'string') return problem
    return { ...problem, message: `must be one of ${words.join(', ')}${didYouMean(given, words)}` }
  })
  return Fault.invalid(error.code, error.message, { problems })
}

/** The value at a JSON pointer. */
const at = (input: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], input)

/** The schema's errors, with every missing and every unknown member: the schema itself names only the first of each. */
function withStrangers(error: unknown, schema: Keywords, body: unknown): unknown {
  if (!(error instanceof Fault) || !error.detail.problems) return error
  const unknown = strangers(schema, body)
  const named = [...missingMembers(schema, body), ...longLists(schema, body), ...unknown]
  const others = error.detail.problems
    .filter(({ path, code }) => code !== 'additionalProperties' && !named.some((m) => isOf(m, code) && m.path === path))
    .map((p) => (p.code === 'boolean' ? { ...p, code: 'additionalProperties', message: 'is not a known field' } : p))
  return Fault.invalid(error.code, error.message, { problems: [...named, ...others] })
}

/** A member that is not allowed at all is also reported as `boolean`. */
const isOf = (named: Problem, code: string): boolean =>
  named.code === code || (named.code === 'additionalProperties' && code === 'boolean')

function missingMembers({ type, required = [] }: Keywords, body: unknown): Problem[] {
  if (type !== 'object' || typeof body !== 'object' || body === null) return []
  return required
    .filter((name) => !Object.hasOwn(body, name))
    .map((name) => ({ path: pointerStep(name), code: 'required', message: 'is required' }))
}

/** Checked first, because the schema reports the errors of the first few elements and then stops. */
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

/** A copy of `schema` in which objects accept only declared members, unless they allow others themselves. */
export function closeSchema(schema: Keywords): Keywords {
  const copy = { ...schema }
  if (schema.properties) {
    copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, s]) => [name, closeSchema(s)]))
    copy.additionalProperties ??= false
  }
  if (schema.items) copy.items = closeSchema(schema.items)
  if (schema.anyOf) copy.anyOf = schema.anyOf.map(closeSchema)
  return copy
}

/** Reads an actor's reply. A wrong shape is our bug, not the caller's. @throws Fault `defect` */
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
