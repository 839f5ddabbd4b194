import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { allocation, type Allocation } from '#test/harness/allocation.ts'
import { colleague, ask, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const region = (...values: string[]) => ({ all: [{ attr: 'region', op: 'in' as const, values }] })
const path = '/allocation/policies/preview'

describe('a preview of allocation by rule', () => {
  let org: Tenant
  let of: Allocation
  let data: string
  let shop: string
  let first: string
  const line = (uid: string, costUSD: string, days: number, more: object = {}) => ({
    lineId: `${uid} ${days}`,
    cloudAccountId: 'acct-1',
    resourceUid: uid,
    costUSD,
    usageDate: dayAgo(days),
    provider: 'aws' as const,
    serviceName: 'ec2',
    region: 'us-east-1',
    exportedAt: `${dayAgo(0)}T23:00:00Z`,
    ...more,
  })
  const preview = (spec: object, policyID?: string, by: Tenant = org) =>
    by.send('POST', path, { spec, ...(policyID !== undefined && { policyID }) })

  before(async () => {
    org = await tenant()
    of = allocation(org)
    data = await of.team('Data')
    shop = await of.team('Shop')
    await of.discover(
      { resourceUid: 'i-1', tags: { team: 'shop' } },
      { resourceUid: 'i-2', region: 'eu-west-1', tags: { team: 'shop' } },
      { resourceUid: 'i-3', tags: { team: 'shop' } },
      { resourceUid: 'i-4', tags: { Team: ' Search ' } },
      { resourceUid: 'i-5', tags: { team: 'Search' }, cloudAccountId: 'acct-2' },
    )
    // Thirty days, today included: what is older does not count. The last resource is on bills alone.
    await org.publish(billingLine, [
      line('i-1', '0.1', 0),
      line('i-1', '0.2', 29),
      line('i-1', '64', 30),
      line('i-2', '7', 3),
      line('i-3', '1000', 3),
      line('i-4', '4', 3),
      line('i-5', '2.5', 3, { cloudAccountId: 'acct-2' }),
      line('b-1', '11', 3, { region: 'eu-west-1' }),
    ])
    first = await of.rule({ priority: 10, selector: region('eu-west-1'), team: data })
    await org.send('POST', `/teams/${data}/resources`, { resourceUIDs: ['i-3'] })
    await of.calm()
  })

  it('says what would have another team and what it cost in thirty days, who takes before it and what it may not take', async () => {
    const kept = await of.outcome()
    const { status, body } = await preview({ priority: 20, teamFromTag: { key: 'team', create: true } })
    expect(status, JSON.stringify(body)).to.equal(200)
    // i-3 is Data's by hand, i-2 Data's by the other rule.
    expect(body.data).to.deep.equal({
      matched: 5,
      moved: [
        {
          fromTeamID: null,
          fromTeamName: 'Unassigned',
          toTeamID: null,
          toTeamName: 'Search',
          resources: 2,
          costUsd30d: 6.5,
        },
        {
          fromTeamID: null,
          fromTeamName: 'Unassigned',
          toTeamID: shop,
          toTeamName: 'Shop',
          resources: 1,
          costUsd30d: 0.3,
        },
      ],
      won: [{ policyID: first, name: 'Rule 1', resources: 1 }],
      byHand: 1,
      teamsToMake: ['Search'],
      totalUsd30d: 6.8,
    })
    expect(await of.outcome(), 'nothing is kept').to.deep.equal(kept)
    expect((await org.get('/teams')).body.data.items).to.have.length(2)
  })

  it('of a policy that there is says what its change would change', async () => {
    const { data: shown } = (await preview({ priority: 10, selector: region('us-east-1'), team: shop }, first)).body
    expect(shown).to.deep.equal({
      matched: 4,
      moved: [
        {
          fromTeamID: data,
          fromTeamName: 'Data',
          toTeamID: null,
          toTeamName: 'Unassigned',
          resources: 2,
          costUsd30d: 18,
        },
        {
          fromTeamID: null,
          fromTeamName: 'Unassigned',
          toTeamID: shop,
          toTeamName: 'Shop',
          resources: 3,
          costUsd30d: 6.8,
        },
      ],
      won: [],
      byHand: 1,
      teamsToMake: [],
      totalUsd30d: 24.8,
    })
    const same = (await preview({ priority: 10, selector: region('eu-west-1'), team: data }, first)).body.data
    expect(same).to.deep.equal({ matched: 2, moved: [], won: [], byHand: 0, teamsToMake: [], totalUsd30d: 0 })
  })

  it('refuses what can be no rule, saying where, and policies there are not', async () => {
    const refused = async (spec: object, policyID?: string) => {
      const { status, body } = await preview(spec, policyID)
      return [status, body.code, ...(body.errors ?? []).map((error: any) => error.name)]
    }
    expect(await refused({ priority: 1 })).to.deep.equal([400, 'validation_failed', '/spec'])
    expect(await refused({ priority: 0, team: data })).to.deep.equal([400, 'validation_failed', '/spec/priority'])
    expect(await refused({ priority: 1, team: 'x' })).to.deep.equal([400, 'validation_failed', '/spec/team'])
    const unknown = { all: [{ attr: 'line.service', op: 'exists' }] }
    expect(await refused({ priority: 1, team: data, selector: unknown })).to.deep.equal([
      400,
      'validation_failed',
      '/spec/selector/all/0/attr',
    ])
    const other = await tenant()
    const theirs = allocation(other)
    const foreign = await theirs.rule({ priority: 1, team: await theirs.team('Data') })
    expect(await refused({ priority: 1, team: data }, foreign)).to.deep.equal([404, 'not_found'])
    expect(await refused({ priority: 1, team: data }, 'x')).to.deep.equal([404, 'not_found'])
  })

  it('shows who sees some accounts and teams alone no more than these', async () => {
    const made = await org.send('POST', '/roles', {
      name: 'Of one account',
      permissions: ['service.view'],
      reportScope: { all: false, cloudAccountIDs: ['acct-2'], teamIDs: [] },
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, made.body.data.id)
    const body = { spec: { priority: 1, team: shop } }
    const { body: shown } = await ask('POST', path, { token: ben.accessToken, body })
    expect(shown.data).to.deep.equal({
      matched: 1,
      moved: [
        {
          fromTeamID: null,
          fromTeamName: 'Unassigned',
          toTeamID: shop,
          toTeamName: 'Shop',
          resources: 1,
          costUsd30d: 2.5,
        },
      ],
      won: [],
      byHand: 0,
      teamsToMake: [],
      totalUsd30d: 2.5,
    })
  })
})
