/** Whether a rule fires on a resource, by what is known of its facts. */
import { condition, leavesOf, type Truth } from './condition.ts'
import type { JudgementOutcome, Rule } from './contract.ts'
import { numberOf, type Layout, type RuleScope } from './expression.ts'
import { factsOfLeaf } from './needs.ts'

export interface Judgement {
  outcome: JudgementOutcome
  /** Unknown paths that made it hold; empty for other outcomes, and for a resource that is too young. */
  missing: readonly string[]
}

export type Judge = (scope: RuleScope) => Judgement

const fires: Judgement = { outcome: 'fires', missing: [] }
const clear: Judgement = { outcome: 'clear', missing: [] }
const holds: Judgement = { outcome: 'hold', missing: [] }
const withoutStatus: Judgement = { outcome: 'hold', missing: ['res.status'] }
const withoutManaged: Judgement = { outcome: 'hold', missing: ['res.managed'] }
const withoutAge: Judgement = { outcome: 'hold', missing: ['res.age_days'] }

/** Most outcomes hold, and few are asked why, so `missing` is computed on demand. */
class HoldJudgement implements Judgement {
  readonly outcome = 'hold'
  readonly #unknown: (scope: RuleScope) => string[]
  readonly #scope: RuleScope

  constructor(unknown: (scope: RuleScope) => string[], scope: RuleScope) {
    this.#unknown = unknown
    this.#scope = scope
  }

  get missing(): readonly string[] {
    return this.#unknown(this.#scope)
  }
}

/** Statuses that soon change to another one: the rule waits for that. */
const passing = ['pending', 'starting', 'stopping']

/**
 * Whether carrying out the rule ends something: data, a service, or a resource. Such a rule fires only if everything
 * that its condition reads is known, in every branch: a true branch of `any` does not outweigh an unknown fact that
 * might speak against it. A purchase ends nothing, but cannot be undone either, so it counts, too.
 */
export const isTerminal = ({ target, action }: Rule): boolean =>
  target.kind === 'delete' || ['outage', 'data_loss', 'irreversible'].includes(action.effect)

/** Whether the change is noticeable: then a resource that a controller may own is left alone. */
const disturbs = (rule: Rule): boolean => isTerminal(rule) || isDelete(rule) || rule.action.effect === 'restart'

/** Whether the rule deletes the resource itself: then nothing is assumed. */
export const isDelete = ({ target, action }: Rule): boolean => target.kind === 'delete' || action.type === 'delete'

/** Compiles one rule to its outcome. @param at layout of its facts */
export function judging(rule: Rule, at: Layout): Judge {
  const applies = applying(rule, at)
  const when = condition(rule.when, at)
  const unknown = unknownOf(rule, at)
  const managed = at.slot('res.managed')
  const isCareful = rule.applies.managed === 'exclude' && disturbs(rule)
  const isStrict = isTerminal(rule)
  return (scope) => {
    const applied = applies(scope)
    if (applied !== fires) return applied
    const truth: Truth = when(scope)
    if (truth === false) return clear
    if (truth === undefined || (isStrict && unknown(scope).length > 0)) return new HoldJudgement(unknown, scope)
    return isCareful && scope.slots[managed] === undefined ? withoutManaged : fires
  }
}

/** Whether the rule considers the resource at all, before its condition: by status, controller and age. */
function applying({ applies }: Rule, at: Layout): Judge {
  const [status, managed, age] = ['res.status', 'res.managed', 'res.age_days'].map((path) => at.slot(path)) as [
    number,
    number,
    number,
  ]
  return ({ slots }) => {
    if (applies.status) {
      const now = slots[status]
      if (typeof now !== 'string' || now === '' || now === 'unknown') return withoutStatus
      if (passing.includes(now)) return holds
      if (!applies.status.includes(now)) return clear
    }
    if (applies.managed === 'exclude' && slots[managed] === true) return clear
    if (applies.minAgeDays <= 0) return fires
    const days = numberOf(slots[age])
    if (days === undefined) return withoutAge
    return days < applies.minAgeDays ? holds : fires
  }
}

/** Unknown paths of the condition, without repeats; guards with an assumed value count as known. */
function unknownOf(rule: Rule, at: Layout): (scope: RuleScope) => string[] {
  const guards = new Map(assumable(rule, at))
  const facts = [...new Set(leavesOf(rule.when).flatMap((leaf) => factsOfLeaf(leaf, rule.let)))]
  const slots = facts.map((path) => [path, at.slot(path), guards.has(path)] as const)
  return ({ slots: known, mayAssume }) => {
    const missing: string[] = []
    for (const [path, slot, isAssumable] of slots)
      if (known[slot] === undefined && !(isAssumable && mayAssume)) missing.push(path)
    return missing
  }
}

/** Paths of the rule whose value may be assumed if a producer leaves them out, with their slots. */
export function assumable(rule: Rule, at: Layout): [string, number][] {
  const paths = leavesOf(rule.when)
    .map(({ attr }) => attr)
    .filter((attr) => !attr.startsWith('let.') && at.leftOut(attr) !== undefined)
  return [...new Set(paths)].map((path) => [path, at.slot(path)])
}
