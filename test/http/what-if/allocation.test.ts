import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { allocation, type Allocation } from '#test/harness/allocation.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { answerOf, daysAgo, errorsOf, seeing } from '#test/harness/what-if.ts'

const region = (...values: string[]) => ({ all: [{ attr: 'region', op: 'in' as const, values }] })
const team = (teamID: string | null, teamName: string, beforeUSD: number, afterUSD: number, deltaUSD: number) => ({
  teamID,
  teamName,
  beforeUSD,
  afterUSD,
  deltaUSD,
})
const byTag = { priority: 20, teamFromTag: { key: 'team', create: true } }

describe('what teams would have cost by another rule', () => {
  let org: Tenant
  let of: Allocation
  let data: string
  let shop: string
  let first: string
  const range = { kind: 'allocation', from: daysAgo(4), to: daysAgo(1) }
  const whatIf = (spec: object, policyID?: string) => answerOf(org, { ...range, change: { spec, policyID } })
  const line = (uid: string, costUSD: string, days: number, more: object = {}) => ({
    lineId: `${uid} ${days}`,
    cloudAccountId: 'acct-1',
    ...(uid !== '' && { resourceUid: uid }),
    costUSD,
    usageDate: daysAgo(days),
    provider: 'aws' as const,
    serviceName: 'ec2',
    region: 'us-east-1',
    exportedAt: `${daysAgo(0)}T23:00:00Z`,
    ...more,
  })

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
    // On bills alone: b-1, and what is of no resource.
    await org.publish(billingLine, [
      line('i-1', '0.1', 1),
      line('i-1', '0.2', 4),
      line('i-1', '64', 5),
      line('i-1', '64', 0),
      line('i-2', '7', 3),
      line('i-3', '1000', 3),
      line('i-4', '4', 3),
      line('i-5', '2.5', 3, { cloudAccountId: 'acct-2' }),
      line('b-1', '11', 3, { region: 'eu-west-1' }),
      line('', '50', 3),
    ])
    first = await of.rule({ priority: 10, selector: region('eu-west-1'), team: data })
    await org.send('POST', `/teams/${data}/resources`, { resourceUIDs: ['i-3'] })
    await of.calm()
  })

  it('is said team by team and day by day: what one has less another has more', async () => {
    expect(await whatIf(byTag)).to.deep.equal({
      kind: 'allocation',
      from: daysAgo(4),
      to: daysAgo(1),
      totalUSD: 1074.8,
      movedUSD: 6.8,
      teams: [
        team(null, 'Unassigned', 56.8, 50, -6.8),
        team(null, 'Search', 0, 6.5, 6.5),
        team(shop, 'Shop', 0, 0.3, 0.3),
        team(data, 'Data', 1018, 1018, 0),
      ],
      movedResources: 3,
      moves: [
        {
          fromTeamID: null,
          fromTeamName: 'Unassigned',
          toTeamID: null,
          toTeamName: 'Search',
          resources: 2,
          costUSD: 6.5,
        },
        {
          fromTeamID: null,
          fromTeamName: 'Unassigned',
          toTeamID: shop,
          toTeamName: 'Shop',
          resources: 1,
          costUSD: 0.3,
        },
      ],
      teamsToMake: ['Search'],
      byDay: [
        {
          date: daysAgo(4),
          totalUSD: 0.2,
          movedUSD: 0.2,
          teams: [team(null, 'Unassigned', 0.2, 0, -0.2), team(shop, 'Shop', 0, 0.2, 0.2)],
        },
        {
          date: daysAgo(3),
          totalUSD: 1074.5,
          movedUSD: 6.5,
          teams: [team(null, 'Unassigned', 56.5, 50, -6.5), team(null, 'Search', 0, 6.5, 6.5)],
        },
        { date: daysAgo(2), totalUSD: 0, movedUSD: 0, teams: [] },
        {
          date: daysAgo(1),
          totalUSD: 0.1,
          movedUSD: 0.1,
          teams: [team(null, 'Unassigned', 0.1, 0, -0.1), team(shop, 'Shop', 0, 0.1, 0.1)],
        },
      ],
      approximate: true,
      reasons: ['Facts and tags of resources, teams and manual assignments are the current ones.'],
    })
  })

  it('begins with what reports say of the teams now', async () => {
    const { body } = await org.get(`/reports/teams?from=${daysAgo(4)}&to=${daysAgo(1)}`)
    const reported = body.data.map((one: any) => [one.teamName, one.costUSD]).toSorted()
    const { teams } = await whatIf(byTag)
    const before = teams.map((one: any) => [one.teamName, one.beforeUSD]).filter(([, usd]: any) => usd > 0)
    expect(before.toSorted()).to.deep.equal(reported)
  })

  it('of a rule that there is says what its change would change, and nothing of none', async () => {
    const moved = await whatIf({ priority: 10, selector: region('us-east-1'), team: shop }, first)
    expect(moved.moves.map((one: any) => `${one.fromTeamName} ${one.toTeamName} ${one.costUSD}`)).to.deep.equal([
      'Data Unassigned 18',
      'Unassigned Shop 6.8',
    ])
    const same = await whatIf({ priority: 10, selector: region('eu-west-1'), team: data }, first)
    expect([same.moves, same.movedUSD]).to.deep.equal([[], 0])
    expect(same.teams).to.deep.equal([team(data, 'Data', 1018, 1018, 0), team(null, 'Unassigned', 56.8, 56.8, 0)])
  })

  it('keeps nothing, and makes no team', async () => {
    const stood = async () => [
      await of.outcome(),
      (await org.get('/teams')).body.data.items,
      (await org.get('/policies')).body.data.items,
    ]
    const then = await stood()
    await whatIf(byTag)
    expect(await stood()).to.deep.equal(then)
  })

  it('shows who sees some accounts alone no more than these, and others nothing [RBAC-04]', async () => {
    const body = { ...range, change: { spec: { priority: 1, team: shop } } }
    const token = await seeing(org, 'acct-2')
    const { data: shown } = (await ask('POST', '/what-if', { token, body })).body
    expect([shown.totalUSD, shown.teams]).to.deep.equal([
      2.5,
      [team(shop, 'Shop', 0, 2.5, 2.5), team(null, 'Unassigned', 2.5, 0, -2.5)],
    ])
    const other = await tenant()
    const theirs = await answerOf(other, { ...range, change: { spec: byTag } })
    expect([theirs.totalUSD, theirs.teams]).to.deep.equal([0, []])
    expect((await errorsOf(other, { ...range, change: { spec: byTag, policyID: first } }))[0]).to.equal(404)
  })

  it('refuses what can be no rule, saying where, and policies there are not', async () => {
    const refused = (change: object) => errorsOf(org, { ...range, change })
    expect(await refused({})).to.deep.equal([400, '/change/spec: required'])
    expect(await refused({ spec: { priority: 1 } })).to.deep.equal([400, '/change/spec: one_of'])
    expect(await refused({ spec: { priority: 0, team: data } })).to.deep.equal([400, '/change/spec/priority: minimum'])
    expect(await refused({ spec: { priority: 1, team: 'x' } })).to.deep.equal([400, '/change/spec/team: unknown'])
    expect((await refused({ spec: byTag, policyID: 'x' }))[0]).to.equal(404)
  })

  it('says which months are closed, and that shared costs stay where they are', async () => {
    const spec = { selector: { all: [{ attr: 'line.service', op: 'equals', values: ['ec2'] }] }, method: 'even' }
    const policy = { domain: 'shared-cost', targetType: 'organisation', name: 'Shared', spec, enabled: true }
    const { id } = (await org.send('POST', '/policies', policy)).body.data
    const said = await whatIf(byTag)
    expect([said.totalUSD, said.reasons.length]).to.deep.equal([1074.8, 2])
    expect(said.reasons[1]).to.include('Shared costs')
    expect((await org.send('DELETE', `/policies/${id}`)).status).to.equal(204)
    const period = daysAgo(4).slice(0, 7)
    await org.connections.store.pool.query(
      `insert into snapshot (org_id, period, id, total_cost_usd, total_savings_usd, resource_count, created_at)
       values ($1, $2, gen_random_uuid(), 0, 0, 0, now())`,
      [org.orgId, period],
    )
    expect((await whatIf(byTag)).reasons[1]).to.include(`${period} is closed`)
  })
})
