import { expect } from 'chai'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const q = encodeURIComponent

describe('what stands around a resource', () => {
  let org: Tenant
  let teamID: string
  const uid = 'projects/p/instances/shop-prod-web'
  const machine = {
    resourceUid: uid,
    name: 'shop-prod-web',
    type: 'aws-ec2',
    provider: 'aws' as const,
    cloudAccountId: 'acct-1',
    region: 'eu-west-1',
    status: 'running' as const,
    hourlyRateUSD: 0.25,
    tags: { owner: 'ana', 'cost:center': 'cc-1' },
  }
  const bucket = {
    resourceUid: 'bucket',
    name: 'bucket',
    type: 'aws-s3-bucket',
    provider: 'aws' as const,
    cloudAccountId: 'acct-1',
    region: 'eu-west-1',
    parentUID: uid,
  }
  const idOf = async (of: string) => (await org.get(`/resources/by-uids?uids=${q(of)}`)).body.data[0].id as string
  const contextOf = async (of: string) => (await org.get(`/resources/${await idOf(of)}/context`)).body.data
  const names = async (query: string) =>
    (await org.get(`/resources?${query}`)).body.data.map(({ name }: { name: string }) => name)

  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [machine, bucket])
    await until('both are there', async () => (await names('')).length === 2)
    teamID = (await org.send('POST', '/teams', { name: 'Shop' })).body.data.id
    await org.send('POST', `/teams/${teamID}/resources`, { resourceUIDs: [uid] })
  })

  it('is its team, its groups, its tags with their source and the price of its hour', async () => {
    const group = { name: 'Web', members: [{ resourceUID: uid }] }
    const groupID = (await org.send('POST', '/resource-groups', group)).body.data.id
    await org.send('POST', '/autotagging/accept', { resourceUid: uid })
    await until('what was accepted counts', async () => (await contextOf(uid)).tags.length > 2)
    const { id, tags, power: _, ...rest } = await contextOf(uid)
    expect(id).to.equal(await idOf(uid))
    expect(rest).to.deep.equal({
      uid,
      team: { id: teamID, name: 'Shop' },
      teamGivenBy: 'hand',
      groups: [{ id: groupID, name: 'Web' }],
      hourlyRateUSD: 0.25,
    })
    expect(tags.filter(({ source }: any) => source === 'cloud')).to.deep.equal([
      { key: 'cost:center', value: 'cc-1', source: 'cloud' },
      { key: 'owner', value: 'ana', source: 'cloud' },
    ])
    expect(tags).to.deep.include({ key: 'env', value: 'prod', source: 'auto' })
    expect(await names('tag=env:prod')).to.deep.equal(['shop-prod-web'])
    expect(await names('tag=env:dev')).to.deep.equal([])
    expect(await names('tag=owner')).to.deep.equal(['shop-prod-web'])
  })

  it('says why what cannot be stopped cannot', async () => {
    const { team, teamGivenBy, hourlyRateUSD, power } = await contextOf('bucket')
    expect({ team, teamGivenBy, hourlyRateUSD }).to.deep.equal({
      team: { id: 'unassigned', name: '' },
      teamGivenBy: 'nobody',
      hourlyRateUSD: null,
    })
    const reason = 'Resources of this type cannot be started or stopped.'
    expect(power).to.deep.equal({ isPossible: false, code: 'not_schedulable', reason })
  })

  it('narrows the list by team, and stands in it where it is asked for', async () => {
    expect(await names(`team_id=${teamID}`)).to.deep.equal(['shop-prod-web'])
    expect(await names('team_id=unassigned')).to.deep.equal(['bucket'])
    expect(await names(`parent_uid=${q(uid)}`)).to.deep.equal(['bucket'])
    expect(await names('parent_uid=bucket')).to.deep.equal([])
    const { data } = (await org.get('/resources?include=team')).body
    expect(data.map(({ name, team }: any) => [name, team])).to.deep.equal([
      ['bucket', { id: 'unassigned', name: '' }],
      ['shop-prod-web', { id: teamID, name: 'Shop' }],
    ])
    expect((await org.get('/resources')).body.data[0]).to.not.have.property('team')
  })

  it('is not for a role that sees neither its account nor its team', async () => {
    const reportScope = { all: false, cloudAccountIDs: [], teamIDs: ['unassigned'] }
    const seeing = async (permissions: string[]): Promise<Founder> => {
      const role = await org.send('POST', '/roles', { name: permissions.join(' '), permissions, reportScope })
      return colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
    }
    const of = async (path: string, { accessToken }: Founder) => (await ask('GET', path, { token: accessToken })).status
    const ben = await seeing(['service.view', 'space.view'])
    expect(await of(`/resources/${await idOf(uid)}/context`, ben)).to.equal(404)
    expect(await of(`/resources/${await idOf('bucket')}/context`, ben)).to.equal(200)
    const eve = await seeing(['space.view'])
    expect(await of('/resources', eve)).to.equal(200)
    expect(await of('/resources?include=team', eve)).to.equal(403)
    expect(await of(`/resources/count?team_id=${teamID}`, eve)).to.equal(403)
  })

  it('says of resources of others’ accounts that their costs are not shown, before anything is asked of them', async () => {
    const mine = { ...machine, resourceUid: 'mine', cloudAccountId: 'acct-2' }
    await org.publish(resourceDiscovered, [mine])
    const role = {
      name: 'Second alone',
      permissions: ['service.view', 'space.view'],
      reportScope: { all: false, cloudAccountIDs: ['acct-2'] },
    }
    const made = await org.send('POST', '/roles', role)
    const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, made.body.data.id)
    const shown = async (token: string) => {
      const { body } = await ask('POST', '/resources/by-uids', { token, body: { uids: [uid, 'mine'] } })
      return Object.fromEntries(body.data.map((one: any) => [one.uid, one.inReportScope]))
    }
    expect(await shown(ben.accessToken)).to.deep.equal({ [uid]: false, mine: true })
    expect(await shown(org.token)).to.deep.equal({ [uid]: undefined, mine: undefined })
  })
})
