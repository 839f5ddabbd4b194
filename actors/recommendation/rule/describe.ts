/** The description of a firing rule: texts, amounts, target and evidence. */
import {
  absent,
  type Description,
  type Fact,
  type PricedResource,
  type References,
  type Rule,
  type TargetSpec,
} from './contract.ts'
import { assumable } from './evaluate.ts'
import { numberOf, reading, type Layout, type Read, type RuleScope } from './expression.ts'
import { p95Of, primaryMetrics, pathsOf } from './needs.ts'
import { cents, quotesOf, saving, type ComputedSaving } from './saving.ts'
import { derivation } from './target.ts'
import { fill, sentences, type Lookup } from './text.ts'
import { metricPath } from './vocabulary.ts'

/** The resource to describe, and the tables to price it by. */
export interface DescribeInput {
  references: References
  of: PricedResource
  name: string
  region: string
  /** Only amounts are needed: texts and evidence stay empty. */
  isBrief?: boolean
}

/** `hold`: the target cannot be computed yet; `clear`: nothing is better than the current state. */
export type Describe = (scope: RuleScope, shown: DescribeInput) => Description | 'hold' | 'clear'

/**
 * Compiles the description of one rule.
 * @param at layout of its facts; metrics that the type does not have are never shown
 */
export function describing(rule: Rule, at: Layout, has: (path: string) => boolean): Describe {
  const derive = derivation(rule.target, at)
  const save = saving(rule.saving, at)
  const cost = reading('bill.cost_30d', at)
  const evidence = evidencing(rule, at, has)
  return (scope, shown) => {
    const derived = derive(scope, shown)
    if (derived === 'hold' || derived === 'clear') return derived
    const target = derived === 'none' ? undefined : derived
    const said = saying(rule, at, scope, shown, target)
    if (typeof said === 'string') return said
    const saved = save(scope, { ...shown, target })
    if (isNoGain(rule, saved)) return 'clear'
    const money = moneyOf(rule, saved, numberOf(cost(scope)) ?? 0)
    return {
      ...said,
      ...money,
      isAssumed: saved.isAssumed,
      target,
      tierRates: saved.tierRates,
      evidence: shown.isBrief
        ? nothing
        : { ...evidence(scope), ...basisOf(rule, saved), ...pricesOf(rule, saved, shown, target) },
    }
  }
}

const nothing: Description['evidence'] = {}

/** A target that costs more is not a saving. */
const isNoGain = ({ saving: { kind, signed }, severity }: Rule, { usd }: ComputedSaving): boolean =>
  kind === 'price_delta' && signed !== true && severity.mode === 'cost' && usd < 0

/** A finding of risk saves nothing (REC-32): its amount is part of the evidence. */
function moneyOf(
  { severity, saving: { signed } }: Rule,
  { usd, basis = 0, isOfBasis = false }: ComputedSaving,
  cost: number,
) {
  const savingUsd = severity.mode === 'risk' ? 0 : signed === true ? usd : Math.max(0, usd)
  return { costUsd: isOfBasis ? basis : Math.max(cost, basis), savingUsd: savingUsd + 0 }
}

function basisOf({ severity }: Rule, { usd, isAssumed }: ComputedSaving): Record<string, unknown> {
  const told = isAssumed ? 'assumed' : 'measured'
  return {
    savingBasis: usd === 0 ? 'none' : told,
    ...(severity.mode === 'risk' && usd !== 0 && { possibleSavingUsd: cents(usd) }),
  }
}

function pricesOf(
  rule: Rule,
  saved: ComputedSaving,
  shown: DescribeInput,
  target: TargetSpec | undefined,
): Record<string, unknown> {
  const prices = quotesOf(rule.saving, saved, { ...shown, target })
  return prices.length === 0 ? {} : { prices }
}

type DescriptionText = Pick<Description, 'title' | 'from' | 'to' | 'description' | 'remediation'>

