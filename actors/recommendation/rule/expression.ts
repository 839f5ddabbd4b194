/** Values and arithmetic of rules, compiled to closures over slots. */
import { absent, type Expr, type Fact, type Operand } from './contract.ts'

/** Facts of one resource, in the order of its program's paths. */
export type Slots = readonly Fact[]
export type Params = Readonly<Record<string, number | string>>

const unread = Symbol('unread')

/** Values for evaluating one rule. */
export interface RuleScope {
  readonly slots: Slots
  readonly params: Params
  /** For attributes that are left out, the usual value may be assumed. */
  readonly mayAssume: boolean
  /** Derived values by number, computed on first use. */
  readonly lets: (Fact | typeof unread)[]
}

export type Read = (scope: RuleScope) => Fact

/** Where a rule finds its facts and derived values. */
export interface Layout {
  /** The slot of a path. @throws Error if the program has no slot for it */
  slot(path: string): number
  /** The usual value of an attribute that a producer leaves out. */
  leftOut(path: string): Fact
  /** Names of derived values, in the order of their numbers. */
  readonly letNames: readonly string[]
  /** By number; filled while the rule is compiled. */
  readonly lets: Read[]
}

const noLets: never[] = []

/** A scope in which no derived value has been computed yet. */
export const scopeOf = (slots: Slots, params: Params, mayAssume: boolean, lets: number): RuleScope => ({
  slots,
  params,
  mayAssume,
  lets: lets === 0 ? noLets : Array.from({ length: lets }, () => unread),
})

/** A value as a number, also if it is text with a number, as clouds write some; otherwise undefined. */
export function numberOf(value: Fact): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

/** Reads a path or a derived value. */
export function reading(path: string, at: Layout): Read {
  if (path.startsWith('let.')) {
    const n = at.letNames.indexOf(path.slice(4))
    return (scope) => {
      const known = scope.lets[n]
      return known === unread ? (scope.lets[n] = at.lets[n]!(scope)) : (known as Fact)
    }
  }
  const slot = at.slot(path)
  return ({ slots }) => slots[slot]
}

/** A literal, `$parameter`, or `@path`. */
export function operand(value: Operand, at: Layout): Read {
  if (typeof value === 'string' && value.startsWith('$')) {
    const name = value.slice(1)
    return ({ params }) => params[name]
  }
  return typeof value === 'string' && value.startsWith('@') ? reading(value.slice(1), at) : () => value
}

type Arithmetic = (values: readonly number[]) => number

/** Values are sums of fractions: a difference of a billionth from a whole number is ignored. */
const slack = 1e-9

export const functions: Readonly<Record<string, { arity: number | undefined; of: Arithmetic }>> = {
  add: { arity: undefined, of: (values) => values.reduce((a, b) => a + b) },
  mul: { arity: undefined, of: (values) => values.reduce((a, b) => a * b) },
  min: { arity: undefined, of: (values) => Math.min(...values) },
  max: { arity: undefined, of: (values) => Math.max(...values) },
  sub: { arity: 2, of: ([a, b]) => a! - b! },
  div: { arity: 2, of: ([a, b]) => a! / b! },
  round_up: { arity: 2, of: ([a, step]) => Math.ceil(a! / step! - slack) * step! },
  ceil: { arity: 1, of: ([a]) => Math.ceil(a! - slack) },
  floor: { arity: 1, of: ([a]) => Math.floor(a! + slack) },
  abs: { arity: 1, of: ([a]) => Math.abs(a!) },
  /** Compiled by `first` below. */
  first: { arity: undefined, of: ([a]) => a! },
}

/** The value of an expression; undefined if a part is unknown or empty, or for a division by zero. */
export function expression(expr: Expr, at: Layout): Read {
  if (Array.isArray(expr)) {
    const [name, ...parts] = expr as [string, ...Expr[]]
    if (name === 'first') return first(parts as Operand[], at)
    return arithmetic(
      functions[name]!.of,
      parts.map((part) => expression(part, at)),
    )
  }
  const read = operand(expr as Operand, at)
  return (scope) => {
    const value = read(scope)
    return value === absent || value === null ? undefined : value
  }
}

function arithmetic(of: Arithmetic, parts: readonly Read[]): Read {
  return (scope) => {
    const values: number[] = []
    for (const part of parts) {
      const value = numberOf(part(scope))
      if (value === undefined) return undefined
      values.push(value)
    }
    const result = of(values)
    return Number.isFinite(result) ? result + 0 : undefined
  }
}

/** The first operand that is not empty or absent; an unknown one before it makes the result unknown. */
function first(parts: readonly Operand[], at: Layout): Read {
  const reads = parts.map((part) => operand(part, at))
  return (scope) => {
    for (const read of reads) {
      const value = read(scope)
      if (value !== null && value !== absent) return numberOf(value)
    }
    return undefined
  }
}
