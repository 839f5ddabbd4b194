import { expect } from 'chai'
import { rulesOf, TeamList, teamBy } from '#actors/attribution/allocation/allocate-rule.ts'
import { accountAttrs, asksAccounts, byAccount } from '#actors/policy/account-condition.ts'
import {
  lineAttrs,
  resourceAttrs,
  selectorErrors,
  type SelectorCondition,
  type Operator,
} from '#actors/policy/selector.ts'

const accounts = [
  { id: 'pay', path: '/Production/Payments', tags: { Env: 'prod', owner: 'Ann' } },
  { id: 'prod', path: '/Production', tags: { env: 'Prod' } },
  { id: 'lab', path: '/Production2', tags: {} },
  { id: 'root', path: '/', tags: { env: 'dev' } },
]
const by = (attr: string, op: Operator, ...values: string[]) => byAccount({ all: [{ attr, op, values }] }, accounts).all

describe('conditions about accounts of an organization', () => {
  it('become the accounts for which they hold, and are open to accounts that come later where these would hold too', () => {
    const named = (op: 'in' | 'not_in', ...values: string[]): SelectorCondition[] => [
      { attr: 'res.cloud_account_id', op, values },
    ]
    expect(by('account.ou', 'starts_with', '/production')).to.deep.equal(named('in', 'pay', 'prod'))
    expect(by('account.ou', 'starts_with', '/Production/')).to.deep.equal(named('in', 'pay', 'prod'))
    expect(by('account.ou', 'starts_with', '/')).to.deep.equal(named('in', 'lab', 'pay', 'prod', 'root'))
    expect(by('account.ou', 'equals', '/Production')).to.deep.equal(named('in', 'prod'))
    expect(by('account.tag.ENV', 'in', 'prod', 'stage')).to.deep.equal(named('in', 'pay', 'prod'))
    expect(by('account.tag.owner', 'exists')).to.deep.equal(named('in', 'pay'))
    expect(by('account.tag.env', 'not_in', 'prod')).to.deep.equal(named('not_in', 'pay', 'prod'))
    expect(by('account.ou', 'not_exists')).to.deep.equal(named('not_in', 'lab', 'pay', 'prod', 'root'))
    expect(by('account.ou', 'equals', '/Nowhere')).to.deep.equal(named('in'))
  })

  it('leave other conditions as they are, and are known to rules of teams and shared costs alone', () => {
    const other: SelectorCondition = { attr: 'res.type', op: 'equals', values: ['aws-ec2'] }
    expect(byAccount({ all: [other] }, accounts)).to.deep.equal({ all: [other] })
    const selector = { all: [other, { attr: 'account.tag.env', op: 'exists' as const }] }
    expect([asksAccounts(selector), asksAccounts({ all: [other] })]).to.deep.equal([true, false])
    const wrong = (attrs: Parameters<typeof selectorErrors>[1]) =>
      selectorErrors(selector, attrs).map(({ path }) => path)
    expect(wrong([...resourceAttrs, ...accountAttrs])).to.deep.equal([])
    expect(wrong(resourceAttrs)).to.deep.equal(['/selector/all/1/attr'])
    expect(wrong([...lineAttrs, ...accountAttrs])).to.deep.equal(['/selector/all/0/attr'])
  })

  it('give resources of these accounts a team', () => {
    const spec = {
      priority: 1,
      selector: { all: [{ attr: 'account.ou', op: 'starts_with', values: ['/Production'] }] },
      team: 't',
    }
    const rules = rulesOf([{ id: 'p', name: 'P', spec, createdAt: new Date(0) }], accounts)
    const allot = teamBy(rules, new TeamList([{ id: 't', name: 'T' }]))
    const teams = ['pay', 'lab', 'unknown'].map((id) => allot({ of: { 'res.cloud_account_id': id }, tags: {} })?.team)
    expect(teams).to.deep.equal([{ id: 't' }, undefined, undefined])
  })
})
