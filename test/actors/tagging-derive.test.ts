import { expect } from 'chai'
import { compileRules, derive, specErrorOf } from '#actors/tagging/policy/derive.ts'
import { factsOf, hashOf, selectable } from '#actors/tagging/facts.ts'
import type { SelectorCondition } from '#actors/policy/selector.ts'
import { derivedMax } from '#streams/tagging.ts'
import { policyOf, type Discovered } from '#test/harness/tagging.ts'

const found = (own: Partial<Discovered> = {}): Discovered => ({
  resourceUid: 'i-1',
  cloudAccountId: 'acct-1',
  name: 'Web',
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  instanceType: 'm5.large',
  ...own,
})
const azure = found({ type: 'azure-vm', provider: 'azure', resourceGroup: 'Prod-RG', region: 'EastUS' })
const of = (one: Discovered, ...policies: { id: string; spec: unknown }[]) =>
  derive(selectable(factsOf(one, ''), one.cloudAccountId), compileRules(policies))
const where = [azure, found()]
const all3 = ['res.provider', 'res.resource_group', 'res.region'] as const

describe('derivation', () => {
  it('joins what is not empty and writes it in lower case where that is wanted [TPOL-10, TPOL-11, TPOL-12, TPOL-13]', () => {
    const values = (...policies: Parameters<typeof policyOf>[]) =>
      policies.map((policy) => where.map((one) => of(one, policyOf(...policy)).derived))
    expect(
      values(
        ['p', 'k', all3],
        ['p', 'k', all3, { standardize: false }],
        ['p', 'k', ['res.resource_group']],
        ['p', 'k', ['res.provider', 'res.region'], { standardize: false }],
        ['p', 'k', ['res.name', 'res.instance_type', 'res.type'], { join: '/' }],
      ),
    ).to.deep.equal([
      [{ k: 'azure-prod-rg-eastus' }, { k: 'aws-us-east-1' }],
      [{ k: 'azure-prod-rg-EastUS' }, { k: 'aws-us-east-1' }],
      [{ k: 'prod-rg' }, {}],
      [{ k: 'azure-EastUS' }, { k: 'aws-us-east-1' }],
      [{ k: 'web/m5.large/azure-vm' }, { k: 'web/m5.large/aws-ec2' }],
    ])
    expect(of(found({ resourceGroup: 'of-aws' }), policyOf('p', 'k', ['res.resource_group'])).derived).to.deep.equal({})
  })

  it('cuts values at 256 code points, not in the middle of one', () => {
    const { derived } = of(found({ name: '😀'.repeat(300) }), policyOf('p', 'k', ['res.name']))
    expect(derived).to.deep.equal({ k: '😀'.repeat(256) })
  })

  it('is of resources that meet every condition, by cloud tags alone [TPOL-05, TPOL-06]', () => {
    const tagged = found({ tags: { Tier: 'Gold' } })
    const meets = (one: Discovered, ...all: SelectorCondition[]) =>
      'k' in of(one, policyOf('p', 'k', ['res.name'], { all })).derived
    const gold: SelectorCondition = { attr: 'res.tags.tier', op: 'in', values: ['gold'] }
    const aws: SelectorCondition = { attr: 'provider', op: 'equals', values: ['AWS'] }
    const account: SelectorCondition = { attr: 'res.cloud_account_id', op: 'in', values: ['acct-1'] }
    expect([meets(tagged, gold), meets(tagged, gold, aws, account), meets(found(), gold)]).to.deep.equal([
      true,
      true,
      false,
    ])
    expect(meets(tagged, gold, { ...account, op: 'not_in' })).to.equal(false)
    expect(meets(found())).to.equal(true)
  })

  it('gives a key to the oldest policy that has a value for it', () => {
    const group = policyOf('p1', 'k', ['res.resource_group'])
    const region = policyOf('p2', 'k', ['res.region'])
    const type = policyOf('p3', 'k', ['res.type'])
    expect(where.map((one) => of(one, group, region, type))).to.deep.equal([
      { derived: { k: 'prod-rg' }, derivedBy: { k: 'p1' }, leftOut: [] },
      { derived: { k: 'us-east-1' }, derivedBy: { k: 'p2' }, leftOut: [] },
    ])
  })

  it('keeps the tags of the oldest policies where there are too many, and says whose are left out', () => {
    const many = Array.from({ length: derivedMax + 2 }, (_, i) => policyOf(`p${i}`, `k${i}`, ['res.name']))
    const again = policyOf('again', 'k0', ['res.name'])
    const { derived, leftOut } = of(found(), ...many, again)
    expect(Object.keys(derived)).to.deep.equal(many.slice(0, derivedMax).map((_, i) => `k${i}`))
    expect(leftOut).to.deep.equal([`p${derivedMax}`, `p${derivedMax + 1}`])
  })

  it('passes over a stored policy that is not understood, and says why', () => {
    const good = policyOf('p2', 'k', ['res.name'])
    const odd = [
      { id: 'p1', spec: { tag: { key: 'k', value: { fields: ['res.tags'], join: '', standardize: true } } } },
      policyOf('p1', 'k', ['res.name'], { all: [{ attr: 'res.unknown', op: 'exists' }] }),
      { id: 'p1', spec: null },
    ]
    for (const policy of odd) expect(of(found(), policy, good).derivedBy).to.deep.equal({ k: 'p2' })
    expect(specErrorOf(good)).to.equal(undefined)
    expect(odd.map((policy) => specErrorOf(policy)?.split(' ')[0])).to.deep.equal([
      '/tag/value/fields/0',
      '/selector/all/0/attr',
      '',
    ])
  })

  it('takes a key that objects have of their own for one like others', () => {
    const { derived, derivedBy } = of(
      found(),
      policyOf('p', '__proto__', ['res.name']),
      policyOf('q', 'toString', all3),
    )
    expect([Object.entries(derived), Object.entries(derivedBy)]).to.deep.equal([
      [
        ['__proto__', 'web'],
        ['toString', 'aws-us-east-1'],
      ],
      [
        ['__proto__', 'p'],
        ['toString', 'q'],
      ],
    ])
  })
})

describe('facts', () => {
  it('have the same hash whatever the order of their tags, and another one when any of them is another', () => {
    const base = found({ tags: { a: '1', b: '2' }, parentUID: 'p', specs: { vpc: 'v' } })
    const hash = (own: Partial<Discovered> = {}) => hashOf(factsOf({ ...base, ...own }, ''))
    expect(hash({ tags: { b: '2', a: '1' }, status: 'running', unitCount: 3 })).to.equal(hash())
    const others: Partial<Discovered>[] = [
      { name: 'x' },
      { type: 'aws-rds' },
      { type: 'azure-vm', provider: 'azure' },
      { region: 'x' },
      { instanceType: 'x' },
      { parentUID: 'x' },
      { tags: { a: '1' } },
      { tags: { a: '2', b: '1' } },
      { specs: { vpc: 'x' } },
      { type: 'azure-vm', provider: 'azure', resourceGroup: 'x' },
    ]
    expect(new Set([hash(), ...others.map(hash)]).size).to.equal(others.length + 1)
  })
})
