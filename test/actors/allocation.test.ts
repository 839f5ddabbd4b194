import { expect } from 'chai'
import fc from 'fast-check'
import {
  rulesOf,
  TeamList,
  teamBy,
  teamsMax,
  type TeamAllocation,
} from '#actors/attribution/allocation/allocate-rule.ts'
import { allocationKey, allocationKeyOf } from '#actors/attribution/allocation/allocation.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import type { Facts } from '#actors/policy/selector.ts'

const teams = () =>
  new TeamList([
    { id: 't-1', name: 'Data' },
    { id: 't-2', name: 'Shop' },
  ])
const policy = (id: string, spec: object, day = 1): PolicyRow => ({
  id,
  name: `Rule ${id}`,
  spec,
  createdAt: new Date(Date.UTC(2026, 0, day)),
})
const resource = (tags: Record<string, string> = {}, of: Facts['of'] = {}): Facts => ({
  of: { 'res.provider': 'aws', 'res.region': 'us-east-1', 'res.name': 'shop-web-1', ...of },
  tags,
})
const given = (policies: readonly PolicyRow[], facts: Facts, known = teams()): TeamAllocation | undefined =>
  teamBy(rulesOf(policies), known)(facts)
const inRegion = (region: string) => ({ all: [{ attr: 'region', op: 'equals', values: [region] }] })

