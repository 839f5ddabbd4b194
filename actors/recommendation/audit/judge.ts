/** What rules come to for one resource: which fire, which hold, which cannot tell. Pure: of the same row and grounds always the same. */
import { dayMs } from '#engine/value/day.ts'
import type { ResourceAudit, RuleOutcome } from './entity.ts'
import { isOptedOut, pricedOf, sourceOf, type Grounds } from './facts.ts'
import { overrideOf, selectable, type Override } from '#actors/recommendation/policy/override.ts'
import {
  forDaysOf,
  programOf,
  type CompiledRule,
  type Judging,
  type Params,
  type Program,
  type Slots,
} from '#actors/recommendation/rule/compile.ts'
import { leavesOf } from '#actors/recommendation/rule/condition.ts'
import type { FactSource, Rule } from '#actors/recommendation/rule/contract.ts'
import type { MetricCoverage } from '#streams/recommendation.ts'
import type { Firing } from './weigh.ts'

export interface JudgeResult {
  outcomes: Record<string, RuleOutcome>
  firing: Firing[]
  /** Rules that are not applied to the resource, by a policy or a tag. */
  off: ReadonlySet<string>
  source: FactSource
}

/** A rule that throws on a resource is a defect of ours: it holds there, and the others go on. */
export type Faulty = (ruleId: string, error: unknown) => void

/** Steps between samples above which peaks do not show, seconds; and what is asked of averages then. */
const coarseSeconds = 900
const coarseShare = 0.75

/** A figure of a rule below which a quantile of a metric must be. */
interface QuantileBound {
  metric: string
  name: string
}

const bounds = new WeakMap<Rule, readonly QuantileBound[]>()

/** Those of a rule that makes things smaller. */
function boundsOf(rule: Rule): readonly QuantileBound[] {
  const known = bounds.get(rule)
  if (known) return known
  const isOne = rule.category === 'rightsizing' && rule.target.kind === 'fit'
  const made = leavesOf(rule.when).flatMap(({ attr, op, values: [value] }): QuantileBound[] => {
    const [, metric = '', quantile] = /^metric\.(\w+)\.(p\d+)\./.exec(attr) ?? []
    const isUpper = isOne && (op === 'lt' || op === 'lte') && quantile !== undefined
    return isUpper && typeof value === 'string' && value.startsWith('$') ? [{ metric, name: value.slice(1) }] : []
  })
  bounds.set(rule, made)
  return made
}

/** Samples of an hour are averages: for a smaller size they must stay further below what the rule asks. */
function coarse(rule: Rule, params: Params, measured: MetricCoverage): Params {
  const own = boundsOf(rule)
  if (own.length === 0) return params
  const scaled = own.flatMap(({ metric, name }): [string, number][] => {
    const bound = params[name]
    const isCoarse = typeof bound === 'number' && (measured[metric]?.stepSeconds ?? 0) > coarseSeconds
    return isCoarse ? [[name, bound * coarseShare]] : []
  })
  return scaled.length === 0 ? params : { ...params, ...Object.fromEntries(scaled) }
}

/** By what a resource is judged: the organization's settings, the tables, the time. */
export type Bench = Grounds & {
  overrides: readonly Override[]
  faulty: Faulty
  /** Only what is weighed is wanted of what fires. */
  isBrief?: boolean
}

/** What is judged: a resource as its audit knows it, or as it was on a day gone by. */
export type Judgeable = Pick<
  ResourceAudit,
  'cloudAccountId' | 'resource' | 'specs' | 'measured' | 'outcomes' | 'decided'
> &
  Partial<Pick<ResourceAudit, 'told'>>

/**
 * Judges the resource by the rules of its type; with `before`, as it was judged last under the same rules and settings, by those
 * alone that read what has changed since. What fires is described either way: it is weighed anew.
 */
export function judge(row: ResourceAudit, grounds: Bench, before?: ResourceAudit): JudgeResult {
  const source = sourceOf(row, grounds)
  const program = programOf(row.resource.type)
  const slots = program.slots(source)
  const rules = appliedTo(program.rules, row, grounds)
  return judgeBy(rules, { row, grounds, slots, source }, affectedBy(program, slots, grounds, before))
}

export interface Case {
  row: Judgeable
  grounds: Bench
  slots: Slots
  source: FactSource
}

/** A rule as it is applied to a resource: by which figures; null where a policy or a tag keeps it away. */
export interface AppliedRule {
  compiled: CompiledRule
  by: Judging | null
}

