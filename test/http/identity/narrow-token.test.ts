import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'

const path = '/settings/personal-access-tokens'

describe('a token that is narrowed to a viewer', () => {
  let ana: Founder
  const made = (who: Founder, body: object = { name: 'agent', role: 'viewer' }) =>
    ask('POST', path, { token: who.accessToken, body })
  const rightsBy = async (token: string) => {
    const { role, isAdmin, permissions, reportScope } = (await ask('GET', '/auth/me', { token })).body.data
    return { role, isAdmin, permissions, reportScope }
  }
  before(async () => void (ana = await founder()))

  it('of an owner looks at all and changes nothing, and says so where tokens are listed and in the audit', async () => {
    const { body } = await made(ana)
    const { token, ...shown } = body.data
    expect(await rightsBy(token)).to.deep.equal({
      role: 'viewer',
      isAdmin: false,
      permissions: ['deployment.view', 'provisioning.view', 'service.view', 'space.view'],
      reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] },
    })
    const answers = await Promise.all([
      ask('GET', '/teams', { token }),
      ask('POST', '/teams', { token, body: { name: 'Shop' } }),
      ask('GET', '/security-events', { token }),
    ])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 403, 403])
    const [listed] = (await ask('GET', path, { token: ana.accessToken })).body.data
    expect([listed.id, listed.role, shown.role]).to.deep.equal([shown.id, 'viewer', 'viewer'])
    const events = await ask('GET', '/security-events?type=token_created', { token: ana.accessToken })
    expect(events.body.data.items[0].detail).to.deep.equal({ tokenID: shown.id, name: 'agent', role: 'viewer' })
  })

  it('may no more than its person either, whose role and whose costs it keeps to', async () => {
    const reportScope = { all: false, cloudAccountIDs: ['prod'], teamIDs: [] }
    const body = { name: 'Prod', permissions: ['space.view', 'deployment.create'], reportScope }
    const { id } = (await ask('POST', '/roles', { token: ana.accessToken, body })).body.data
    const ben = await colleague(ana, id)
    const { token } = (await made(ben)).body.data
    const narrow = { role: 'viewer', isAdmin: false, permissions: ['space.view'], reportScope }
    expect(await rightsBy(token)).to.deep.equal(narrow)
    await ask('PATCH', `/members/${ben.userId}`, { token: ana.accessToken, body: { roleID: 'editor' } })
    const { permissions } = await rightsBy(token)
    expect(permissions).to.deep.equal(['deployment.view', 'provisioning.view', 'service.view', 'space.view'])
    await ask('DELETE', `/members/${ben.userId}`, { token: ana.accessToken })
    expect((await ask('GET', '/auth/me', { token })).status).to.equal(401)
  })

  it('is not narrowed to anything else', async () => {
    for (const role of ['owner', 'editor', '']) expect((await made(ana, { name: 'x', role })).status).to.equal(400)
    const { token, role } = (await made(ana, { name: 'x', role: null })).body.data
    expect([role, (await rightsBy(token)).role]).to.deep.equal([null, 'owner'])
  })
})
