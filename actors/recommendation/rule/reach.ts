/**
 * Whether a rule can fire on accounts that are connected: for one of its types, what it needs must be what the connector
 * finds. Computed by the logic of the rule engine, with facts that are known or unknown instead of values.
 */
import { once } from '#engine/value/once.ts'
import { agedRelations } from '#actors/recommendation/audit/facts.ts'
import { computedRelations } from '#actors/recommendation/sweep/gather/relation.ts'
import { isToldBy } from '#actors/recommendation/sweep/gather/spec.ts'
import { realReach, simulatedReach, type Reach, type TypeReach } from '#streams/cloud/resource/reach.ts'
import { allRules } from './catalogue.ts'
import type { Rule, RuleCondition } from './contract.ts'
import { leavesOf } from './condition.ts'
import { isTerminal } from './evaluate.ts'
import { factsOfExpression, factsOfLeaf, presentPaths } from './needs.ts'
import { declares, metricPath } from './vocabulary.ts'

/** `real`: on a real account; `simulated`: in the simulated cloud alone; `fed`: only with data that producers send. */
export const reaches = ['real', 'simulated', 'fed'] as const
export type RuleReach = (typeof reaches)[number]

export interface ReachOfRule {
  reach: RuleReach
  /** Without `real`: the type, and the facts of the type that no connector of a real cloud finds. */
  missing: readonly string[]
}

type IsKnown = (path: string) => boolean

/** By id of the rule. */
export const reachOf: (rule: Rule) => ReachOfRule = (rule) => reachById().get(rule.id)!

const reachById = once(() => new Map(allRules().map((rule) => [rule.id, computeReach(rule)])))

function computeReach(rule: Rule): ReachOfRule {
  const missing = missingIn(realReach(), rule)
  if (missing.length === 0) return { reach: 'real', missing }
  return { reach: missingIn(simulatedReach(), rule).length === 0 ? 'simulated' : 'fed', missing }
}

/** Empty if the rule can fire on resources of one of its types. */
function missingIn(reach: Reach, rule: Rule): string[] {
  const types = typesOf(rule, reach)
  const byType = types.map((type) => missingOf(rule, type, reach.get(type)))
  return byType.toSorted((a, b) => a.length - b.length)[0] ?? [`${rule.applies.types.join(', ')} is not found`]
}

/** `aws-*` means all types of a cloud. */
function typesOf({ applies: { types } }: Rule, reach: Reach): readonly string[] {
  return types.flatMap((type) =>
    type.endsWith('*') ? [...reach.keys()].filter((one) => one.startsWith(type.slice(0, -1))) : [type],
  )
}

function missingOf(rule: Rule, type: string, found: TypeReach | undefined): string[] {
  if (!found) return [`${type} is not found`]
  const isKnown: IsKnown = (path) => !declares(type, path) || isFound(found, type, path)
  const isAbsent: IsKnown = (path) => !declares(type, path)
  const unknown = factsNeeded(rule).filter((path) => !isKnown(path))
  const isFiring = canBe(rule, rule.when, true, { isKnown, isAbsent })
  const isWhole = !isTerminal(rule) || unknownOf(rule, isKnown).length === 0
  const isDescribed = hasTarget(rule, isKnown) && isSaved(rule, isKnown)
  return isFiring && isWhole && isDescribed ? [] : unknown.map((path) => `${path} of ${type}`)
}

function isFound({ attributes, metrics }: TypeReach, type: string, path: string): boolean {
  const metric = metricPath(path)
  if (metric) return metrics.has(metric.metric)
  if (path.startsWith('specs.')) return attributes.has(path.slice('specs.'.length))
  if (!path.startsWith('rel.')) return true
  const aged = agedRelations[path]
  return (
    isToldBy(attributes, path) ||
    computedRelations(type).includes(path) ||
    (aged !== undefined && attributes.has(aged.spec))
  )
}

interface Knowledge {
  isKnown: IsKnown
  /** Resources of the type have no such fact. */
  isAbsent: IsKnown
}

/** Whether a condition can come out as `wanted`, in three-valued logic. */
function canBe(rule: Rule, when: RuleCondition, wanted: boolean, about: Knowledge): boolean {
  if ('not' in when) return canBe(rule, when.not, !wanted, about)
  if ('all' in when || 'any' in when) {
    const parts = 'all' in when ? when.all : when.any
    const isEach = 'all' in when === wanted
    const can = (part: RuleCondition) => canBe(rule, part, wanted, about)
    return isEach ? parts.every(can) : parts.some(can)
  }
  if (about.isAbsent(when.attr)) return (when.op === 'missing') === wanted
  return factsOfLeaf(when, rule.let).every(about.isKnown)
}

const unknownOf = ({ when, let: lets }: Rule, isKnown: IsKnown): string[] =>
  leavesOf(when)
    .flatMap((leaf) => factsOfLeaf(leaf, lets))
    .filter((path) => !isKnown(path))

/** As `derivation` of target.ts decides: without it the rule holds. */
function hasTarget({ target, let: lets }: Rule, isKnown: IsKnown): boolean {
  const isComputed = (value: unknown) => factsOfExpression(value, lets).every(isKnown)
  if (target.kind === 'set') return Object.values(target['spec'] as object).some(isComputed)
  if (target.kind === 'fit')
    return Object.entries(target['need'] as object).every(
      ([name, value]) => isComputed(value) || presentPaths(name).some(isKnown),
    )
  return isComputed(target)
}

/** A finding whose saving cannot be computed would save nothing. */
const isSaved = ({ saving, let: lets }: Rule, isKnown: IsKnown): boolean =>
  factsOfExpression(saving, lets).every(isKnown)

const factsNeeded = (rule: Rule): string[] => [
  ...new Set([
    ...leavesOf(rule.when).flatMap((leaf) => factsOfLeaf(leaf, rule.let)),
    ...factsOfExpression(rule.target, rule.let),
    ...factsOfExpression(rule.saving, rule.let),
  ]),
]
