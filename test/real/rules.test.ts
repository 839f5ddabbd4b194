// tier: deep
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import { absent, type Fact, type Rule } from '#actors/recommendation/rule/contract.ts'
import { isTerminal } from '#actors/recommendation/rule/evaluate.ts'
import { cents } from '#actors/recommendation/rule/saving.ts'
import {
  Fixture,
  pairsOf,
  pricedAs,
  sourceOf,
  stubReferences,
  type Facts,
} from '#test/actors/recommendation/fixture.ts'
import { data } from './data.ts'

const rules = allRules()

interface Reference {
  ABSENT: symbol
  evaluate(
    rule: Rule,
    get: (path: string) => unknown,
    by: object,
  ): { outcome: string; savingsUsd?: number; currentCostUsd?: number }
}

const file = data === undefined ? undefined : path.join(data, '..', 'rules', 'reference-engine.mjs')

/** A generator of the same numbers whenever it is seeded alike. */
function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

/** The facts of a fixture, some of them unknown, empty, or another value of their kind. */
function disturbed(facts: Facts, random: () => number): Facts {
  const other = (value: Fact): Fact => {
    if (typeof value === 'number') return random() < 0.2 ? 0 : value * random() * 3
    if (typeof value === 'boolean') return !value
    return value
  }
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      const dice = random()
      if (
        name.startsWith('policy.') ||
        name === 'res.status' ||
        name === 'res.managed' ||
        name === 'bill.component.compute_30d' ||
        dice > 0.25
      )
        return [name, value]
      if (dice < 0.08) return [name, undefined]
      return [name, dice < 0.12 && !name.startsWith('res.') ? null : other(value)]
    }),
  )
}

const catalogue = {
  lookup: (_table: string, _key: unknown, column: string) => `next.${column}`,
  fit: (name: string, keep: string[], need: Record<string, Fact>) =>
    Object.values(need).includes(undefined) ? undefined : stubReferences.fit(name, keep, need, {} as never),
  price: (_context: unknown, target: unknown) => (target ? 0.06 : 0.1),
  tierRates: () => ({ '1yr_no_upfront': 0.72, '3yr_all_upfront': 0.5 }),
}

/** What the reference cannot read: a function and a part of a saving that came later. */
const isOlder = (rule: Rule): boolean => !/\["first"|"plus":/.test(JSON.stringify([rule.let, rule.saving]))

describe('rules against the reference evaluator of their language', () => {
  if (file === undefined || !existsSync(file)) {
    it.skip('needs the reference evaluator beside the recorded data')
    return
  }

  it('come to the same outcome and the same money, but where the reference ends things on facts it does not know', async () => {
    const reference = (await import(pathToFileURL(file).href)) as Reference
    const random = seeded(7)
    const met = pairsOf(rules.filter(isOlder)).flatMap(({ rule, type }) =>
      Array.from({ length: 12 }, () =>
        compared(rule, type, disturbed(new Fixture(rule, type).facts, random), reference),
      ),
    )
    expect(met.flatMap(({ differ }) => differ)).to.deep.equal([])
    for (const outcome of ['fire', 'hold', 'clear'])
      expect(met.filter((one) => one.outcome === outcome).length, outcome).to.be.at.least(1000)
  })
})

/** What both say of the same facts, and how that differs; where ours is only more careful it is no difference. */
function compared(
  rule: Rule,
  type: string,
  disturbedFacts: Facts,
  reference: Reference,
): { outcome: string; differ: string[] } {
  const facts = { ...disturbedFacts, 'bill.component.compute_30d': undefined }
  const theirs = reference.evaluate(rule, (name) => told(type, facts, name, reference.ABSENT), { catalogue })
  const ours = outcomeOf(rule, type, facts)
  if (theirs.outcome === 'fire' && ours.outcome === 'hold' && isCareful(rule, facts, ours.missing))
    return { outcome: 'careful', differ: [] }
  const isSameMoney = ours.usd === undefined || isClose(ours.usd, theirs.savingsUsd!)
  if (ours.outcome === theirs.outcome && isSameMoney) return { outcome: ours.outcome, differ: [] }
  const difference = `${rule.id} ${type}: ${JSON.stringify(ours)} against ${theirs.outcome} ${theirs.savingsUsd}`
  return { outcome: ours.outcome, differ: [difference] }
}

const isCareful = (rule: Rule, facts: Facts, missing: readonly string[]): boolean =>
  isUntold(rule, facts) || (isTerminal(rule) && missing.length > 0)

/** Whether a title or the amount of a purchase would have to do without its fact. */
function isUntold(rule: Rule, facts: Facts): boolean {
  const named = [...rule.from.matchAll(/\{([^{}|]+)/g)].map(([, key]) => key!)
  const { amount } = rule.target as { amount?: unknown }
  const paid = [...JSON.stringify(amount ?? '').matchAll(/"@([^"]+)"/g)].map(([, key]) => key!)
  return [...named, ...paid].some((key) => facts[key] === undefined || facts[key] === null)
}

/** The answer of a fact source, with the mark of the reference for what a type does not have. */
function told(type: string, facts: Facts, name: string, none: symbol): unknown {
  const value = sourceOf(type, facts)(name)
  return value === absent ? none : value
}

const isClose = (ours: number, theirs: number): boolean => Math.abs(ours - theirs) <= 0.011

/** As the reference says it: firing needs a target that can be had. */
function outcomeOf(rule: Rule, type: string, facts: Facts) {
  const program = programOf(type)
  const one = program.rules.find(({ rule: { id } }) => id === rule.id)!
  const source = sourceOf(type, facts)
  const slots = program.slots(source)
  const { outcome, missing } = one.outcome(slots)
  if (outcome !== 'fires') return { outcome, missing }
  const said = one.describe(
    slots,
    {},
    { references: stubReferences, of: pricedAs(type, source), name: 'sample-1', region: 'eu-west-1' },
  )
  if (typeof said === 'string') return { outcome: said, missing }
  const possible = said.evidence['possibleSavingUsd']
  return { outcome: 'fire', missing, usd: typeof possible === 'number' ? possible : cents(said.savingUsd) }
}