/** How rules are applied to a resource as it is: by policies, by its tags, and by how it is measured. */
export function appliedTo(
  rules: readonly CompiledRule[],
  { resource, cloudAccountId, measured }: Pick<Judgeable, 'resource' | 'cloudAccountId' | 'measured'>,
  { overrides, governance }: Pick<Bench, 'overrides' | 'governance'>,
): AppliedRule[] {
  const facts = selectable(resource, cloudAccountId)
  const isCostOff = isOptedOut(resource, governance)
  return rules.map((compiled) => {
    const { rule } = compiled
    const spec = overrideOf(rule, overrides, facts)
    if (spec?.enabled === false || (isCostOff && rule.severity.mode === 'cost')) return { compiled, by: null }
    const own = spec?.params as Params | undefined
    const params = coarse(rule, own ? { ...rule.params, ...own } : rule.params, measured)
    return { compiled, by: { fed: resource.fed, params } }
  })
}

/** Judges one case by rules that are applied to it, by their numbers those alone that may have another outcome than before. */
export function judgeBy(
  rules: readonly AppliedRule[],
  one: Case,
  isAffected: (rule: number) => boolean = () => true,
): JudgeResult {
  const off = new Set<string>()
  const judged: JudgeResult = { outcomes: {}, firing: [], off, source: one.source }
  for (const [n, { compiled, by }] of rules.entries()) {
    const { id } = compiled.rule
    const known = one.row.outcomes[id]
    if (by === null) off.add(id)
    else if (known && known.o !== 'f' && !isAffected(n)) judged.outcomes[id] = known
    else attempt(compiled, by, one, judged)
  }
  return judged
}

function attempt(compiled: CompiledRule, by: Judging, one: Case, judged: JudgeResult): void {
  const { id } = compiled.rule
  try {
    apply(compiled, by, one, judged)
  } catch (error) {
    judged.outcomes[id] = holdOutcome(one.row, id, one.grounds.now)
    one.grounds.faulty(id, error)
  }
}

function affectedBy(
  program: Program,
  slots: Slots,
  grounds: Grounds,
  before: ResourceAudit | undefined,
): (rule: number) => boolean {
  if (!before || before.resource.type !== program.type) return () => true
  const numbers = new Set(program.affected(program.slots(sourceOf(before, grounds)), slots))
  return (rule) => numbers.has(rule)
}

function apply(compiled: CompiledRule, by: Judging, { row, grounds, slots, source }: Case, judged: JudgeResult): void {
  const { rule } = compiled
  const { now, references, isBrief = false } = grounds
  const before = row.outcomes[rule.id]
  const { outcome } = compiled.outcome(slots, by)
  if (outcome === 'clear') return void (judged.outcomes[rule.id] = clear)
  if (outcome === 'hold') return void (judged.outcomes[rule.id] = holdOutcome(row, rule.id, now))
  const since = before?.since ?? sinceOf(row, now)
  const days = forDaysOf(rule, by.params)
  if (days > 0 && now.getTime() - Date.parse(since) < days * dayMs)
    return void (judged.outcomes[rule.id] = heldSince(before, since, now))
  const of = pricedOf(row, source)
  const { name, region } = row.resource
  const described = compiled.describe(slots, by, { references, of, name, region, isBrief })
  if (described === 'clear') return void (judged.outcomes[rule.id] = clear)
  if (described === 'hold') return void (judged.outcomes[rule.id] = heldSince(before, since, now))
  judged.outcomes[rule.id] = { o: 'f', since }
  judged.firing.push({ rule, described, isDismissed: row.decided[rule.id] === 'dismissed' })
}

let lastIso = { at: Number.NaN, iso: '' }

/** Of one time a text is made once: most of what is found at first holds since then, rule by rule. */
function isoOf(now: Date): string {
  const at = now.getTime()
  if (lastIso.at !== at) lastIso = { at, iso: now.toISOString() }
  return lastIso.iso
}

const clear: RuleOutcome = Object.freeze({ o: 'c' })
const cannotTell: RuleOutcome = Object.freeze({ o: 'h' })

/**
 * Not to know keeps since when it was true, and says since when nothing is known: of what was ever told or decided, or is counted.
 * Most of what cannot be told is of neither, and a time of each would be most of what is kept of a resource.
 */
function holdOutcome({ outcomes, told, decided }: Judgeable, ruleId: string, now: Date): RuleOutcome {
  const before = outcomes[ruleId]
  if (before?.since !== undefined) return heldSince(before, before.since, now)
  const isOfNobody = told !== undefined && !(ruleId in told) && !(ruleId in decided)
  return isOfNobody ? cannotTell : { o: 'h', held: heldFrom(before, now) }
}

const heldSince = (before: RuleOutcome | undefined, since: string, now: Date): RuleOutcome => ({
  o: 'h',
  since,
  held: heldFrom(before, now),
})

const heldFrom = (before: RuleOutcome | undefined, now: Date): string =>
  before?.o === 'h' && before.held !== undefined ? before.held : isoOf(now)

/** True from now on; a connector that knows since when nothing has changed says so. */
function sinceOf({ specs }: Judgeable, now: Date): string {
  const told = specs['unchanged_since']
  return typeof told === 'string' && Date.parse(told) < now.getTime() ? new Date(told).toISOString() : now.toISOString()
}
