import { expect } from 'chai'
import { ask, claimsOf, colleague, founder, person } from '#test/harness/people.ts'
import { tenant } from '#test/harness/product.ts'

describe('who one is', () => {
  const meOf = async (token: string, orgId?: string) =>
    (await ask('GET', '/auth/me', { token, ...(orgId !== undefined && { orgId }) })).body.data
  const everything = { all: true, cloudAccountIDs: [], teamIDs: [] }
  const views = ['deployment.view', 'provisioning.view', 'service.view', 'space.view']

  it('is told to owners, to viewers and to those in no organization', async () => {
    const ana = await founder()
    const { permissions, ...rest } = await meOf(ana.accessToken)
    const user = { id: ana.userId, email: ana.email, name: 'Ana' }
    expect(rest).to.deep.equal({
      user,
      orgID: ana.orgId,
      role: 'owner',
      isAdmin: true,
      reportScope: everything,
      needsSecondFactor: false,
      isClosed: false,
      deletesAt: null,
      hidesFirstSteps: false,
      kind: 'session',
    })
    expect(permissions).to.have.length(16)
    expect(permissions).to.deep.equal(permissions.toSorted())
    const ben = await colleague(ana, 'viewer')
    expect(await meOf(ben.accessToken)).to.deep.equal({
      user: { id: ben.userId, email: ben.email, name: 'Ben' },
      orgID: ana.orgId,
      role: 'viewer',
      isAdmin: false,
      permissions: views,
      reportScope: everything,
      needsSecondFactor: false,
      isClosed: false,
      deletesAt: null,
      hidesFirstSteps: false,
      kind: 'session',
    })
    const eva = await person()
    expect(await meOf(eva.accessToken)).to.deep.equal({
      user: { id: claimsOf(eva.accessToken)['sub'], email: eva.email, name: 'Ana' },
      orgID: null,
      role: '',
      isAdmin: false,
      permissions: [],
      reportScope: { ...everything, all: false },
      needsSecondFactor: false,
      isClosed: false,
      deletesAt: null,
      hidesFirstSteps: false,
      kind: 'session',
    })
  })

  it('is told to tokens: of a person, and of a machine, which is nobody', async () => {
    const ana = await founder()
    const body = { name: 'ci' }
    const made = await ask('POST', '/settings/personal-access-tokens', { token: ana.accessToken, body })
    const mine = await meOf(made.body.data.token)
    expect([mine.user, mine.orgID, mine.role, mine.kind]).to.deep.equal([
      { id: ana.userId, email: ana.email, name: 'Ana' },
      ana.orgId,
      'owner',
      'pat',
    ])
    const org = await tenant()
    expect(await meOf(await org.tokenFor('viewer'))).to.deep.equal({
      user: null,
      orgID: org.orgId,
      role: 'viewer',
      isAdmin: false,
      permissions: views,
      reportScope: everything,
      needsSecondFactor: false,
      isClosed: false,
      deletesAt: null,
      hidesFirstSteps: false,
      kind: 'pat',
    })
  })

  it('is told with what a role of the organization’s own sees, and not without a token', async () => {
    const ana = await founder()
    const reportScope = { all: false, cloudAccountIDs: ['prod'], teamIDs: [] }
    const body = { name: 'Prod', permissions: ['space.view', 'deployment.create'], reportScope }
    const { id } = (await ask('POST', '/roles', { token: ana.accessToken, body })).body.data
    const ben = await colleague(ana, id)
    const seen = await meOf(ben.accessToken)
    expect([seen.role, seen.isAdmin, seen.permissions, seen.reportScope]).to.deep.equal([
      id,
      false,
      ['deployment.create', 'space.view'],
      reportScope,
    ])
    expect((await ask('GET', '/auth/me')).status).to.equal(401)
  })
})