function saying(rule: Rule, at: Layout, scope: RuleScope, shown: DescribeInput, target: TargetSpec | undefined) {
  const words = wordsOf(rule, at, scope, shown, target)
  const to = fill(rule.to, words)
  const from = fill(rule.from, words)
  if (!to.isComplete) return 'hold'
  const tokens = { from: from.isComplete ? from.text : unknownSetting, to: to.text }
  if (rule.category === 'rightsizing' && tokens.from !== '' && tokens.from === tokens.to) return 'clear'
  const lookup: Lookup = (key) => (key === 'from' || key === 'to' ? tokens[key] : words(key))
  const title = fill(rule.title, lookup)
  if (!title.isComplete || (!from.isComplete && !canBeUnknown(rule))) return 'hold'
  const told = (text: string) => (shown.isBrief ? '' : sentences(text, lookup) || `${rule.name}.`)
  const said: DescriptionText = {
    title: title.text,
    ...tokens,
    description: told(rule.description),
    remediation: told(rule.remediation),
  }
  return said
}

const unknownSetting = 'its current setting'

/** A title may be complete without the current value if it says `from ... to`, or does not mention it. */
const canBeUnknown = ({ title }: Rule): boolean => !title.includes('{from}') || title.includes('from {from} to {to}')

/** Values of the placeholders in the rule's texts. */
function wordsOf(
  rule: Rule,
  at: Layout,
  scope: RuleScope,
  shown: DescribeInput,
  target: TargetSpec | undefined,
): Lookup {
  return (key) => {
    if (key === 'name') return shown.name
    if (key === 'region') return shown.region
    if (key === 'window') return rule.needs.windowDays
    if (key.startsWith('p.')) return scope.params[key.slice(2)]
    return key.startsWith('target.') ? (target?.[key.slice(7)] as Fact) : reading(key, at)(scope)
  }
}

/** `metric.cpu_percent.p99.14d` becomes `cpuPercentP99`, `bill.cost_30d` becomes `cost`. */
function evidenceKey(path: string): string {
  const [space, ...rest] = path.split('.')
  const name = space === 'metric' ? rest.slice(0, 2).join('_') : rest.join('_').replace(/_30d$/, '')
  return name.replaceAll(/[_.-]+([a-z0-9])/gi, (_all, letter: string) => letter.toUpperCase())
}

const isShown = (value: Fact): boolean => value !== undefined && value !== null && value !== absent

/** The known evidence of the rule; for rules that read metrics also the first metric with its 95th percentile. */
function evidencing(
  rule: Rule,
  at: Layout,
  has: (path: string) => boolean,
): (scope: RuleScope) => Record<string, unknown> {
  const stated: [string, Read][] = rule.evidence.map((path) => [evidenceKey(path), reading(path, at)])
  const metrics = primaryMetrics(rule, pathsOf(rule)).filter(has)
  const measured = metrics.map((path) => ({ path, read: reading(path, at), p95: reading(p95Of(path), at) }))
  const guards = assumable(rule, at)
  return (scope) => {
    const known = stated.map(([key, read]) => [key, read(scope)] as const).filter(([, value]) => isShown(value))
    const first = measured.find(({ read }) => isShown(read(scope))) ?? measured[0]
    const assumed = scope.mayAssume ? guards.filter(([, slot]) => scope.slots[slot] === undefined) : []
    return {
      ...Object.fromEntries(known),
      ...(first && metricEvidence(first.path, first.read(scope), first.p95(scope))),
      ...(assumed.length > 0 && { assumed: assumed.map(([path]) => path) }),
    }
  }
}

function metricEvidence(path: string, value: Fact, p95: Fact): Record<string, unknown> {
  const { metric, aggregate, days } = metricPath(path)!
  return {
    metric,
    windowDays: days,
    ...(isShown(value) && { [aggregate]: value }),
    ...(isShown(p95) && { p95 }),
  }
}
