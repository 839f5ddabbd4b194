import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { testProduct } from '#test/harness/product.ts'
import { active, advance, ask, claimsOf, founder, login, person, resetClock } from '#test/harness/people.ts'
import { amount } from '#test/harness/tier.ts'

const status = async (token: string, path = '/organisations') => (await ask('GET', path, { token })).status
const refresh = (refreshToken: string, tenantID?: string) =>
  ask('POST', '/auth/refresh', { body: { refreshToken, ...(tenantID !== undefined && { tenantID }) } })

describe('sessions', () => {
  afterEach(resetClock)

  it('give a pair of tokens, the tenants and the user at sign-in, and nothing else [AUTH-01]', async () => {
    const { email, orgId } = await founder('Signing in')
    const { body } = await ask('POST', '/auth/login', {
      body: { provider: 'email', email, password: 'correct horse battery' },
    })
    expect(Object.keys(body)).to.deep.equal(['data'])
    expect(Object.keys(body.data)).to.have.members(['accessToken', 'refreshToken', 'tenants', 'user'])
    expect(body.data.tenants).to.deep.equal([{ id: orgId, name: 'Signing in' }])
    expect(body.data.user).to.deep.equal({ email, name: 'Ana' })
    expect(body.data.refreshToken).to.match(/^[A-Za-z0-9_-]{43}$/)
  })

  it('sign what decision G-11 says, verifiable by the published key of its kid [AUTH-12] [AUTH-27]', async () => {
    const { url } = await testProduct()
    const { accessToken, orgId, userId, email } = await founder()
    const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(accessToken, keys, {
      issuer: url,
      audience: 'tidemark-api',
      typ: 'at+jwt',
      algorithms: ['RS256'],
    })
    expect(protectedHeader.kid).to.be.a('string')
    expect(payload).to.deep.include({
      sub: userId,
      email,
      name: 'Ana',
      org_id: orgId,
      'tenant-id': orgId,
      role: 'owner',
    })
    expect(payload.exp! - payload.iat!).to.equal(900)
    expect([payload.nbf, typeof payload.jti, typeof payload['sid']]).to.deep.equal([payload.iat, 'string', 'string'])
  })

  it('rotate: R1 gives R2, R2 gives R3, R1 again ends them all [S-30] [AUTH-05] [AUTH-15]', async () => {
    const { orgId, email } = await founder()
    const first = await login(email)
    const second = await refresh(first.refreshToken, orgId)
    expect(second.status).to.equal(200)
    expect(Object.keys(second.body.data)).to.have.members(['accessToken', 'refreshToken'])
    expect(claimsOf(second.body.data.accessToken)['org_id']).to.equal(orgId)
    await advance(5)
    const third = await refresh(second.body.data.refreshToken, orgId)
    expect(third.status).to.equal(200)
    await advance(11)
    expect((await refresh(first.refreshToken, orgId)).body.code).to.equal('invalid_token')
    expect((await refresh(third.body.data.refreshToken, orgId)).status).to.equal(401)
    expect(await status(third.body.data.accessToken)).to.equal(401)
  })

  it('answer a repeat within ten seconds with the same successor, and one family lives [G-10]', async () => {
    const { refreshToken } = await person()
    const answers = await Promise.all(Array.from({ length: amount(6, 20, 20) }, () => refresh(refreshToken)))
    expect(answers.map((answer) => answer.status)).to.deep.equal(answers.map(() => 200))
    expect(new Set(answers.map((answer) => answer.body.data.refreshToken)).size).to.equal(1)
    const next = await refresh(answers[0]!.body.data.refreshToken)
    expect(next.status).to.equal(200)
    expect((await refresh(refreshToken)).status, 'its successor was used').to.equal(401)
    expect((await refresh(next.body.data.refreshToken)).status).to.equal(401)
  })

  it('are not switched to an organization one is no member of, and the token stays good [S-30]', async () => {
    const [ana, ben] = [await founder(), await founder()]
    const refused = await refresh(ana.refreshToken, ben.orgId)
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'not_a_member'])
    expect((await refresh(ana.refreshToken, ana.orgId)).status).to.equal(200)
  })

  it('expire after 15 minutes and are refreshed; refresh tokens after 30 days unused [S-30] [AUTH-16]', async () => {
    const { accessToken, refreshToken } = await person()
    // Half a minute for what the test itself takes.
    await advance(870)
    expect(await status(accessToken)).to.equal(200)
    await advance(31)
    const late = await ask('GET', '/organisations', { token: accessToken })
    expect([late.status, late.body.code]).to.deep.equal([401, 'invalid_token'])
    const next = await refresh(refreshToken)
    expect(await status(next.body.data.accessToken)).to.equal(200)
    await advance(30 * 86_400)
    expect((await refresh(next.body.data.refreshToken)).status).to.equal(401)
  })

  it('end after 90 days, however often they are refreshed [G-10]', async () => {
    let { refreshToken } = await person()
    for (let days = 0; days < 75; days += 25) {
      await advance(25 * 86_400)
      const { status: code, body } = await refresh(refreshToken)
      expect(code).to.equal(200)
      refreshToken = body.data.refreshToken
    }
    // Two minutes either way for what the test itself takes.
    await advance(15 * 86_400 - 120)
    const last = await refresh(refreshToken)
    expect(last.status).to.equal(200)
    await advance(120)
    expect((await refresh(last.body.data.refreshToken)).status).to.equal(401)
  })

  it('end at logout, at once, and only the one that logs out [S-30] [AUTH-10]', async () => {
    const one = await person()
    const other = await login(one.email)
    expect(await status(one.accessToken)).to.equal(200)
    expect((await ask('POST', '/auth/logout', { token: one.accessToken })).status).to.equal(204)
    expect(await status(one.accessToken)).to.equal(401)
    expect((await refresh(one.refreshToken)).status).to.equal(401)
    expect(await status(other.accessToken)).to.equal(200)
    expect((await refresh(other.refreshToken)).status).to.equal(200)
  })

  it('are in no organization until there is one, and in the one that is asked for after [AUTH-07] [AUTH-28]', async () => {
    const who = await person()
    expect(who.tenants).to.deep.equal([])
    expect(claimsOf(who.accessToken)).to.not.have.any.keys('org_id', 'tenant-id', 'role')
    const needed = await ask('GET', '/resources/count', { token: who.accessToken })
    expect([needed.status, needed.body.code]).to.deep.equal([403, 'organization_required'])
    const made = await ask('POST', '/organisations', { token: who.accessToken, body: { name: 'First' } })
    expect([made.status, Object.keys(made.body.data)]).to.deep.equal([201, ['id', 'name', 'createdAt']])
    const orgId = made.body.data.id as string
    expect((await ask('GET', '/resources/count', { token: who.accessToken, orgId })).status).to.equal(200)
    const again = await login(who.email)
    expect(again.tenants).to.deep.equal([{ id: orgId, name: 'First' }])
    expect((await ask('GET', '/resources/count', { token: again.accessToken })).status).to.equal(200)
    expect(claimsOf((await active(again, orgId)).accessToken)['tenant-id']).to.equal(orgId)
  })

  it('show another organization by X-Org-Id to its members alone [AUTH-28] [S-31]', async () => {
    const [ana, ben] = [await founder('A'), await founder('B')]
    const mine = await ask('GET', '/organisations', { token: ana.accessToken, orgId: ana.orgId })
    expect(mine.body.data).to.deep.equal([
      { id: ana.orgId, name: 'A', roleID: 'owner', isClosed: false, deletesAt: null },
    ])
    for (const orgId of [ben.orgId, 'x', `${ana.orgId}, ${ben.orgId}`, '../../etc', "' or 1=1 --"]) {
      const { status: code, body } = await ask('GET', '/resources/count', { token: ana.accessToken, orgId })
      expect([code, body.code], orgId).to.deep.equal([403, 'not_a_member'])
    }
  })
})
