import { expect } from 'chai'
import fc from 'fast-check'
import { rulesOf, teamBy, TeamList } from '#actors/attribution/allocation/allocate-rule.ts'
import { TeamDays } from '#actors/attribution/allocation/days.ts'
import { TeamNames } from '#actors/attribution/allocation/replay.ts'
import type { AllocationSpec } from '#actors/attribution/allocation/allocation.ts'
import { policiesWith } from '#actors/policy/queries.ts'
import { units } from '#streams/figure.ts'

const teams = () => new TeamList(['Data', 'Shop'].map((name, n) => ({ id: `t-${n}`, name })))
const rule = fc.record({
  priority: fc.integer({ min: 1, max: 3 }),
  to: fc.constantFrom('t-0', 't-1', 't-gone', 'by tag', 'made by tag'),
  region: fc.constantFrom('', 'eu'),
})
type Drawn = { priority: number; to: string; region: string }
const specOf = ({ priority, to, region }: Drawn): AllocationSpec => ({
  priority,
  ...(region !== '' && { selector: { all: [{ attr: 'res.region', op: 'in', values: [region] }] } }),
  ...(to.endsWith('by tag') ? { teamFromTag: { key: 'team', create: to.startsWith('made') } } : { team: to }),
})
const rowOf = (drawn: Drawn, n: number) => ({ id: `p-${n}`, name: '', createdAt: new Date(n), spec: specOf(drawn) })
const resource = fc.record({
  region: fc.constantFrom('eu', 'us'),
  team: fc.constantFrom('', 'data', 'Shop', 'new', 'New'),
  hand: fc.constantFrom(undefined, undefined, 't-0'),
  costs: fc.array(fc.tuple(fc.nat(2), fc.integer({ min: -500, max: 100_000 })), { maxLength: 3 }),
})

describe('what teams cost by two sets of rules', () => {
  it('adds up to the same, whatever the rules; and is the same by the spec that a rule has', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        rule,
        fc.array(resource, { maxLength: 15 }),
        (drawn, other, all) => {
          const rows = drawn.map(rowOf)
          const own = rows[0]!
          for (const given of [own, { ...own, spec: specOf(other) }]) {
            const before = teamBy(rulesOf(rows), teams())
            const after = teamBy(rulesOf(policiesWith(rows, given)), teams())
            const hands = new Map(all.flatMap(({ hand }, n) => (hand === undefined ? [] : [[`i-${n}`, hand] as const])))
            const tally = new TeamDays(3, { ownId: own.id, hands }, new TeamNames(teams()), undefined)
            for (const [n, { region, team, hand }] of all.entries()) {
              const facts = { of: { 'res.region': region }, tags: team === '' ? {} : { team } }
              const settled = { before: before(facts)?.team, after: after(facts), isMatched: false, isSeen: true, hand }
              tally.settle({ resource: { account: 'acct-1', uid: `i-${n}`, facts }, ...settled })
            }
            let total = units('0.5')
            // What is of no resource, and of one that no rule knows.
            tally.charge('acct-1', '', [1], ['0.25'])
            tally.charge('acct-1', 'unknown', [2], ['0.25'])
            for (const [n, { costs }] of all.entries()) {
              tally.charge(
                'acct-1',
                `i-${n}`,
                costs.map(([day]) => day),
                costs.map(([, c]) => String(c / 100)),
              )
              total += costs.reduce((sum, [, c]) => sum + units(c / 100), 0n)
            }
            const sums = tally.sums()
            const over = (side: 'before' | 'after') => sums.flatMap((one) => one[side]).reduce((a, b) => a + b, 0n)
            const whole = tally.total.reduce((a, b) => a + b, 0n)
            expect([over('before'), over('after'), whole]).to.deep.equal([total, total, total])
            if (given !== own) continue
            expect(tally.moves()).to.deep.equal([])
            for (const one of sums) expect(one.after).to.deep.equal(one.before)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('hides what a role does not see, by the team of before', () => {
    const scope = { accounts: ['acct-2'], teams: ['t-1'] }
    const tally = new TeamDays(1, { ownId: 'p', hands: new Map([['h-1', 't-1']]) }, new TeamNames(teams()), scope)
    const facts = { of: {}, tags: {} }
    const at = (uid: string, isSeen: boolean, before: { id: string } | undefined) => ({
      resource: { account: 'acct-1', uid, facts },
      hand: undefined,
      isMatched: true,
      isSeen,
      before,
      after: { policyId: 'p', team: { id: 't-0' } },
    })
    tally.settle(at('i-1', false, undefined))
    tally.settle(at('i-2', true, { id: 't-1' }))
    for (const uid of ['i-1', 'i-2', 'h-1', 'x']) tally.charge('acct-1', uid, [0], ['1'])
    tally.charge('acct-2', 'y', [0], ['1'])
    expect(tally.sums().map(({ name, before, after }) => [name, before[0], after[0]])).to.deep.equal([
      ['Data', 0n, units(1)],
      ['Shop', units(2), units(1)],
      ['Unassigned', units(1), units(1)],
    ])
    expect([tally.total[0], tally.moved[0]]).to.deep.equal([units(3), units(1)])
  })
})
