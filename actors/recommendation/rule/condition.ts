/** Compiles conditions of rules to closures with three-valued logic. */
import { absent, type RuleCondition, type Fact } from './contract.ts'
import { numberOf, operand, reading, type Layout, type Read, type RuleScope } from './expression.ts'

/** Undefined: cannot tell. */
export type Truth = boolean | undefined
export type Test = (scope: RuleScope) => Truth

export type Leaf = Extract<RuleCondition, { readonly attr: string }>

/** All leaves of a condition, in the order in which they are written. */
export function leavesOf(condition: RuleCondition): Leaf[] {
  if ('all' in condition) return condition.all.flatMap(leavesOf)
  if ('any' in condition) return condition.any.flatMap(leavesOf)
  return 'not' in condition ? leavesOf(condition.not) : [condition]
}

/** True, false, or undefined if the result depends on an unknown fact. */
export function condition(of: RuleCondition, at: Layout): Test {
  if ('all' in of) return every(of.all.map((part) => condition(part, at)))
  if ('any' in of) return some(of.any.map((part) => condition(part, at)))
  if (!('not' in of)) return leaf(of, at)
  const part = condition(of.not, at)
  return (scope) => {
    const truth = part(scope)
    return truth === undefined ? undefined : !truth
  }
}

function every(parts: readonly Test[]): Test {
  return (scope) => {
    let truth: Truth = true
    for (const part of parts) {
      const one = part(scope)
      if (one === false) return false
      if (one === undefined) truth = undefined
    }
    return truth
  }
}

function some(parts: readonly Test[]): Test {
  return (scope) => {
    let truth: Truth = false
    for (const part of parts) {
      const one = part(scope)
      if (one === true) return true
      if (one === undefined) truth = undefined
    }
    return truth
  }
}

const isEmpty = (value: Fact): boolean => value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Text is compared without case; a number also equals text that contains it. */
function same(a: Fact, b: Fact): boolean {
  if (a === b) return !Number.isNaN(a)
  if (typeof a === 'number' || typeof b === 'number') {
    const number = numberOf(a)
    return number !== undefined && number === numberOf(b)
  }
  return String(a).toLowerCase() === String(b).toLowerCase()
}

const isOf = (value: Fact, one: Fact): boolean =>
  Array.isArray(value) ? value.some((part: Fact) => same(part, one)) : same(value, one)

const isOneOf = (value: Fact, wanted: readonly Fact[]): boolean =>
  wanted.some((one) => (Array.isArray(one) ? one.some((part: Fact) => isOf(value, part)) : isOf(value, one)))

/** Whether a list contains an item, or a text a part. */
function contains(value: Fact, [wanted]: readonly Fact[]): boolean {
  if (Array.isArray(value)) return value.some((one: Fact) => same(one, wanted))
  return String(value).toLowerCase().includes(String(wanted).toLowerCase())
}

/** For known values that are not empty, with known operands. */
const comparisons: Readonly<Record<string, (value: Fact, wanted: readonly Fact[]) => boolean>> = {
  eq: (value, wanted) => wanted.some((one) => same(value, one)),
  ne: (value, wanted) => !wanted.some((one) => same(value, one)),
  in: isOneOf,
  not_in: (value, wanted) => !isOneOf(value, wanted),
  contains,
  not_contains: (value, wanted) => !contains(value, wanted),
  starts_with: (value, [wanted]) => String(value).toLowerCase().startsWith(String(wanted).toLowerCase()),
  ends_with: (value, [wanted]) => String(value).toLowerCase().endsWith(String(wanted).toLowerCase()),
  is_true: (value) => value === true,
  is_false: (value) => value === false,
}

/** For two numbers. */
const bounds: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
}

/**
 * Undefined if text stands where a number belongs. A special case without a list of operands, because most leaves are
 * of this kind.
 */
function testBound(read: Read, holds: (a: number, b: number) => boolean, operandOf: Read): Test {
  return (scope) => {
    const value = read(scope)
    if (value === undefined) return undefined
    if (value === absent || isEmpty(value)) return false
    const wanted = operandOf(scope)
    if (wanted === undefined || wanted === absent) return undefined
    if (isEmpty(wanted)) return false
    const a = numberOf(value)
    const b = numberOf(wanted)
    return a === undefined || b === undefined ? undefined : holds(a, b)
  }
}

/** Operators of leaves, with their number of values; undefined: one or more. */
export const operators: Readonly<Record<string, number | undefined>> = {
  ...Object.fromEntries([...Object.keys(comparisons), ...Object.keys(bounds)].map((op) => [op, 1])),
  eq: undefined,
  ne: undefined,
  in: undefined,
  not_in: undefined,
  is_true: 0,
  is_false: 0,
  exists: 0,
  missing: 0,
}

/** Operators that are true for an empty value. */
const trueOfEmpty = ['ne', 'not_in', 'not_contains']

/** Leaves that only exclude resources the rule is not meant for: a missing attribute may be assumed there. */
const isGuard = ({ op }: Leaf): boolean => ['ne', 'not_in', 'is_false', 'missing'].includes(op)

function leaf(of: Leaf, at: Layout): Test {
  const read = readGuard(of, at)
  if (of.op === 'exists' || of.op === 'missing') {
    const wanted = of.op === 'exists'
    return (scope) => {
      const value = read(scope)
      if (value === undefined) return undefined
      return (value !== absent && !isEmpty(value)) === wanted
    }
  }
  const compare = comparisons[of.op]!
  const ofEmpty = trueOfEmpty.includes(of.op)
  const operands = of.values.map((value) => operand(value, at))
  const [only] = operands
  const bound = bounds[of.op]
  if (bound && only) return testBound(read, bound, only)
  return (scope) => {
    const value = read(scope)
    if (value === undefined) return undefined
    if (value === absent) return false
    if (isEmpty(value)) return ofEmpty
    const wanted: Fact[] = []
    for (const one of operands) {
      const known = one(scope)
      if (known === undefined || known === absent) return undefined
      wanted.push(known)
    }
    return compare(value, wanted)
  }
}

/** The fact of a leaf. For a guard, an attribute that a producer left out has its usual value. */
function readGuard(of: Leaf, at: Layout): Read {
  const read = reading(of.attr, at)
  const usual = isGuard(of) ? at.leftOut(of.attr) : undefined
  if (usual === undefined) return read
  return (scope) => {
    const value = read(scope)
    return value === undefined && scope.mayAssume ? usual : value
  }
}
