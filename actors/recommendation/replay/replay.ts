/**
 * Judges past days again with other parameters, from their fact sheets and through the rules' own closures. With the
 * original parameters it finds what was found. Rules that are not part of the question keep their recorded outcome;
 * only their savings are weighed again with the others.
 */
import { dayOf } from '#engine/value/day.ts'
import type { MetricCoverage } from '#streams/recommendation.ts'
import { nothing, type AuditedResource, type RuleOutcome } from '#actors/recommendation/audit/entity.ts'
import { settledFact, type Grounds } from '#actors/recommendation/audit/facts.ts'
import {
  appliedTo,
  judgeBy,
  type AppliedRule,
  type Bench,
  type JudgeResult,
} from '#actors/recommendation/audit/judge.ts'
import { numberOf } from '#actors/recommendation/audit/number.ts'
import type { Override } from '#actors/recommendation/policy/override.ts'
import { carryRule, advanceRule, type ReplayedRule } from './replayed-rule.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { compileProgram, type Program } from '#actors/recommendation/rule/compile.ts'
import { absent, type Fact, type FactSource, type Rule } from '#actors/recommendation/rule/contract.ts'
import { declares } from '#actors/recommendation/rule/vocabulary.ts'
import {
  isSettled,
  layoutOf,
  tablePathsOf,
  widerPath,
  type SheetFinding,
  type SheetResource,
} from '#actors/recommendation/audit/fact-sheet.ts'
import { weigh, type Firing, type WeighedFinding } from '#actors/recommendation/audit/weigh.ts'

/** One resource as it was judged by the sweep of a day. */
export interface Sheet {
  /** Milliseconds since 1970. */
  at: number
  resource: SheetResource
  /** In the order of the requested paths, as JSON; empty if unknown. */
  facts: readonly string[]
  found: Readonly<Record<string, SheetFinding>>
}

/** What one side of the comparison is judged by. */
export interface Side {
  governance: Grounds['governance']
  overrides: readonly Override[]
  references: (at: number) => Grounds['references']
  /** The rules in question, as this side has them. */
  rules: readonly Rule[]
  /** Called when a rule throws on a resource: the rule holds there. */
  faulty: (ruleId: string) => void
}

/** The state of an open finding on a day. */
interface OpenFinding {
  ruleId: string
  /** US dollars for 30 days; 0 if stale or dismissed, which do not count. */
  usd: number
}

export interface DayStood {
  day: string
  stood: OpenFinding[]
  /** Savings of firing rules that are not in question, US dollars for 30 days. */
  othersUsd: number
}

/** Parts of a resource that rarely change: cached while its sheets have the same. */
interface CachedResource {
  resource: AuditedResource
  measured: MetricCoverage
  applied: readonly AppliedRule[]
  /** By slot: facts derived from the organization's settings. */
  settled: readonly Fact[]
}

/** Computes which findings of a resource type were open on each day. */
export class Replayer {
  /** The paths that each sheet must have. */
  readonly paths: readonly string[]
  private readonly type: string
  private readonly program: Program
  private readonly side: Side
  private readonly asked: ReadonlySet<string>
  private readonly seen = new WeakMap<SheetResource, CachedResource>()
  private readonly grounds = new Map<number, Bench & { day: string }>()
  private places: ReadonlyMap<string, number>
  private readers: readonly Reader[]

  constructor(type: string, side: Side) {
    this.type = type
    this.side = side
    this.program = compileProgram(type, side.rules)
    this.asked = new Set(this.program.rules.map(({ rule }) => rule.id))
    this.paths = pathsFor(type, this.program)
    this.places = placesOf(this.paths)
    this.readers = this.readersOf()
  }

  /** Declares that sheets have the facts of these paths, in this order; they must include `paths`. */
  reading(paths: readonly string[]): this {
    this.places = placesOf(paths)
    this.readers = this.readersOf()
    return this
  }

