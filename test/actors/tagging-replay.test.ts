import { expect } from 'chai'
import fc from 'fast-check'
import { policiesWith } from '#actors/policy/queries.ts'
import { compileRules, derive } from '#actors/tagging/policy/derive.ts'
import { effectiveTags } from '#actors/tagging/policy/effective-tags.ts'
import { factsOf, selectable } from '#actors/tagging/facts.ts'
import { tagBy, TagReplay } from '#actors/tagging/policy/replay.ts'
import { derivedMax } from '#streams/tagging.ts'
import { units } from '#streams/figure.ts'
import { policyOf } from '#test/harness/tagging.ts'
import { amount } from '#test/harness/tier.ts'

const keys = ['loc', 'env', 'constructor', '__proto__'] as const
const key = fc.constantFrom(...keys)
const region = fc.constantFrom('', 'us-east-1', 'eu-west-1')
const resource = fc.record({
  region,
  name: fc.constantFrom('web', 'db'),
  tags: fc.dictionary(fc.constantFrom('loc', 'env', 'constructor'), fc.constantFrom('a', 'b'), {
    noNullPrototype: true,
  }),
})
const policy = fc.record({
  key,
  field: fc.constantFrom('res.region', 'res.name', 'res.instance_type'),
  web: fc.boolean(),
})
const costs = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: -500, max: 100_000 })), { maxLength: 4 })

type Drawn = { key: string; field: 'res.region' | 'res.name' | 'res.instance_type'; web: boolean }
const rowOf = ({ key: of, field, web }: Drawn, n: number) => ({
  ...policyOf(`p-${n}`, of, [field], { ...(web && { all: [{ attr: 'name', op: 'in', values: ['web'] }] }) }),
  name: '',
  createdAt: new Date(n),
})
const itemOf = (drawn: { region: string; name: string; tags: Record<string, string> }, n: number) => {
  const found = { resourceUid: `i-${n}`, cloudAccountId: 'acct-1', type: 'aws-ec2', provider: 'aws' as const, ...drawn }
  return { cloudAccountId: 'acct-1', uid: `i-${n}`, name: drawn.name, facts: selectable(factsOf(found, ''), 'acct-1') }
}

describe('a tag by two sets of policies', () => {
  it('is what the policies derive and the effective tags say of its key, also of more keys than a resource may have', () => {
    fc.assert(
      fc.property(fc.array(policy, { maxLength: 6 }), resource, fc.boolean(), fc.nat(60), (drawn, one, said, more) => {
        const fillers = Array.from({ length: more }, (_, n) =>
          rowOf({ key: `k-${n}`, field: 'res.name', web: false }, n),
        )
        const rows = [...fillers, ...drawn.map((each, n) => rowOf(each, fillers.length + n))]
        const rules = compileRules(rows)
        const { facts } = itemOf(one, 1)
        for (const about of ['loc', 'env']) {
          const auto = said ? { [about]: 'predicted' } : {}
          const expected: string | undefined = effectiveTags(facts.tags, derive(facts, rules).derived, auto)[about]
          expect(tagBy(rules, about)(facts, auto[about])?.value).to.equal(expected)
        }
        expect(tagBy([], 'constructor')({ of: {}, tags: {} }, undefined)).to.equal(undefined)
      }),
      { numRuns: amount(200, 1000, 10_000) },
    )
    expect(derivedMax).to.be.below(60)
  })

  it('adds up to the same costs before and after, and is the same by the spec that a policy has', () => {
    fc.assert(
      fc.property(
        fc.array(policy, { minLength: 1, maxLength: 5 }),
        fc.array(fc.tuple(resource, costs), { maxLength: 12 }),
        policy,
        (drawn, all, other) => {
          const rows = drawn.map(rowOf)
          const own = rows[0]!
          const of = other.key
          for (const given of [own, { ...own, spec: rowOf(other, 0).spec }]) {
            const [before, after] = [rows, policiesWith(rows, given)].map((some) => tagBy(compileRules(some), of))
            const replay = new TagReplay(3)
            const items = all.map(([one], n) => itemOf(one, n))
            for (const one of items) replay.add(one, before!(one.facts, undefined), after!(one.facts, undefined))
            const total = all.reduce((sum, [, own_], n) => {
              replay.charge(
                'acct-1',
                `i-${n}`,
                own_.map(([day]) => day),
                own_.map(([, c]) => String(c / 100)),
              )
              return sum + own_.reduce((part, [, c]) => part + units(c / 100), 0n)
            }, 0n)
            for (const side of [replay.before, replay.after]) {
              expect(side.tagged + side.untagged).to.equal(total)
              expect(side.byDay.reduce((a, b) => a + b, 0n)).to.equal(side.tagged)
            }
            if (given !== own) continue
            expect(replay.after).to.deep.equal(replay.before)
            expect(replay.changed()).to.deep.equal({ added: [], removed: [], changed: [] })
          }
        },
      ),
      { numRuns: amount(100, 500, 5000) },
    )
  })

  it('tells what resources of none of the inventory cost apart, and leaves out what is of no resource', () => {
    const replay = new TagReplay(2)
    replay.charge('acct-1', 'gone', [0, 1], ['0.1', '0.2'])
    replay.charge('acct-1', '', [0], ['7'])
    expect([replay.gone, replay.before.tagged, replay.before.untagged]).to.deep.equal([units('0.3'), 0n, 0n])
  })
})
