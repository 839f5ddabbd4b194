/** What a rule reads: every path of its condition, derived values, target, saving, texts and evidence. */
import { leavesOf, type Leaf } from './condition.ts'
import type { RuleCondition, Expr, Rule } from './contract.ts'
import { metricPath } from './vocabulary.ts'

/** A rule as its file contains it; `needs` is derived from the rest. */
export type WrittenRule = Omit<Rule, 'needs'>

/** Paths of `@path` references in a value, at any depth. */
function findReferences(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('@') ? [value.slice(1)] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findReferences) : []
}

/** Facts in the placeholders of a text; values of the engine (`name`, `p.x`, `target.y`) are not facts. */
const factsOfText = (text: string): string[] =>
  [...text.matchAll(/\{([^{}|]+)(?:\|[a-z0-9]+)?\}/g)]
    .map(([, key]) => key!)
    .filter((key) => key.includes('.') && !/^(?:p|let|target)\./.test(key))

const isFact = (path: string): boolean => !path.startsWith('let.')

/** The facts that a path depends on: itself, or those of a derived value. */
function factsBehind(path: string, lets: Readonly<Record<string, Expr>> = {}): string[] {
  if (isFact(path)) return [path]
  return findReferences(lets[path.slice(4)]).flatMap((one) => factsBehind(one, lets))
}

/** The facts that a value or an expression reads, at any depth. */
export const factsOfExpression = (value: unknown, lets?: Readonly<Record<string, Expr>>): string[] => [
  ...new Set(findReferences(value).flatMap((path) => factsBehind(path, lets))),
]

/** The facts that a leaf reads, including those of derived values. */
export const factsOfLeaf = (leaf: Leaf, lets?: Readonly<Record<string, Expr>>): string[] => [
  ...new Set([leaf.attr, ...findReferences(leaf.values)].flatMap((path) => factsBehind(path, lets))),
]

/** The facts a condition reads. */
const factsOfCondition = (when: RuleCondition, lets?: Readonly<Record<string, Expr>>): string[] => [
  ...new Set(leavesOf(when).flatMap((leaf) => factsOfLeaf(leaf, lets))),
]

/** Components of the bill that a saving uses or excludes. */
function componentsOf(saving: Rule['saving']): string[] {
  const { keep, stoppable } = saving as { keep?: string[]; stoppable?: string[] }
  const hourly = saving.kind === 'price_delta' && saving['per'] === 'hour' ? ['compute'] : []
  return [...(keep ?? []), ...(stoppable ?? []), ...hourly].map((name) => `bill.component.${name}_30d`)
}

/** Paths of the current size, for a target that needs an amount whose usage is unknown. */
function presentOf({ target }: WrittenRule): string[] {
  if (target.kind !== 'fit') return []
  return Object.keys(target['need'] as object).flatMap((name) => presentPaths(name))
}

/** Paths of the current amount of a dimension; the first known one counts. */
export const presentPaths = (name: string): string[] => [
  ...(sizeFacts.includes(name) ? [`ref.instance.${name}`] : []),
  ...(name === 'gpus' ? ['ref.instance.gpu_count'] : []),
  `specs.${name}`,
]
const sizeFacts = ['vcpus', 'memory_gib', 'gpu_count']

const always = ['bill.cost_30d', 'res.age_days', 'res.managed', 'res.status']

/** Every path that is needed to judge and describe a resource; sorted. */
export function pathsOf(rule: WrittenRule): string[] {
  const texts = [rule.from, rule.to, rule.title, rule.description, rule.remediation]
  const saved = rule.saving.kind === 'off_hours' ? ['hist.running_share_30d'] : []
  const priced = rule.saving.kind === 'quantity' ? [`ref.price.${String(rule.saving['price'])}`] : []
  const stated = [
    ...factsOfCondition(rule.when, rule.let),
    ...[rule.let, rule.target, rule.saving].flatMap(findReferences).flatMap((path) => factsBehind(path, rule.let)),
    ...rule.evidence.flatMap((path) => factsBehind(path, rule.let)),
    ...texts.flatMap(factsOfText),
  ]
  const primary = primaryMetrics(rule, stated).map((path) => p95Of(path))
  const paths = [
    ...always,
    ...stated,
    ...componentsOf(rule.saving),
    ...saved,
    ...priced,
    ...presentOf(rule),
    ...primary,
  ]
  return [...new Set(paths)].toSorted()
}

/** Metrics that a rule shows first: those of its evidence in their order, otherwise those it reads. */
export function primaryMetrics(rule: WrittenRule, read: readonly string[]): string[] {
  const shown = rule.evidence.flatMap((path) => factsBehind(path, rule.let)).filter((path) => metricPath(path))
  return shown.length > 0 ? shown : read.filter((path) => metricPath(path)).slice(0, 1)
}

/** The 95th percentile of the same metric and window. */
export function p95Of(path: string): string {
  const { metric, days } = metricPath(path)!
  return `metric.${metric}.p95.${days}d`
}

/** The needs of a rule, by namespace and without it; sorted. */
export function needsOf(rule: WrittenRule): Rule['needs'] {
  const paths = pathsOf(rule)
  const of = (space: string) =>
    paths.filter((path) => path.startsWith(`${space}.`)).map((path) => path.slice(space.length + 1))
  const days = paths.flatMap((path) => metricPath(path)?.days ?? [])
  return {
    windowDays: days.length === 0 ? null : Math.max(...days),
    metrics: of('metric'),
    bill: of('bill'),
    specs: of('specs'),
    rel: of('rel'),
    hist: of('hist'),
    ref: of('ref'),
    policy: of('policy'),
    gov: of('gov'),
    scale: of('scale'),
  }
}
