import { expect } from 'chai'
import {
  active,
  address,
  ask,
  claimsOf,
  codeFor,
  founded,
  founder,
  login,
  password,
  person,
  type Founder,
  type Person,
} from '#test/harness/people.ts'
import { testProduct, until } from '#test/harness/product.ts'

const invite = async (by: Founder, email: string) => {
  const { status, body } = await ask('POST', '/members', {
    token: by.accessToken,
    body: { email, roleID: 'viewer' },
  })
  expect(status).to.equal(201)
  return body.data
}
const shownOf = async (by: Founder, email: string) => {
  const { body } = await ask('GET', '/members', { token: by.accessToken })
  const { name, status } = body.data.find((one: any) => one.email === email)
  return [name, status]
}
const orgOf = ({ accessToken }: Person) => claimsOf(accessToken)['org_id']
const count = async (token: string, orgId?: string) => {
  const { status, body } = await ask('GET', '/resources/count', { token, ...(orgId !== undefined && { orgId }) })
  return body?.code ?? status
}
const signIn = (email: string, given: string) =>
  ask('POST', '/auth/login', { body: { provider: 'email', email, password: given } })

/** What the administrators of an organization can read of security events: type and address, oldest first. */
const trailOf = async (who: Founder): Promise<string[]> => {
  const { body } = await ask('GET', '/security-events?limit=200', { token: who.accessToken })
  return body.data.items.map(({ type, email }: any) => `${type} ${email ?? ''}`.trim()).toReversed()
}
const toldOf = async ({ orgId }: Founder): Promise<string[]> => {
  const { clickhouse } = (await testProduct()).connections
  const query = 'SELECT type, email FROM security_events WHERE org_id = {org:String} ORDER BY at, event_id'
  const found = await clickhouse.query({ query, query_params: { org: orgId }, format: 'JSONEachRow' })
  return (await found.json<any>()).map(({ type, email }: any) => `${type} ${email}`.trim())
}

describe('an invitation', () => {
  it('shows the inviter nothing of the person, whatever the person does elsewhere, until they enter [GEN-10]', async () => {
    const [vic, bob] = [await founded('Her own'), await founded('Curious')]
    await invite(bob, vic.email)
    const newPassword = 'another good password'
    expect((await signIn(vic.email, 'a wrong password')).status).to.equal(401)
    const again = await login(vic.email)
    expect((await ask('POST', '/auth/refresh', { body: { refreshToken: again.refreshToken } })).status).to.equal(200)
    const change = { currentPassword: password, newPassword }
    const changed = await ask('POST', '/auth/password/change', { token: again.accessToken, body: change })
    expect(changed.status).to.equal(200)
    await ask('POST', '/auth/password/forget', { body: { email: vic.email } })
    const reset = { email: vic.email, otp: await codeFor(vic.email, 2), newPassword: password }
    expect((await ask('PATCH', '/auth/password/reset', { body: reset })).status).to.equal(200)
    const back = await login(vic.email)
    expect((await ask('POST', '/auth/logout', { token: back.accessToken })).status).to.equal(204)
    expect(await shownOf(bob, vic.email)).to.deep.equal([vic.email, 'invited'])
    const nobody = address()
    await invite(bob, nobody)
    const expected = ['organization_created', `member_invited ${vic.email}`, `member_invited ${nobody}`]
    expect(await trailOf(bob)).to.deep.equal(expected)
    await until('the last to be told', async () => (await toldOf(bob)).includes(`member_invited ${nobody}`))
    expect(await toldOf(bob)).to.deep.equal(expected)
    const own = (await trailOf({ ...vic, accessToken: (await login(vic.email)).accessToken })).map(
      (e) => e.split(' ')[0],
    )
    expect(own).to.deep.equal([
      'organization_created',
      'login_failed',
      'login',
      'password_changed',
      'password_reset',
      'login',
      'logout',
      'login',
    ])
    await active(await login(vic.email), bob.orgId)
    expect(await shownOf(bob, vic.email)).to.deep.equal(['Ana', 'active'])
    await signIn(vic.email, 'a wrong password')
    await login(vic.email) // In the organization of her own: no other is told.
    expect(await trailOf(bob)).to.deep.equal([...expected, `login_failed ${vic.email}`])
  })

  it('is offered at sign-in, and opens nothing by itself: the session is in an organization of the person’s [AUTH-28]', async () => {
    const bob = await founder('Curious')
    const [vic, ben] = [await founder('Her own'), await person()]
    await invite(bob, vic.email)
    await invite(bob, ben.email)
    const [hers, his] = [await login(vic.email), await login(ben.email)]
    const offered = { id: bob.orgId, name: 'Curious' }
    expect(hers.tenants).to.have.deep.members([{ id: vic.orgId, name: 'Her own' }, offered])
    expect(his.tenants).to.deep.equal([offered])
    expect([orgOf(hers), orgOf(his)]).to.deep.equal([vic.orgId, undefined])
    expect(await count(his.accessToken)).to.equal('organization_required')
    const { body } = await ask('POST', '/auth/refresh', { body: { refreshToken: his.refreshToken } })
    expect(orgOf(body.data)).to.equal(undefined)
    for (const { email } of [vic, ben]) expect(await shownOf(bob, email)).to.deep.equal([email, 'invited'])
  })

  it('is taken up by X-Org-Id that names it, and by tenantID', async () => {
    const bob = await founder()
    const [vic, ben] = [await founder(), await person()]
    await invite(bob, vic.email)
    await invite(bob, ben.email)
    expect(await count(vic.accessToken, bob.orgId)).to.equal(200)
    expect(orgOf(await active(ben, bob.orgId))).to.equal(bob.orgId)
    for (const { email } of [vic, ben]) expect(await shownOf(bob, email)).to.deep.equal(['Ana', 'active'])
  })

  it('of one who was a member before is a new one: neither the session of before nor its refresh takes it up', async () => {
    const bob = await founder()
    const ben = await person()
    const { userID } = await invite(bob, ben.email)
    const there = await active(ben, bob.orgId)
    await ask('DELETE', `/members/${userID}`, { token: bob.accessToken })
    await invite(bob, ben.email)
    expect(await count(there.accessToken)).to.equal('not_a_member')
    const { body } = await ask('POST', '/auth/refresh', { body: { refreshToken: there.refreshToken } })
    expect(orgOf(body.data)).to.equal(undefined)
    expect(await shownOf(bob, ben.email)).to.deep.equal([ben.email, 'invited'])
  })

  it('is entered at the first sign-in of an account made after it, when it is the only one', async () => {
    const [bob, eve] = [await founder('One'), await founder('Two')]
    const [email, sought] = [address(), address()]
    await invite(bob, email)
    await invite(bob, sought)
    await invite(eve, sought)
    const made = async (to: string, mails: number) => {
      await ask('POST', '/auth/signup', { body: { email: to, password, name: 'Ben' } })
      await ask('PATCH', '/auth/email/otp/validate', { body: { email: to, otp: await codeFor(to, mails) } })
      return login(to)
    }
    expect(orgOf(await made(email, 2))).to.equal(bob.orgId)
    expect(await shownOf(bob, email)).to.deep.equal(['Ben', 'active'])
    const asked = await made(sought, 3)
    expect([orgOf(asked), asked.tenants.length]).to.deep.equal([undefined, 2])
    expect(await shownOf(bob, sought)).to.deep.equal([sought, 'invited'])
  })
})
