/** What the simulated cloud has planted, judged by the rules of the product on what the cloud itself says of 30 days. */
import { expect } from 'chai'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { stories } from '#streams/cloud/simulated/world/stories/stories.ts'
import { isDeep } from '#test/harness/tier.ts'
import { environmentOf, everythingTold, factsOf, type Told } from '#test/real/rule/facts.ts'

const cloud = simulatedCloud({
  seed: 'tidemark',
  now: () => new Date('2026-03-16T10:30:00Z'),
  sleep: () => Promise.resolve(),
})

/** Ends something, or interrupts its work. */
const disturbs = ({ action: { type, effect }, target: { kind } }: Rule): boolean =>
  type !== 'purchase' &&
  (['restart', 'outage', 'data_loss', 'irreversible'].includes(effect) || kind === 'delete' || kind === 'stop')

const isOfStory = (account: string, name: string): boolean =>
  stories.some((story) => story.account === account && story.names.includes(name))

/** A production resource that no story is about. */
function works(account: string, { found }: Told): boolean {
  return (
    !isOfStory(account, found.name) &&
    !['dev', 'staging'].includes(environmentOf(found)) &&
    !/staging|dev$/.test(account)
  )
}

describe('what is planted in the simulated cloud', () => {
  const fired: { rule: Rule; account: string; one: Told }[] = []
  before(async function () {
    this.timeout(180_000)
    // In `npm test` what stories are about, and a sixth of the others: to measure everything takes three times as long.
    const isLooked = (account: string, { name }: { name: string }) =>
      isDeep || isOfStory(account, name) || Buffer.from(name).reduce((sum, byte) => sum + byte, 0) % 6 === 0
    for (const [account, all] of await everythingTold(cloud, isLooked))
      for (const one of all.filter(({ found }) => isLooked(account, found))) {
        const program = programOf(one.found.type)
        const facts = program.slots(factsOf(cloud, one))
        for (const judged of program.rules) {
          if (judged.outcome(facts).outcome === 'fires') fired.push({ rule: judged.rule, account, one })
        }
      }
  })

  it('makes every rule fire that a story names, on each of its resources', () => {
    const planted = stories.flatMap(({ account, names, rules }) =>
      names.flatMap((name) => rules.map((rule) => `${rule} ${account} ${name}`)),
    )
    const found = new Set(fired.map(({ rule, account, one }) => `${rule.id} ${account} ${one.found.name}`))
    expect(planted.length).to.be.at.least(75)
    expect(planted.filter((one) => !found.has(one))).to.deep.equal([])
  })

  it('makes no rule fire that would disturb production resources that work', () => {
    const disturbing = fired.filter(({ rule }) => disturbs(rule))
    expect(disturbing.length).to.be.at.least(20)
    const bad = disturbing.filter(({ account, one }) => works(account, one))
    expect(bad.map(({ rule, one }) => `${rule.id} on ${one.found.name}`)).to.deep.equal([])
  })
})
