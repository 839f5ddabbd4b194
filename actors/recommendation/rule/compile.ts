/** The rules that apply to a resource type, compiled once a process to closures over the facts of one resource. */
import { kubernetesKind, typeOf } from '#streams/cloud/resource/resource-type.ts'
import { allRules } from './catalogue.ts'
import { absent, type Description, type Fact, type FactSource, type Rule } from './contract.ts'
import { describing, type DescribeInput } from './describe.ts'
import { isDelete, judging, type Judgement } from './evaluate.ts'
import { expression, numberOf, scopeOf, type Layout, type Params, type RuleScope, type Slots } from './expression.ts'
import { pathsOf } from './needs.ts'
import { declares, leftOut } from './vocabulary.ts'

export type { Params, Slots } from './expression.ts'

/** How a resource is judged, beside its facts. */
export interface Judging {
  /** Figures in place of the rule's own. */
  params?: Params
  /** Where its inventory comes from: attributes that producers leave out may be taken for what they usually are. */
  fed?: 'connector' | 'producer'
}

export interface CompiledRule {
  readonly rule: Rule
  /** Slots of everything the rule reads. */
  readonly reads: readonly number[]
  outcome(slots: Slots, judging?: Judging): Judgement
  /** What it says where it fires; to be asked then only. */
  describe(slots: Slots, judging: Judging, shown: DescribeInput): Description | 'hold' | 'clear'
}

/** Everything that is said of resources of one type. */
export interface Program {
  readonly type: string
  /** Paths of the slots, in their order. */
  readonly paths: readonly string[]
  readonly rules: readonly CompiledRule[]
  /** Numbers of the rules that read a slot. */
  readonly readers: readonly (readonly number[])[]
  /** Aggregates of metrics that the type has: `cpu_percent.p99.14d`. */
  readonly metrics: readonly string[]
  /** Names of the specs that are read: `volume_type`. */
  readonly specs: readonly string[]
  /** The facts of one resource. What the type does not have is never asked for. */
  slots(source: FactSource): Slots
  /** Numbers of the rules that read something that differs, rising. */
  affected(before: Slots, after: Slots): number[]
}

const programs = new Map<string, Program>()

/** The rules of a type; none for a type that no rule names. */
export function programOf(type: string): Program {
  const known = programs.get(type)
  if (known) return known
  const program = compileProgram(type)
  programs.set(type, program)
  return program
}

/** Whether the rule looks at resources of the type. `aws-*` is every type of aws but the children of Kubernetes clusters. */
export function appliesTo(rule: Rule, type: string): boolean {
  const own = `${typeOf(type)?.provider ?? ''}-*`
  return rule.applies.types.some((name) => name === type || (name === own && kubernetesKind(type) === undefined))
}

/** For how many days the rule must have been true before it counts; 0 for at once. */
export function forDaysOf(rule: Rule, params: Params = {}): number {
  const { forDays = 0 } = rule.applies
  if (typeof forDays === 'number') return forDays
  const name = forDays.slice(1)
  return numberOf(params[name] ?? rule.params[name]) ?? 0
}

/** @param among the rules of the catalogue, unless a test has its own */
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