describe('allocation by rule', () => {
  const byTag = (more: object = {}, priority = 10) => ({ priority, teamFromTag: { key: 'Team', ...more } })

  it('gives the team that a rule names to what its selector selects, and to everything without one', () => {
    const rule = policy('p', { priority: 1, selector: inRegion('US-East-1'), team: 't-1' })
    expect(given([rule], resource())).to.deep.equal({ policyId: 'p', team: { id: 't-1' } })
    expect(given([rule], resource({}, { 'res.region': 'eu-west-1' }))).to.equal(undefined)
    expect(given([policy('q', { priority: 1, team: 't-2' })], resource())).to.deep.equal({
      policyId: 'q',
      team: { id: 't-2' },
    })
  })

  it('asks the rule with the least priority first, then the oldest, then the one whose id comes first', () => {
    const rules = [
      policy('c', { priority: 5, team: 't-1' }, 2),
      policy('b', { priority: 5, team: 't-2' }, 2),
      policy('a', { priority: 5, team: 't-2' }, 3),
      policy('d', { priority: 4, selector: inRegion('eu-west-1'), team: 't-1' }, 9),
    ]
    expect(rulesOf(rules).map(({ policyId }) => policyId)).to.deep.equal(['d', 'b', 'c', 'a'])
    expect(given(rules, resource())?.policyId).to.equal('b')
    expect(given(rules, resource({}, { 'res.region': 'eu-west-1' }))?.policyId).to.equal('d')
  })

  it('leaves to the next rule what a rule of a deleted team, or without the tag it needs, selects', () => {
    const rules = [
      policy('gone', { priority: 1, team: 't-9' }),
      policy('tag', byTag({}, 2)),
      policy('last', { priority: 3, team: 't-1' }),
    ]
    expect(given(rules, resource())?.policyId).to.equal('last')
    expect(given(rules, resource({ team: 'Nobody' }))?.policyId).to.equal('last')
    expect(given(rules, resource({ team: 'shop' }))).to.deep.equal({ policyId: 'tag', team: { id: 't-2' } })
    expect(given(rules.slice(0, 2), resource())).to.equal(undefined)
  })

  it('finds the team of a tag in any case of key, value and alias, without the spaces around it', () => {
    const aliases = { 'Data-Team': 'DATA', ' SHOPPING ': 'shop' }
    const team = (tags: Record<string, string>) => given([policy('p', byTag({ aliases }))], resource(tags))?.team
    const found = [{ TEAM: ' dAtA ' }, { team: 'data-team' }, { tEam: 'Shopping' }, { team: ' ' }, { owner: 'data' }]
    expect(found.map((tags) => team(tags as never))).to.deep.equal([
      { id: 't-1' },
      { id: 't-1' },
      { id: 't-2' },
      undefined,
      undefined,
    ])
    expect(team({ team: 'shop', TEAM: 'data' }), 'of two spellings the first by the alphabet').to.deep.equal({
      id: 't-1',
    })
  })

  it('makes a team of a name that no team has where it may, of 1 to 100 characters', () => {
    const rule = policy('p', byTag({ create: true, aliases: { py: 'Payments' } }))
    const team = (value: string) => given([rule], resource({ team: value }))?.team
    expect(team(' Search ')).to.deep.equal({ make: 'Search' })
    expect(team('PY')).to.deep.equal({ make: 'Payments' })
    expect(team('data')).to.deep.equal({ id: 't-1' })
    expect(team('x'.repeat(100))).to.deep.equal({ make: 'x'.repeat(100) })
    expect([team('x'.repeat(101)), team('a\0b'), team('\uD800')]).to.deep.equal([undefined, undefined, undefined])
  })

  it(`makes no team where there are ${teamsMax}: the rule does not match`, () => {
    const known = new TeamList(Array.from({ length: teamsMax - 1 }, (_, n) => ({ id: `t-${n}`, name: `Team ${n}` })))
    const rules = [policy('p', byTag({ create: true })), policy('q', { priority: 20, team: 't-0' })]
    const of = (team: string) => given(rules, resource({ team }), known)
    expect(of('last')).to.deep.equal({ policyId: 'p', team: { make: 'last' } })
    expect(of('LAST')).to.deep.equal({ policyId: 'p', team: { make: 'LAST' } })
    expect(of('more')).to.deep.equal({ policyId: 'q', team: { id: 't-0' } })
    known.add({ id: 'made', name: 'last' })
    expect(of('Last')).to.deep.equal({ policyId: 'p', team: { id: 'made' } })
    expect(of('more')?.policyId).to.equal('q')
  })

  it('leaves out what is stored and no rule any more', () => {
    const specs = [{}, { priority: 0, team: 't-1' }, { priority: 1 }, { priority: 1, team: 5 }, null, 'x']
    expect(rulesOf(specs.map((spec, n) => policy(`p-${n}`, spec as never)))).to.deep.equal([])
  })

  it('marks a resource by a key that says which it is, whatever it is called', () => {
    for (const [account, uid] of [
      ['acct-1', 'i-1'],
      ['a|b%', 'x|y|%7C'],
      ['*', '*'],
    ] as const)
      expect(allocationKeyOf(allocationKey(account, uid))).to.deep.equal({ account, uid })
    expect(['*', '*bills'].map(allocationKeyOf)).to.deep.equal([undefined, undefined])
  })

  it('is what the first rule says that has an answer, for 2,000 random organizations', () => {
    const names = ['Data', 'Shop', 'Search', 'Core']
    const anyRule = fc.record({
      priority: fc.integer({ min: 1, max: 3 }),
      day: fc.integer({ min: 1, max: 3 }),
      region: fc.constantFrom(undefined, 'r1', 'r2'),
      team: fc.constantFrom(undefined, 't-1', 't-2', 't-9'),
      create: fc.boolean(),
    })
    const anyResource = fc.record({
      region: fc.constantFrom('r1', 'r2'),
      tag: fc.constantFrom('', 'data', 'SHOP', ' Search ', 'core'),
    })
    const property = fc.property(fc.array(anyRule, { maxLength: 6 }), anyResource, (rules, { region, tag }) => {
      const policies = rules.map(({ priority, day, region: of, team, create }, n) =>
        policy(
          `p-${n}`,
          {
            priority,
            ...(of && { selector: inRegion(of) }),
            ...(team ? { team } : { teamFromTag: { key: 'team', create } }),
          },
          day,
        ),
      )
      const facts = resource(tag === '' ? {} : { team: tag }, { 'res.region': region })
      // Each rule's own answer, and the least of those that have one.
      const name = names.find((one) => one.toLowerCase() === tag.trim().toLowerCase())
      const answers = rules.flatMap((rule, n) => {
        if (rule.region !== undefined && rule.region !== region) return []
        const id = rule.team ?? (name === 'Data' ? 't-1' : name === 'Shop' ? 't-2' : undefined)
        if (rule.team === 't-9') return []
        if (id === undefined && (!rule.create || name === undefined)) return []
        return [{ n, ...rule, answer: id === undefined ? { make: tag.trim() } : { id } }]
      })
      const [first] = answers.toSorted((a, b) => a.priority - b.priority || a.day - b.day || a.n - b.n)
      expect(given(policies, facts)).to.deep.equal(first && { policyId: `p-${first.n}`, team: first.answer })
    })
    fc.assert(property, { numRuns: 2000 })
  })
})
