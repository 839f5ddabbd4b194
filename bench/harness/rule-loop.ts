/** Rules without streams and stores: compiled ones beside functions by hand, beside the evaluator of their language, and many at once. */
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import { programOf, type Program } from '#actors/recommendation/rule/compile.ts'
import { absent, type Fact, type FactSource, type References, type Rule } from '#actors/recommendation/rule/contract.ts'
import {
  Fixture,
  pairsOf,
  pricedAs,
  sourceOf,
  stubReferences,
  type Facts,
} from '#test/actors/recommendation/fixture.ts'
import { factsOf, handRules, machines, outcomes, seeded } from './hand-rules.ts'
import { figure, goal, quantile, say } from './stage.ts'

/** Milliseconds of the processor, so that it does not matter who else works on the machine. */
const spent = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of each of the works, in turns, behind two that only warm up: at p50. */
function inTurns(trials: number, ...works: readonly (() => unknown)[]): number[] {
  const took = works.map((): number[] => [])
  for (let trial = -2; trial < trials; trial++)
    for (const [i, work] of works.entries()) {
      const began = spent()
      work()
      if (trial >= 0) took[i]!.push(spent() - began)
    }
  return took.map((list) => quantile(list, 0.5))
}

/** Facts are in memory on both sides, by name on one and by slot on the other; both must come to the same. */
export function againstHand(count: number, trials: number): void {
  const all = machines(count)
  const program = programOf('aws-ec2')
  const ids = Object.keys(handRules)
  const compiled = ids.map((id) => program.rules.find(({ rule }) => rule.id === id)!)
  const hand = ids.map((id) => handRules[id]!)
  const slots = all.map((machine) => program.slots(factsOf(machine)))
  for (const [i, machine] of all.entries())
    for (const [n, one] of hand.entries()) {
      const [own, theirs] = [compiled[n]!.outcome(slots[i]!).outcome, outcomes[one(machine)]]
      if (own !== theirs) throw new Error(`${ids[n]} of machine ${i}: ${own} against ${theirs} by hand`)
    }
  let fires = 0
  const [bare = 0, ours = 0] = inTurns(
    trials,
    () => {
      for (const machine of all) for (const one of hand) if (one(machine) === 2) fires++
    },
    () => {
      for (const own of slots) for (const one of compiled) if (one.outcome(own).outcome === 'fires') fires++
    },
  )
  const each = (ms: number) => figure((ms * 1e6) / (count * ids.length))
  say(`${ids.length} rules on ${figure(count)} machines: by hand ${each(bare)} ns each, compiled ${each(ours)} ns each`)
  if (fires === 0) throw new Error('nothing fires')
  goal('audit', 'a  compiled rules, of functions by hand', bare / ours, { min: 0.5 })
}

interface Reference {
  ABSENT: symbol
  evaluate: (rule: Rule, get: (path: string) => unknown, by: object) => { outcome: string }
}

const reference = new URL('../../../shared/rules/reference-engine.mjs', import.meta.url)
const beside = process.env['TIDEMARK_RULES']
const referenceFile = beside === undefined ? fileURLToPath(reference) : `${beside}/reference-engine.mjs`

/** What the reference cannot read came later. */
const isOlder = (rule: Rule): boolean => !/\["first"|"plus":/.test(JSON.stringify([rule.let, rule.saving]))

/** Resources of every type that rules name, each one that a rule of its type fires on; all rules of the type. */
export async function againstReference(trials: number): Promise<void> {
  if (!existsSync(referenceFile)) return say('b  skipped: the reference evaluator is not here (TIDEMARK_RULES)')
  const { evaluate, ABSENT } = (await import(pathToFileURL(referenceFile).href)) as Reference
  const cases = pairsOf(allRules()).map(({ rule, type }) => caseOf(rule, type))
  const read = cases.map(({ program }) => program.rules.filter(({ rule }) => isOlder(rule)).map(({ rule }) => rule))
  const told =
    (source: FactSource) =>
    (path: string): unknown => {
      const value = source(path)
      return value === absent ? ABSENT : value
    }
  const catalogue = {
    lookup: () => 'next',
    fit: (name: string, keep: string[], need: Record<string, Fact>) =>
      stubReferences.fit(name, keep, need, {} as never),
    price: (_: unknown, target: unknown) => (target ? 0.06 : 0.1),
    tierRates: () => ({ '1yr_no_upfront': 0.72 }),
  }
  const [ours = 0, theirs = 0] = inTurns(
    trials,
    () => {
      for (const one of cases) judged(one, stubReferences)
    },
    () => {
      for (const [i, { source }] of cases.entries()) {
        const facts = told(source)
        for (const rule of read[i]!) evaluate(rule, facts, { catalogue })
      }
    },
  )
  const each = (ms: number) => figure((ms * 1000) / cases.length)
  say(
    `${figure(cases.length)} resources by all their rules: reference ${each(theirs)} us, compiled ${each(ours)} us each`,
  )
  goal('audit', 'b  compiled rules, times the reference evaluator', theirs / ours, { min: 10 })
}

interface Case {
  program: Program
  source: FactSource
  priced: ReturnType<typeof pricedAs>
}

/** What is not given is unknown; what the type does not have is never asked for. */
function caseOf(rule: Rule, type: string, more: (facts: Facts) => Facts = (facts) => facts): Case {
  const all = sourceOf(type, more(new Fixture(rule, type).facts))
  const program = programOf(type)
  const facts = new Map<string, Fact>(program.paths.map((path) => [path, all(path)]))
  const source = (path: string) => facts.get(path)
  return { program, source, priced: pricedAs(type, source) }
}

const named = { name: 'sample-1', region: 'eu-west-1' }

/** How many findings there are. */
function judged({ program, source, priced: of }: Case, references: References): number {
  const slots = program.slots(source)
  let found = 0
  for (const one of program.rules) {
    if (one.outcome(slots).outcome !== 'fires') continue
    if (typeof one.describe(slots, {}, { references, of, ...named }) === 'object') found++
  }
  return found
}

/** Of three resources two have one fact less than some rule needs: about as many findings as an organization has. */
export function inMemory(count: number, trials: number): void {
  const random = seeded(5)
  const without = (facts: Facts): Facts => {
    const names = Object.keys(facts).filter((name) => !name.startsWith('res.'))
    const gone = random() < 2 / 3 ? names[Math.floor(random() * names.length)] : undefined
    return Object.fromEntries(Object.entries(facts).filter(([name]) => name !== gone))
  }
  const pairs = pairsOf(allRules())
  const kinds = pairs.flatMap(({ rule, type }) => Array.from({ length: 3 }, () => caseOf(rule, type, without)))
  const all = Array.from({ length: count }, () => kinds[Math.floor(random() * kinds.length)]!)
  const evaluated = all.reduce((sum, { program }) => sum + program.rules.length, 0)
  let found = 0
  const [ms = 0] = inTurns(trials, () => {
    found = 0
    for (const one of all) found += judged(one, stubReferences)
  })
  say(`${figure(count)} resources: ${figure(evaluated)} rules judged, ${figure(found)} described, facts read by path`)
  goal('audit', `c  ${figure(count)} resources by all their rules`, ms / 1000, { max: 1.5 }, ' s of a processor')
}