  /** For one resource, oldest sheet first; each day with the findings open then, in the order of rules. */
  days(cloudAccountId: string, sheets: readonly Sheet[]): DayStood[] {
    const own = new Map<string, ReplayedRule>()
    let before: Sheet | undefined
    return sheets.map((sheet) => {
      const told = this.stoodOn(cloudAccountId, sheet, before, own)
      before = sheet
      return told
    })
  }

  private stoodOn(
    cloudAccountId: string,
    sheet: Sheet,
    before: Sheet | undefined,
    own: Map<string, ReplayedRule>,
  ): DayStood {
    const known = (id: string) => carryRule(own.get(id), sheet.found[id], before?.found[id], !before)
    const { firing, outcomes, off } = this.judged(cloudAccountId, sheet, known)
    const all = [...firing, ...this.othersOf(sheet)]
    const weighed = this.weighed(all, sheet)
    const stood: OpenFinding[] = []
    for (const id of this.asked) {
      const one = advanceRule(known(id), off.has(id) ? undefined : outcomes[id], weighed.get(id), sheet.at)
      own.set(id, one)
      if (one.isOpen) stood.push({ ruleId: id, usd: one.isStale || sheet.found[id]?.dismissed ? 0 : one.usd })
    }
    return { day: this.groundsAt(sheet.at).day, stood, othersUsd: this.savedByOthers(weighed) }
  }

  private judged(cloudAccountId: string, sheet: Sheet, known: (id: string) => ReplayedRule): JudgeResult {
    const grounds = this.groundsAt(sheet.at)
    const { resource, measured, applied, settled } = this.seenOf(cloudAccountId, sheet.resource, grounds)
    const source = this.sourceOf(sheet, resource, grounds)
    const slots = this.readers.map((read, slot) => read(sheet, settled[slot], source))
    const outcomes: Record<string, RuleOutcome> = {}
    const decided: Record<string, 'dismissed'> = {}
    for (const id of this.asked) {
      const { outcome } = known(id)
      if (outcome) outcomes[id] = outcome
      if (sheet.found[id]?.dismissed) decided[id] = 'dismissed'
    }
    const specs = { unchanged_since: this.told(sheet, 'specs.unchanged_since') }
    const row = { cloudAccountId, resource, specs, measured, outcomes, decided }
    return judgeBy(applied, { row, grounds, slots, source })
  }

  private groundsAt(at: number): Bench & { day: string } {
    const known = this.grounds.get(at)
    if (known) return known
    const { governance, overrides, references, faulty } = this.side
    const made = {
      governance,
      overrides,
      references: references(at),
      now: new Date(at),
      faulty,
      isBrief: true,
      day: dayOf(at),
    }
    if (this.grounds.size >= groundsMax) this.grounds.clear()
    this.grounds.set(at, made)
    return made
  }

  private seenOf(cloudAccountId: string, sheet: SheetResource, grounds: Bench): CachedResource {
    const known = this.seen.get(sheet)
    if (known) return known
    const { steps, env, ...told } = sheet
    const resource = { ...nothing(), ...told, type: this.type }
    const measured = measuredOf(steps)
    const settled = this.program.paths.map((path) =>
      isSettled(path) && !isOfTables(path) ? settledFact(path)({ resource, env }, grounds.governance) : undefined,
    )
    const applied = appliedTo(this.program.rules, { resource, measured, cloudAccountId }, grounds)
    const made = { resource, measured, applied, settled }
    this.seen.set(sheet, made)
    return made
  }

  private readersOf(): Reader[] {
    return this.program.paths.map((path): Reader => {
      if (!declares(this.type, path)) return () => absent
      if (isOfTables(path)) return (_sheet, _settled, source) => source(path)
      const place = this.places.get(path)
      if (isSettled(path)) return (_sheet, settled) => settled
      return place === undefined ? () => undefined : (sheet) => parseFact(sheet.facts[place])
    })
  }

