/** Teams by rule follow what is discovered and what people accept, with nothing else told. */
import { expect } from 'chai'
import { suggestionDecided } from '#streams/tagging.ts'
import { allocation, type Allocation } from '#test/harness/allocation.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

describe('allocation by rule, from what the tagging actor hears', () => {
  let org: Tenant
  let of: Allocation
  before(async () => {
    org = await tenant()
    of = allocation(org)
    await of.team('Data')
    await of.team('prod')
    await of.rule({ priority: 1, teamFromTag: { key: 'env' } })
    await of.rule({ priority: 2, teamFromTag: { key: 'team' } })
    await of.rule({
      priority: 3,
      selector: { all: [{ attr: 'res.resource_group', op: 'exists' }] },
      teamFromTag: { key: 'owner', create: true },
    })
  })

  it('gives a team to what is found, changed, and accepted', async () => {
    await of.discover({ resourceUid: 'i-1', tags: { team: 'data' } }, { resourceUid: 'i-2', name: 'a-prod-1' })
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-1': 'Data Rule 2' })
    await of.discover({ resourceUid: 'i-1', tags: {} })
    expect(await of.outcome()).to.deep.equal({})
    const asker = org.product.get(tokens.asker)
    await asker.ask(
      suggestionDecided,
      org.orgId,
      { cloudAccountId: 'acct-1', resourceUid: 'i-2', userId: 'u', status: 'accepted' },
      'x1',
    )
    await of.calm()
    expect(await of.outcome()).to.deep.equal({ 'acct-1/i-2': 'prod Rule 1' })
  })

  it('knows the resource group of Azure alone, as policies of tags do [TPOL-10]', async () => {
    await of.discover(
      { resourceUid: 'g-1', resourceGroup: 'Shop', tags: { owner: 'nobody' } },
      { resourceUid: 'g-2', provider: 'azure', type: 'azure-vm', resourceGroup: 'Shop', tags: { owner: 'web' } },
    )
    const { 'acct-1/i-2': _, ...outcome } = await of.outcome()
    expect(outcome).to.deep.equal({ 'acct-1/g-2': 'web Rule 3' })
  })
})
