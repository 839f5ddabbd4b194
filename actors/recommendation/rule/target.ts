/** Computes the target of a firing rule: the specs after the change. */
import type { Expr, Fact, Operand, PricedResource, References, Target, TargetSpec } from './contract.ts'
import { expression, numberOf, operand, type Layout, type Read, type RuleScope } from './expression.ts'
import { presentPaths } from './needs.ts'

/** Inputs of look-ups. */
interface DeriveInput {
  references: References
  of: PricedResource
}

/**
 * Without a target: `none`: the rule has none; `hold`: it cannot be computed yet; `clear`: the resource already is that
 * way.
 */
type DerivedTarget = TargetSpec | 'none' | 'hold' | 'clear'
export type Derive = (scope: RuleScope, wanted: DeriveInput) => DerivedTarget

/** The target of a rule, by its kind. */
export function derivation(target: Target, at: Layout): Derive {
  switch (target.kind) {
    case 'set':
      return set(target['spec'] as Record<string, Expr>, at)
    case 'fit':
      return fit(target as Target & FitTarget, at)
    case 'lookup':
      return lookup(target as Target & LookupTarget, at)
    case 'schedule':
      return () => ({ preset: target['preset'] })
    case 'commitment':
      return commitment(target as Target & CommitmentTarget, at)
    case 'tags':
      return tags(target['keys'] as Operand, at)
    case 'none':
    case 'delete':
    case 'stop':
      return () => 'none'
  }
}

const reads = (values: Readonly<Record<string, Expr>>, at: Layout): [string, Read][] =>
  Object.entries(values).map(([name, value]) => [name, expression(value, at)])

/** Unknown values are not changed; if all are unknown, there is no target. */
function set(spec: Readonly<Record<string, Expr>>, at: Layout): Derive {
  const values = reads(spec, at)
  return (scope) => {
    const known = values.map(([name, read]) => [name, read(scope)] as const).filter(([, value]) => value !== undefined)
    return known.length === 0 ? 'hold' : Object.fromEntries(known)
  }
}

interface FitTarget {
  catalogue: string
  keep: readonly string[]
  need: Readonly<Record<string, Expr>>
}

/** For an unknown need the current amount is kept. */
function fit({ catalogue, keep, need }: FitTarget, at: Layout): Derive {
  const needs = reads(need, at).map(
    ([name, read]) => [name, read, presentPaths(name).map((path) => at.slot(path))] as const,
  )
  return (scope, { references, of }) => {
    const known: Record<string, Fact> = {}
    for (const [name, read, present] of needs) {
      const value = read(scope) ?? present.map((slot) => numberOf(scope.slots[slot])).find((one) => one !== undefined)
      if (value === undefined) return 'hold'
      known[name] = value
    }
    return references.fit(catalogue, keep, known, of) ?? 'hold'
  }
}

interface LookupTarget {
  table: string
  key: Operand
  column: string
  out: string
}

/** An empty cell: there is no better value. */
function lookup({ table, key, column, out }: LookupTarget, at: Layout): Derive {
  const read = operand(key, at)
  return (scope, { references, of }) => {
    const cell = references.lookup(table, read(scope), column, of)
    if (cell === undefined) return 'hold'
    return cell === '' ? 'clear' : { [out]: cell }
  }
}

interface CommitmentTarget {
  product: string
  term: string
  payment: string
  amount: Expr
}

function commitment({ product, term, payment, amount }: CommitmentTarget, at: Layout): Derive {
  const read = expression(amount, at)
  return (scope) => {
    const hourly = read(scope)
    return hourly === undefined ? 'hold' : { product, term, payment, amount: hourly }
  }
}

function tags(keys: Operand, at: Layout): Derive {
  const read = operand(keys, at)
  return (scope) => {
    const value = read(scope)
    return value === undefined ? 'hold' : { keys: value }
  }
}
