import { expect } from 'chai'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import type { Description, Fact } from '#actors/recommendation/rule/contract.ts'
import { fill, sentences, formatFact } from '#actors/recommendation/rule/text.ts'
import { Fixture, pairsOf, pricedAs, sourceOf, stubReferences, type Facts } from './fixture.ts'

const rules = allRules()

const filled = (template: string, words: Record<string, Fact> = {}): string => fill(template, (key) => words[key]).text

describe('texts of rules', () => {
  it('show numbers with as few digits as say it', () => {
    const numbers = [0, 3, 12_000, 123.4, 12.345, 1.239, 0.1234, 0.000123, -2.5]
    expect(numbers.map(formatFact)).to.deep.equal(['0', '3', '12000', '123', '12.3', '1.24', '0.12', '0.00012', '-2.5'])
    expect(formatFact(['22', 3389])).to.equal('22, 3389')
    expect(formatFact('1.30')).to.equal('1.30')
  })

  it('filter values', () => {
    const words = { share: 0.415, size: 12.6, money: 3, tags: ['a', 'b'], one: 'a' }
    expect(filled('{share|percent} {size|int} {size|round1} {money|usd} {tags|list} {one|list}', words)).to.equal(
      '42% 13 12.6 3.00 a, b a',
    )
  })

  it('count what they name', () => {
    expect(filled('{n} day(s), {m} zone(s)', { n: 1, m: 3 })).to.equal('1 day, 3 zones')
    expect(filled('{n} basic role grant(s), {m} run(s)', { n: 1, m: 13 })).to.equal('1 basic role grant, 13 runs')
    expect(filled('in {n} days, 11 days, 2.1 days', { n: 1 })).to.equal('in 1 day, 11 days, 2.1 days')
    expect(filled('port(s) {a} and port(s) {b}', { a: '22', b: '22, 3389' })).to.equal('port 22 and ports 22, 3389')
  })

  it('say where something was not known', () => {
    expect(fill('{a} of {b}', (key) => ({ a: 1 })[key])).to.deep.equal({ text: '1 of unknown', isComplete: false })
  })

  it('leave out sentences that need an unknown fact', () => {
    const text = 'It costs {a} USD. It moved {b} MB. {c} did it.'
    expect(sentences(text, (key) => ({ a: 1, c: 'Bob' })[key])).to.equal('It costs 1 USD. Bob did it.')
  })
})

/** What a rule says of the facts that make it fire, and of others put in. */
function described(rule: (typeof rules)[number], type: string, change: Facts = {}): Description | 'hold' | 'clear' {
  const facts = { ...new Fixture(rule, type).facts, ...change }
  const program = programOf(type)
  const one = program.rules.find(({ rule: { id } }) => id === rule.id)!
  const source = sourceOf(type, facts)
  const to = { references: stubReferences, of: pricedAs(type, source), name: 'orders-1', region: 'eu-west-1' }
  return one.describe(program.slots(source), {}, to)
}

describe('each rule on each of its types', () => {
  const all = pairsOf(rules).map(({ rule, type }) => ({ rule, type, said: described(rule, type) }))
  const said = all.flatMap((one) => (typeof one.said === 'string' ? [] : [{ ...one, said: one.said }]))
  const wrong = (is: (one: (typeof said)[number]) => boolean) =>
    said
      .filter(is)
      .map(
        ({ rule, type, said: { title, description, remediation } }) =>
          `${rule.id} ${type}: ${title} | ${description} | ${remediation}`,
      )

  it('is described where it fires', () => {
    expect(
      all.filter((one) => typeof one.said === 'string').map(({ rule, type }) => `${rule.id} ${type}`),
    ).to.deep.equal([])
  })

  it('leaves no placeholder, path or program word in its texts', () => {
    const machine =
      /[{}]|\bundefined\b|\bNaN\b|\bnull\b|\bunknown\b|\[object|\(s\)|\b(?:specs|metric|bill|rel|hist|let|target)\.\w/
    expect(
      wrong(({ said: { title, description, remediation } }) => machine.test(`${title} ${description} ${remediation}`)),
    ).to.deep.equal([])
  })

  it('counts well, and never to the tenth digit', () => {
    const odd = /(?<![\w.,-])1 (?:days|hours|minutes|nodes|units|instances|replicas|zones|regions)\b|\d\.\d{4,}/
    expect(
      wrong(({ said: { title, description, from, to } }) => odd.test(`${title} ${description} ${from} ${to}`)),
    ).to.deep.equal([])
  })

  it('leads with an action, names the resource, and ends as a sentence [REC-22]', () => {
    expect(
      wrong(
        ({ said: { title } }) => !/^[A-Z][a-z]+ /.test(title) || !title.endsWith('.') || !title.includes('orders-1'),
      ),
    ).to.deep.equal([])
    expect(wrong(({ said: { title } }) => title.length > 160)).to.deep.equal([])
  })

  it('repeats its tokens in the title word by word, where the title uses them [REC-23]', () => {
    const uses = (template: string, key: string, title: string, token: string) =>
      template.includes(`{${key}}`) && !title.includes(token)
    expect(
      wrong(
        ({ rule, said: { title, from, to } }) =>
          uses(rule.title, 'from', title, from) || uses(rule.title, 'to', title, to),
      ),
    ).to.deep.equal([])
  })

  it('has no target to show where it deletes or stops [REC-24]', () => {
    expect(
      wrong(
        ({ rule, said: { to, target } }) =>
          ['delete', 'stop', 'none'].includes(rule.target.kind) && (to !== '' || target !== undefined),
      ),
    ).to.deep.equal([])
  })

  it('saves a number of dollars, below none only where it says that more must be spent', () => {
    expect(
      wrong(({ said: { savingUsd, costUsd } }) => !Number.isFinite(savingUsd) || !Number.isFinite(costUsd)),
    ).to.deep.equal([])
    expect(wrong(({ rule, said: { savingUsd } }) => savingUsd < 0 && rule.saving['signed'] !== true)).to.deep.equal([])
  })

  it('saves nothing where it is about risk, and shows the figure among the evidence [REC-32]', () => {
    expect(wrong(({ rule, said: { savingUsd } }) => rule.severity.mode === 'risk' && savingUsd !== 0)).to.deep.equal([])
    const possible = said.filter(({ said: { evidence } }) => 'possibleSavingUsd' in evidence)
    expect(possible.length).to.be.at.least(5)
  })

  it('shows metric, window and 95th percentile where it reads metrics [REC-27]', () => {
    const reads = said.filter(({ rule }) => rule.needs.metrics.length > 0)
    expect(reads.length).to.be.at.least(250)
    const lacks = reads.filter(
      ({ said: { evidence } }) => !['metric', 'windowDays', 'p95'].every((key) => key in evidence),
    )
    expect(lacks.map(({ rule, type }) => `${rule.id} ${type}`)).to.deep.equal([])
  })

  it('calls its present setting so where it is not known, or holds', () => {
    const resize = described(
      rules.find(({ id }) => id === 'RC-1101')!,
      'aws-ec2',
      { 'res.instance_type': undefined },
    )
    expect(resize).to.include({
      title: 'Resize EC2 instance orders-1 from its current setting to next.large.',
      from: 'its current setting',
    })
    expect(
      described(
        rules.find(({ id }) => id === 'RC-1603')!,
        'aws-ec2',
        { 'res.region': undefined },
      ),
    ).to.equal('hold')
  })
})
