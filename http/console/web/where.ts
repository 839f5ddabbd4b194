/**
 * Conditions of the address beyond plain filters: a list of groups that must all hold, and of each group one condition. They are the
 * API's parameter `where`.
 */
import { titleOf } from './filter-dimension.ts'

const ops = ['is', 'is_not', 'contains', 'not_contains', 'empty', 'not_empty'] as const
export type Op = (typeof ops)[number]

export const opTitles: Readonly<Record<Op, string>> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  empty: 'is empty',
  not_empty: 'is not empty',
}

export interface Condition {
  dim: string
  op: Op
  values?: readonly string[]
}

export type Group = readonly Condition[]
export type Where = readonly Group[]

export const hasValues = (op: Op): boolean => op !== 'empty' && op !== 'not_empty'

/** IDs that people do not know by heart: text in them means nothing. */
const byId = ['cloud_account_id', 'billing_account', 'team_id', 'cluster']

/** The comparisons of a dimension. */
export const opsOf = (dim: string): readonly Op[] => {
  const some = dim === 'tag' ? (['is'] as const) : ops
  return some.filter((op) => !(byId.includes(dim) && op.endsWith('contains')))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function conditionIn(value: unknown): Condition | undefined {
  if (!isObject(value) || typeof value['dim'] !== 'string' || !ops.some((op) => op === value['op'])) return undefined
  const values = value['values']
  const areTexts = Array.isArray(values) && values.every((one) => typeof one === 'string')
  return { dim: value['dim'], op: value['op'] as Op, ...(areTexts && { values: values as string[] }) }
}

function groupIn(value: unknown): Group | undefined {
  const parts = isObject(value) && Array.isArray(value['any']) ? value['any'] : [value]
  const found = parts.map(conditionIn)
  return found.every((one) => one !== undefined) ? found : undefined
}

/** Undefined for what is nested deeper than the console edits. */
export function parseWhere(text: string): Where | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const parts = isObject(value) && Array.isArray(value['all']) ? value['all'] : [value]
  const found = parts.map(groupIn)
  return found.every((one) => one !== undefined) ? found : undefined
}

/** As the API takes it; undefined without conditions. */
export function whereText(where: Where): string | undefined {
  const parts = where
    .filter((group) => group.length > 0)
    .map((group) => (group.length === 1 ? group[0] : { any: group }))
  return parts.length === 0 ? undefined : JSON.stringify(parts.length === 1 ? parts[0] : { all: parts })
}

/** One condition more, as an alternative of group `at`, or for itself. Values of the same comparison are put together. */
export function addCondition(where: Where, condition: Condition, at?: number): Where {
  if (at === undefined) {
    const last = where.at(-1)
    const isSame = last?.length === 1 && isAlike(last[0]!, condition)
    return isSame ? [...where.slice(0, -1), [joined(last[0]!, condition)]] : [...where, [condition]]
  }
  return where.map((group, n) => {
    if (n !== at) return group
    const like = group.findIndex((one) => isAlike(one, condition) && !one.op.includes('not'))
    return like === -1 ? [...group, condition] : group.with(like, joined(group[like]!, condition))
  })
}

const isAlike = (a: Condition, b: Condition): boolean => a.dim === b.dim && a.op === b.op && hasValues(a.op)
const joined = (a: Condition, b: Condition): Condition => ({
  ...a,
  values: [...new Set([...(a.values ?? []), ...(b.values ?? [])])],
})

export const removeCondition = (where: Where, group: number, condition: number): Where =>
  where.map((one, at) => (at === group ? one.toSpliced(condition, 1) : one)).filter((one) => one.length > 0)

/** `Region is not eu-west-1, us-east-1`. */
export function conditionText({ dim, op, values = [] }: Condition, nameOf: (value: string) => string = String): string {
  return [titleOf(dim), opTitles[op], values.map(nameOf).join(', ')].filter((text) => text !== '').join(' ')
}

/** All conditions in one line; what the console does not edit stays as it is. */
export const whereWords = (text: string): string =>
  parseWhere(text)
    ?.map((group) => group.map((one) => conditionText(one)).join(' or '))
    .join('; ') ?? text