  /** Facts for descriptions of firing rules and for the tables. */
  private sourceOf(sheet: Sheet, resource: AuditedResource, { references, governance }: Bench): FactSource {
    const source: FactSource = (path) => {
      if (!isSettled(path)) return this.told(sheet, path)
      if (isOfTables(path)) return references.fact(path, { ...resource, source })
      return settledFact(path)({ resource, env: sheet.resource.env }, governance)
    }
    return source
  }

  private told(sheet: Sheet, path: string): Fact {
    const place = this.places.get(path)
    return place === undefined ? undefined : parseFact(sheet.facts[place])
  }

  private othersOf({ found }: Sheet): Firing[] {
    const ids = Object.keys(found)
    return ids.length === 0 ? [] : ids.flatMap((id) => (this.asked.has(id) ? [] : firedBefore(id, found[id]!)))
  }

  private weighed(firing: readonly Firing[], sheet: Sheet): ReadonlyMap<string, WeighedFinding> {
    if (firing.length === 0) return none
    const cost = numberOf(this.told(sheet, 'bill.cost_30d')) ?? 0
    const wider = (ruleId: string) => numberOf(this.told(sheet, widerPath(ruleId)))
    return new Map(weigh(firing, cost, wider).map((one) => [one.rule.id, one]))
  }

  private savedByOthers(weighed: ReadonlyMap<string, WeighedFinding>): number {
    let usd = 0
    for (const [id, one] of weighed) if (!this.asked.has(id) && !one.isDismissed) usd += one.netUsd
    return usd
  }
}

type Reader = (sheet: Sheet, settled: Fact, source: FactSource) => Fact

const none: ReadonlyMap<string, WeighedFinding> = new Map()

/** Maximum times whose grounds are cached: those of one account's sweeps. */
const groundsMax = 1000

const isOfTables = (path: string): boolean => path.startsWith('ref.')

const placesOf = (paths: readonly string[]) => new Map(paths.map((path, place) => [path, place]))

/** The paths that sheets of the type must have to be judged by these rules. */
export const pathsOfSheets = (type: string, rules: readonly Rule[]): string[] =>
  pathsFor(type, compileProgram(type, rules))

/** What rules read, what tables read if rules use them, and what weighing reads. */
function pathsFor(type: string, { rules, paths }: Program): string[] {
  const { length } = rules.filter(({ rule }) => asksTables(rule))
  const layout = layoutOf(type)
  const wider = layout.filter((path) => path.startsWith(widerPath('')))
  const more = ['bill.cost_30d', 'specs.unchanged_since', ...wider, ...(length > 0 ? tablePathsOf(type) : [])]
  return [...new Set([...paths, ...more])].filter((path) => !isSettled(path)).toSorted()
}

const asksTables = (rule: Rule): boolean =>
  ['fit', 'lookup', 'commitment'].includes(rule.target.kind) ||
  ['price_delta', 'quantity', 'commitment'].includes(rule.saving.kind) ||
  rule.needs.ref.length > 0

function parseFact(text: string | undefined): Fact {
  if (text === undefined || text === '') return undefined
  const first = text.charCodeAt(0)
  // A number starts with a digit or a minus; most facts are numbers.
  return first === 45 || (first >= 48 && first <= 57) ? Number(text) : (JSON.parse(text) as Fact)
}

const measuredOf = (steps: SheetResource['steps']): MetricCoverage =>
  Object.fromEntries(
    Object.entries(steps).map(([metric, stepSeconds]) => [metric, { days: 0, stepSeconds, coverage: {} }]),
  )

/** A rule that fired on the day and is not in question. */
function firedBefore(id: string, { savingUsd, costUsd = 0, dismissed }: SheetFinding): Firing[] {
  const rule = ruleOf(id)
  if (savingUsd === undefined || !rule) return []
  return [{ rule, described: { ...emptyDescription, savingUsd, costUsd }, isDismissed: dismissed === true }]
}

/** Only the amounts of its description are used. */
const emptyDescription = {
  title: '',
  from: '',
  to: '',
  description: '',
  remediation: '',
  isAssumed: false,
  target: undefined,
  tierRates: undefined,
  evidence: {},
}
