/** The rules for a resource type, compiled once per process to closures over the facts of one resource. */
import { kubernetesKind, typeOf } from '#streams/cloud/resource/resource-type.ts'
import { allRules } from './catalogue.ts'
import { absent, type Description, type Fact, type FactSource, type Rule } from './contract.ts'
import { describing, type DescribeInput } from './describe.ts'
import { isDelete, judging, type Judgement } from './evaluate.ts'
import { expression, numberOf, scopeOf, type Layout, type Params, type RuleScope, type Slots } from './expression.ts'
import { pathsOf } from './needs.ts'
import { declares, leftOut } from './vocabulary.ts'

export type { Params, Slots } from './expression.ts'

/** How a resource is judged, besides its facts. */
export interface Judging {
  /** Parameters in place of the rule's own. */
  params?: Params
  /** Where its inventory comes from: for attributes that producers leave out, the usual value may be assumed. */
  fed?: 'connector' | 'producer'
}

export interface CompiledRule {
  readonly rule: Rule
  /** Slots of everything the rule reads. */
  readonly reads: readonly number[]
  outcome(slots: Slots, judging?: Judging): Judgement
  /** Describes the finding; call it only if the rule fires. */
  describe(slots: Slots, judging: Judging, shown: DescribeInput): Description | 'hold' | 'clear'
}

/** All compiled rules for resources of one type. */
export interface Program {
  readonly type: string
  /** Paths of the slots, in their order. */
  readonly paths: readonly string[]
  readonly rules: readonly CompiledRule[]
  /** For each slot: numbers of the rules that read it. */
  readonly readers: readonly (readonly number[])[]
  /** Aggregates of metrics that rules read: `cpu_percent.p99.14d`. */
  readonly metrics: readonly string[]
  /** Names of specs that rules read: `volume_type`. */
  readonly specs: readonly string[]
  /** Reads the facts of one resource; never those that the type does not have. */
  slots(source: FactSource): Slots
  /** Numbers of the rules that read a changed slot, ascending. */
  affected(before: Slots, after: Slots): number[]
}

const programs = new Map<string, Program>()

/** The program of a type; without rules if no rule names the type. */
export function programOf(type: string): Program {
  const known = programs.get(type)
  if (known) return known
  const program = compileProgram(type)
  programs.set(type, program)
  return program
}

/** Whether the rule applies to the type. `aws-*` is every type of aws except the children of Kubernetes clusters. */
export function appliesTo(rule: Rule, type: string): boolean {
  const own = `${typeOf(type)?.provider ?? ''}-*`
  return rule.applies.types.some((name) => name === type || (name === own && kubernetesKind(type) === undefined))
}

/** Days for which the rule must have been true before it fires; 0: at once. */
export function forDaysOf(rule: Rule, params: Params = {}): number {
  const { forDays = 0 } = rule.applies
  if (typeof forDays === 'number') return forDays
  const name = forDays.slice(1)
  return numberOf(params[name] ?? rule.params[name]) ?? 0
}

/** @param among default: the rules of the catalogue */
export function compileProgram(type: string, among: readonly Rule[] = allRules()): Program {
  const own = among.filter((rule) => appliesTo(rule, type))
  const paths = [...new Set(own.flatMap(pathsOf))].toSorted()
  const slotOf = new Map(paths.map((path, slot) => [path, slot]))
  const parts = own.map((rule) => compiledRule(type, rule, slotOf))
  const isThere = paths.map((path) => declares(type, path))
  const names = (space: string) =>
    paths.filter((path, slot) => isThere[slot] && path.startsWith(space)).map((path) => path.slice(space.length))
  const readers = paths.map((_path, slot) => [...parts.keys()].filter((n) => parts[n]!.reads.includes(slot)))
  return {
    type,
    paths,
    rules: parts,
    readers,
    metrics: names('metric.'),
    specs: names('specs.'),
    slots: (source) => paths.map((path, slot) => (isThere[slot] ? source(path) : absent)),
    affected: (before, after) => findAffected(readers, before, after),
  }
}

function findAffected(readers: Program['readers'], before: Slots, after: Slots): number[] {
  const found = new Set<number>()
  for (const [slot, own] of readers.entries()) if (!isSame(before[slot], after[slot])) for (const n of own) found.add(n)
  return [...found].toSorted((a, b) => a - b)
}

function isSame(a: Fact, b: Fact): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return Object.is(a, b)
  return a.length === b.length && a.every((one, n) => Object.is(one, b[n]))
}

function compiledRule(type: string, rule: Rule, slotOf: ReadonlyMap<string, number>): CompiledRule {
  const at: Layout = {
    slot: (path) => {
      const slot = slotOf.get(path)
      if (slot === undefined) throw new Error(`${rule.id}: no slot for ${path}`)
      return slot
    },
    leftOut: (path) => (isDelete(rule) ? undefined : leftOut(type, path)),
    letNames: Object.keys(rule.let ?? {}),
    lets: [],
  }
  for (const derived of Object.values(rule.let ?? {})) at.lets.push(expression(derived, at))
  const judge = judging(rule, at)
  const describe = describing(rule, at, (path) => declares(type, path))
  const scope = (slots: Slots, { params, fed }: Judging): RuleScope =>
    scopeOf(
      slots,
      params && params !== rule.params ? { ...rule.params, ...params } : rule.params,
      fed === 'producer',
      at.letNames.length,
    )
  return {
    rule,
    reads: pathsOf(rule).map((path) => at.slot(path)),
    outcome: (slots, by = {}) => judge(scope(slots, by)),
    describe: (slots, by, shown) => describe(scope(slots, by), shown),
  }
}
