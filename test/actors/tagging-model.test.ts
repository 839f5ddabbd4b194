import { expect } from 'chai'
import fc from 'fast-check'
import { pendingOf } from '#actors/tagging/policy/smart-tag.ts'
import type { ValueField } from '#actors/tagging/policy/policy.ts'
import { tagLook } from '#streams/tagging.ts'
import { needsOf, organization, policyOf, TaggedResource } from '#test/harness/tagging.ts'
import type { Done } from '#test/harness/turn.ts'

const t0 = Date.parse('2026-01-15T10:00:00Z')
const keys = ['a', 'b', 'c'] as const
type Key = (typeof keys)[number]
type Tags = Record<string, string>

interface Rule {
  key: Key
  field: 'res.region' | 'res.name'
}
type Step =
  | { do: 'discover'; at: number; region: string; name: string }
  | { do: 'delete'; at: number; byScan: boolean }
  | { do: 'decide'; accepted: boolean; keys: Key[]; all: boolean }
  | { do: 'suggest'; accepted: boolean }
  | { do: 'policies'; rules: Rule[] }
  | { do: 'sweep' }

const region = fc.constantFrom('', 'r1', 'r2')
const name = fc.constantFrom('x', 'a-prod', 'a-dev')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('discover' as const), at: fc.nat(20), region, name }) },
  fc.record({ do: fc.constant('delete' as const), at: fc.nat(20), byScan: fc.boolean() }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      accepted: fc.boolean(),
      keys: fc.uniqueArray(fc.constantFrom(...keys)),
      all: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('suggest' as const), accepted: fc.boolean() }),
  fc.record({
    do: fc.constant('policies' as const),
    rules: fc.array(
      fc.record({ key: fc.constantFrom(...keys), field: fc.constantFrom<ValueField>('res.region', 'res.name') }),
      { maxLength: 4 },
    ) as fc.Arbitrary<Rule[]>,
  }),
  fc.record({ do: fc.constant('sweep' as const) }),
)

const without = (pairs: Set<string>, others: Set<string>) => new Set([...pairs].filter((pair) => !others.has(pair)))

/** What should come of it, said another way than the actor does it: pairs `key=value`, and who is there. */
class Model {
  rules: Rule[] = []
  seen = -1
  isThere = false
  facts = { region: '', name: '' }
  derived = new Set<string>()
  accepted = new Set<string>()
  suggestion: 'none' | 'pending' | 'accepted' | 'rejected' = 'none'
  env = ''
  /** What the reports were told last. */
  reported = new Set<string>()
  reportedEnv = ''

  look(): void {
    const pairs = new Map<string, string>()
    for (const { key, field } of this.rules) {
      const value = field === 'res.region' ? this.facts.region : this.facts.name
      if (value !== '' && !pairs.has(key)) pairs.set(key, value)
    }
    this.derived = new Set([...pairs].map(([key, value]) => `${key}=${value}`))
    this.accepted = new Set([...this.accepted].filter((pair) => this.derived.has(pair)))
    const env = this.facts.name.split('-')[1] ?? ''
    if (this.suggestion === 'none' || this.suggestion === 'pending') {
      this.suggestion = env === '' ? 'none' : 'pending'
      this.env = env
    }
    this.report()
  }

  report(): void {
    this.reported = new Set(this.accepted)
    this.reportedEnv = this.suggestion === 'accepted' ? this.env : ''
  }

  discover(at: number, facts: Model['facts']): void {
    if (at < this.seen || (!this.isThere && at === this.seen)) return
    Object.assign(this, { seen: at, isThere: true, facts })
    this.look()
  }

  delete(at: number): void {
    if (at < this.seen) return
    Object.assign(this, { seen: at, isThere: false, suggestion: 'none', env: '' })
    this.derived = new Set()
    this.accepted = new Set()
  }

  pending(): Set<string> {
    return without(this.derived, this.accepted)
  }

