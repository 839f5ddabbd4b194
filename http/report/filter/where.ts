/**
 * Conditions combined by all and any, nested, as the parameter `where` of reports: JSON that is converted to clauses, of each of
 * which one condition must hold.
 */
import { flowDims } from '#analytics/cost/questions.ts'
import type { whereTests } from '#analytics/store/slice.ts'
import { t } from '#engine/value/schema.ts'
import { didYouMean } from '#http/edge/request/nearest.ts'
import { badInput } from '#http/edge/problem.ts'
import { namesOfService, serviceSpellings } from '#streams/billing/line/service-name.ts'
import { valuesAsked } from './filter.ts'
import { isTag } from './tag-dimension.ts'

const ops = ['is', 'is_not', 'contains', 'not_contains', 'empty', 'not_empty'] as const
type Op = (typeof ops)[number]

/** Daily sums do not have invoices. */
const dims: readonly string[] = flowDims.filter((dim) => dim !== 'invoice_id')

const depthMax = 4
const conditionsMax = 20
const valuesMax = 100
const clausesMax = 64

export const Where = t.String({
  maxLength: 8192,
  description:
    `conditions as JSON, in addition to all other filters: {"dim":"region","op":"contains","values":["eu-"]}, combined by {"all":[...]} and {"any":[...]}, at most ${depthMax} deep, with at most ${conditionsMax} conditions of ${valuesMax} values each. op: ${ops.join(', ')}; the last two have no values. ` +
    `Of several values one must match, for is_not and not_contains none. dim is a dimension without invoice_id, or tag:KEY. Values are those of filter[...], IDs of accounts and teams included; contains ignores case`,
  examples: ['{"any":[{"dim":"service_name","op":"contains","values":["database"]},{"dim":"tag:team","op":"empty"}]}'],
})

export interface Condition {
  dim: string
  test: (typeof whereTests)[number]
  values: string[]
}

/** Of each, one condition must hold. */
type Clauses = Condition[][]

/** @throws Fault `invalid` with the place in `where` that is wrong */
export function clausesOf(where: string): Clauses {
  const clauses = toClauses(parse(where), 'where', 1)
  if (clauses.flat().length > 255 || clauses.length > clausesMax)
    throw wrong('complexity', 'where', 'has too many combinations: nest fewer all within any')
  return clauses
}

const wrong = (code: string, at: string, message: string) =>
  badInput({ in: 'query', name: 'where', code, message: at === 'where' ? message : `${at} ${message}` })

function parse(where: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(where)
  } catch {
    throw wrong('format', 'where', 'must be JSON such as {"dim":"region","op":"is","values":["eu-west-1"]}')
  }
  if (where.split('"dim"').length - 1 > conditionsMax)
    throw wrong('maxItems', 'where', `must have at most ${conditionsMax} conditions`)
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function toClauses(value: unknown, at: string, depth: number): Clauses {
  if (!isObject(value)) throw wrong('type', at, 'must be an object with all, any or dim')
  if (depth > depthMax) throw wrong('maxDepth', at, `is nested more than ${depthMax} deep`)
  const [name, ...more] = Object.keys(value)
  if (name !== 'all' && name !== 'any') return conditionOf(value, at)
  if (more.length > 0) throw wrong('additionalProperties', at, `cannot have ${more.join(', ')} next to ${name}`)
  const parts = value[name]
  if (!Array.isArray(parts) || parts.length === 0)
    throw wrong('minItems', `${at}.${name}`, 'must be a list with at least one item')
  const each = parts.map((part, n) => toClauses(part, `${at}.${name}[${n}]`, depth + 1))
  return name === 'all' ? each.flat() : anyOf(each)
}

/** Either of several: a clause for each choice of one clause of each. */
const anyOf = (each: readonly Clauses[]): Clauses =>
  each.reduce<Clauses>(
    (all, some) => {
      if (all.length * some.length > clausesMax)
        throw wrong('complexity', 'where', 'has too many combinations: nest fewer all within any')
      return all.flatMap((one) => some.map((other) => [...one, ...other]))
    },
    [[]],
  )

function conditionOf(value: Record<string, unknown>, at: string): Clauses {
  const odd = Object.keys(value).filter((name) => !['dim', 'op', 'values'].includes(name))
  if (odd.length > 0) throw wrong('additionalProperties', at, `has an unknown member ${odd[0]}`)
  const { dim, op } = value
  if (typeof dim !== 'string' || !(isTag(dim) || dims.includes(dim)))
    throw wrong('enum', `${at}.dim`, `must be one of ${dims.join(', ')}, tag:KEY${didYouMean(String(dim), dims)}`)
  if (!isOp(op)) throw wrong('enum', `${at}.op`, `must be one of ${ops.join(', ')}`)
  return clausesFor(dim, op, valuesIn(value, op, at))
}

const isOp = (op: unknown): op is Op => ops.some((one) => one === op)

function valuesIn({ values }: Record<string, unknown>, op: Op, at: string): string[] {
  if (op === 'empty' || op === 'not_empty') {
    if (values !== undefined) throw wrong('additionalProperties', `${at}.values`, `must be left out with ${op}`)
    return []
  }
  if (!Array.isArray(values) || values.length === 0 || values.length > valuesMax)
    throw wrong('minItems', `${at}.values`, `must be a list of 1 to ${valuesMax} texts`)
  if (!values.every((one): one is string => typeof one === 'string' && one !== ''))
    throw wrong('type', `${at}.values`, 'must be texts that are not empty')
  return values
}

/** A service may have several names: text in any of them counts for all. */
function clausesFor(dim: string, op: Op, given: string[]): Clauses {
  const isService = dim === 'service_name'
  if (op === 'empty' || op === 'not_empty') return [[{ dim, test: op === 'empty' ? 'is' : 'is_not', values: [''] }]]
  if (op === 'is' || op === 'is_not') {
    const values = valuesAsked(given)
    return [[{ dim, test: op, values: isService ? values.flatMap(namesOfService) : values }]]
  }
  const spelled = isService ? serviceSpellings.filter((name) => given.some((part) => includes(name, part))) : []
  const names = [...new Set(spelled.flatMap(namesOfService))]
  const conditions: Condition[] = [
    { dim, test: op, values: given },
    ...(names.length > 0
      ? [{ dim, test: op === 'contains' ? ('is' as const) : ('is_not' as const), values: names }]
      : []),
  ]
  return op === 'contains' ? [conditions] : conditions.map((one) => [one])
}

const includes = (name: string, part: string): boolean => name.toLowerCase().includes(part.toLowerCase())

export interface WhereQuestion {
  where_dims: string[]
  where_tests: Condition['test'][]
  where_values: string[][]
  where_clauses: number[][]
}

/** As parameters of a query. */
export function whereQuestion(clauses: Clauses, columnOf: (dim: string) => string): WhereQuestion {
  const all = clauses.flat()
  const ends = clauses.map((_, at) => clauses.slice(0, at).flat().length)
  return {
    where_dims: all.map(({ dim }) => columnOf(dim)),
    where_tests: all.map(({ test }) => test),
    where_values: all.map(({ values }) => values),
    where_clauses: clauses.map((clause, at) => clause.map((_, n) => ends[at]! + n + 1)),
  }
}
