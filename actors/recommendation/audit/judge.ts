/**
 * Evaluates rules for one resource: which fire, which are clear, and which cannot tell. Pure: the same row and grounds
 * always give the same result.
 */
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
  /** Rules that a policy or a tag disables for the resource. */
  off: ReadonlySet<string>
  source: FactSource
}

/** Called when a rule throws on a resource, a defect of ours: the rule holds there, and the others continue. */
export type Faulty = (ruleId: string, error: unknown) => void

/** Seconds between samples above which peaks are not visible. Below: the factor for bounds in that case. */
const coarseSeconds = 900
const coarseShare = 0.75

/** A parameter of a rule below which a quantile of a metric must be. */
interface QuantileBound {
  metric: string
  name: string
}

const bounds = new WeakMap<Rule, readonly QuantileBound[]>()

/** The bounds of a rule that makes resources smaller. */
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

/** Hourly samples are averages: to recommend a smaller size they must be further below the rule's bound. */
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

/** What a resource is judged by: the organization's settings, the tables, the time. */
export type Bench = Grounds & {
  overrides: readonly Override[]
  faulty: Faulty
  /** Only the amounts of firing rules are needed. */
  isBrief?: boolean
}

/** What can be judged: a resource as its audit has it now, or as it was on a past day. */
export type Judgeable = Pick<
  ResourceAudit,
  'cloudAccountId' | 'resource' | 'specs' | 'measured' | 'outcomes' | 'decided'
> &
  Partial<Pick<ResourceAudit, 'told'>>

/**
 * Judges the resource by the rules of its type. With `before`, the row as it was last judged under the same rules and
 * settings, only rules that read a changed fact are evaluated again. Firing rules are always described, since they are
 * weighed again.
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

/** A rule with the parameters for one resource; null if a policy or a tag disables it. */
export interface AppliedRule {
  compiled: CompiledRule
  by: Judging | null
}

/** How rules apply to a resource: by policies, its tags, and the resolution of its metrics. */
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

/**
 * Judges one case; a rule that does not fire is evaluated only if its outcome may have changed (`isAffected`, by
 * number).
 */
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

/** Caches the text of the last time: most rules of a resource ask for the same one. */
function isoOf(now: Date): string {
  const at = now.getTime()
  if (lastIso.at !== at) lastIso = { at, iso: now.toISOString() }
  return lastIso.iso
}

const clear: RuleOutcome = Object.freeze({ o: 'c' })
const cannotTell: RuleOutcome = Object.freeze({ o: 'h' })

/**
 * A rule that cannot tell keeps since when it was true, and stores since when it cannot be evaluated if anything was
 * ever raised, decided or counted for it. Most such rules have nothing of these, and a time for each would be most of
 * what is stored for a resource.
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

/** True from now on, or since the time at which the connector says the resource last changed. */
function sinceOf({ specs }: Judgeable, now: Date): string {
  const told = specs['unchanged_since']
  return typeof told === 'string' && Date.parse(told) < now.getTime() ? new Date(told).toISOString() : now.toISOString()
}