  /** Whether it is refused. */
  decide(accepted: boolean, asked: Key[], all: boolean): boolean {
    const open = accepted ? this.pending() : this.accepted
    const pairs = all ? [...open] : asked.map((key) => [...open].find((pair) => pair.startsWith(`${key}=`)))
    if (!this.isThere || pairs.includes(undefined)) return true
    const chosen = new Set(pairs as string[])
    this.accepted = accepted ? new Set([...this.accepted, ...chosen]) : without(this.accepted, chosen)
    this.report()
    return false
  }

  suggest(accepted: boolean): boolean {
    if (this.suggestion !== 'pending') return true
    this.suggestion = accepted ? 'accepted' : 'rejected'
    this.report()
    return false
  }
}

const pairsOf = (tags: Tags): Set<string> => new Set(Object.entries(tags).map(([key, value]) => `${key}=${value}`))

describe('actor tagging, whatever comes', () => {
  it('keeps pending what is derived and not accepted, and the reports what is accepted [SMART-08, SMART-13, AUTO-22]', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const org = organization()
        const r = new TaggedResource(org)
        const model = new Model()
        const told: { smart: Tags; auto: Tags } = { smart: {}, auto: {} }
        for (const one of steps) {
          const done = take(r, model, one)
          for (const { table, row } of done?.facts ?? [])
            if (table === 'accepted_tag') told[row.source as 'smart' | 'auto'] = row.tags
          const { derived, accepted, acceptedAt, rejectedAt, hasPrediction } = r.state
          expect(pairsOf(derived)).to.deep.equal(model.derived)
          expect(pairsOf(accepted)).to.deep.equal(model.accepted)
          expect(pairsOf(pendingOf(r.state))).to.deep.equal(model.pending())
          expect([pairsOf(told.smart), told.auto['env'] ?? '']).to.deep.equal([model.reported, model.reportedEnv])
          const status = acceptedAt ? 'accepted' : rejectedAt ? 'rejected' : hasPrediction ? 'pending' : 'none'
          expect([status, r.state.predictedEnv, r.state.deletedAt === null && model.seen >= 0]).to.deep.equal([
            model.suggestion,
            model.env,
            model.isThere,
          ])
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** The same step for the actor and for the model. */
function take(r: TaggedResource, model: Model, one: Step): Done | undefined {
  const { org } = r
  switch (one.do) {
    case 'discover':
      model.discover(one.at, { region: one.region, name: one.name })
      return r.discover({ region: one.region, name: one.name }, { time: t0 + one.at })
    case 'delete':
      model.delete(one.byScan ? one.at - 1 : one.at)
      return r.delete({ time: t0 + one.at }, one.byScan ? 'refresh-1' : undefined)
    case 'decide': {
      const all = one.all && one.accepted
      const isRefused = model.decide(one.accepted, one.keys, all)
      const done = r.smart({ accepted: one.accepted, keys: one.keys, all })
      expect(done.refused !== undefined).to.equal(isRefused)
      return done
    }
    case 'suggest': {
      const isRefused = model.suggest(one.accepted)
      const done = r.decide({ status: one.accepted ? 'accepted' : 'rejected' })
      expect(done.refused !== undefined).to.equal(isRefused)
      return done
    }
    case 'policies':
      model.rules = one.rules
      org.policies = one.rules.map(({ key, field }, i) => policyOf(`p${i}`, key, [field]))
      org.policyVersion++
      return undefined
    case 'sweep': {
      if (!model.isThere) return undefined
      model.look()
      const facts = { ...model.facts, type: 'aws-ec2', provider: 'aws', instanceType: '' } as const
      const found = {
        facts: { ...facts, resourceGroup: '', network: '', parentUid: '', tags: {} },
        observedAt: r.state.observedAt.toISOString(),
      }
      return r.take(tagLook, { cloudAccountId: 'acct-1', resourceUid: 'i-1', found }, { needs: needsOf(org) })
    }
  }
}
