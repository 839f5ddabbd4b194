import { expect } from 'chai'
import { LoginCode } from '#http/identity/provider/entity.ts'
import { dropLinks, makeLinkToken } from '#http/identity/session/sign-in-link.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import { asService } from '#http/store/tenant.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { browser, refused } from '#test/harness/browser-session.ts'
import { shownBy, withDevice } from '#test/harness/device.ts'
import { advance, ask, claimsOf, founder, password, person, resetClock, type Founder } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'

const minuteMs = 60_000
const identity = async () => (await testProduct()).product.get(tokens.identity)

async function linkFor({ userId, orgId }: Pick<Founder, 'userId' | 'orgId'>, goodMs = 15 * minuteMs): Promise<string> {
  const { em, now } = await identity()
  const expiresAt = new Date(now().getTime() + goodMs)
  return asService(() => em().transactional((tx) => makeLinkToken(tx, { userId, orgId, expiresAt })))
}

const eventsOf = async ({ accessToken: token }: Pick<Founder, 'accessToken'>, type: string) =>
  (await ask('GET', `/security-events?type=${type}`, { token })).body.data.items as any[]

describe('a link that signs in', () => {
  afterEach(resetClock)

  it('begins a session of a browser, once, and the sign-in is written down', async () => {
    const ana = await founder('By link')
    const token = await linkFor(ana)
    const page = await browser()
    const { status, body } = await page.post('/link', { token })
    const { accessToken, ...rest } = body.data
    expect([status, rest]).to.deep.equal([
      200,
      {
        user: { email: ana.email, name: 'Ana' },
        tenants: [{ id: ana.orgId, name: 'By link' }],
        orgID: ana.orgId,
        expiresIn: 900,
      },
    ])
    expect(page.token).to.match(/^[A-Za-z0-9_-]{43}$/)
    expect(claimsOf(accessToken)['amr']).to.deep.equal(['user'])
    const [shown] = (await ask('GET', '/auth/sessions', { token: accessToken })).body.data
    expect([shown.method, shown.current, shown.secondFactor]).to.deep.equal(['link', true, false])
    const [event] = await eventsOf(ana, 'login')
    expect([event.userID, event.email, event.detail]).to.deep.equal([ana.userId, ana.email, { method: 'link' }])
    expect((await page.post('/refresh', {})).body.data.orgID).to.equal(ana.orgId)
    const again = await (await browser()).post('/link', { token })
    expect([refused(again), again.headers.get('set-cookie')]).to.deep.equal(['401 invalid_link', null])
    expect(again.body.detail).to.equal(
      'The link is wrong, expired or already used. An operator can create a new one with the command: tidemark console.',
    )
  })

  it('lets in one of ten that bring it at once', async () => {
    const ana = await founder()
    const token = await linkFor(ana)
    const pages = await Promise.all(Array.from({ length: 10 }, () => browser()))
    const answers = await Promise.all(pages.map((page) => page.post('/link', { token })))
    const codes = answers.map(({ status, body }) => String(body.code ?? status)).toSorted((a, b) => a.localeCompare(b))
    expect(codes).to.deep.equal(['200', ...Array.from({ length: 9 }, () => 'invalid_link')])
    expect((await eventsOf(ana, 'login')).filter(({ detail }) => detail.method === 'link')).to.have.length(1)
  })

  it('is good for as long as it was made for, to the second', async () => {
    const ana = await founder()
    const [one, other] = [await linkFor(ana), await linkFor(ana)]
    await advance(14 * 60)
    expect((await (await browser()).post('/link', { token: one })).status).to.equal(200)
    await advance(60)
    expect(refused(await (await browser()).post('/link', { token: other }))).to.equal('401 invalid_link')
  })

  it('is kept as its hash alone, and is no code of SAML', async () => {
    const ana = await founder()
    const token = await linkFor(ana)
    const rows = await asService(async () => (await identity()).em().find(LoginCode, { userId: ana.userId }))
    expect(rows.map(({ hash, purpose, orgId }) => [hash, purpose, orgId])).to.deep.equal([
      [hashOf(token), 'link', ana.orgId],
    ])
    expect(JSON.stringify(rows)).to.not.include(token)
    const asCode = await (await browser()).post('/login', { provider: 'saml', token })
    expect(refused(asCode)).to.equal('401 invalid_credentials')
    expect((await (await browser()).post('/link', { token })).status, 'not used up').to.equal(200)
    for (const wrong of ['x', 'x'.repeat(43), `${token}x`, hashOf(token)])
      expect(refused(await (await browser()).post('/link', { token: wrong })), wrong).to.equal('401 invalid_link')
  })

  it('opens the organization it was made for, while its person is there', async () => {
    const ana = await founder('First')
    const made = await ask('POST', '/organisations', { token: ana.accessToken, body: { name: 'Second' } })
    const orgId = made.body.data.id as string
    const opened = async (where: string) => {
      const token = await linkFor({ ...ana, orgId: where })
      return (await (await browser()).post('/link', { token })).body.data.orgID as string
    }
    expect(await opened(orgId)).to.equal(orgId)
    const other = await founder('Of others')
    expect(await opened(other.orgId)).to.equal(ana.orgId)
    expect(await opened('')).to.equal(ana.orgId)
  })

  it('asks for the second factor of who has one, and is used up by asking', async () => {
    const ana = await founder()
    const device = await withDevice(ana)
    const token = await linkFor(ana)
    const page = await browser()
    const asked = await page.post('/link', { token })
    expect([refused(asked), page.token]).to.deep.equal(['403 mfa_required', ''])
    expect(refused(await page.post('/link', { token }))).to.equal('401 invalid_link')
    const answer = { challenge: asked.body.challenge as string, code: await shownBy(device) }
    const { status, body } = await page.post('/login/totp', answer)
    expect([status, claimsOf(body.data.accessToken)['amr']]).to.deep.equal([200, ['user', 'otp', 'mfa']])
  })

  it('opens no organization that demands a second factor, until one is enrolled', async () => {
    const ana = await founder()
    const ben = await person()
    await ask('POST', '/members', { token: ana.accessToken, body: { email: ben.email, roleID: 'viewer' } })
    await ask('POST', '/auth/refresh', { body: { refreshToken: ben.refreshToken, tenantID: ana.orgId } })
    await withDevice(ana)
    const path = `/organisations/${ana.orgId}/settings`
    const demanded = await ask('PATCH', path, { token: ana.accessToken, body: { requireSecondFactor: true } })
    expect(demanded.status).to.equal(200)
    const token = await linkFor({ userId: claimsOf(ben.accessToken)['sub'] as string, orgId: ana.orgId })
    const { data } = (await (await browser()).post('/link', { token })).body
    const closed = await ask('GET', '/resources/count', { token: data.accessToken })
    expect(refused(closed)).to.equal('403 second_factor_required')
    expect((await ask('GET', '/auth/me', { token: data.accessToken })).status, 'what one needs to enroll').to.equal(200)
  })

  it('ends with a new password, and where it is taken back', async () => {
    const ana = await founder()
    const [changed, replaced] = [await linkFor(ana), await linkFor(ana)]
    const { em } = await identity()
    expect(await asService(async () => dropLinks(em(), ana.userId))).to.equal(2)
    for (const token of [changed, replaced])
      expect(refused(await (await browser()).post('/link', { token }))).to.equal('401 invalid_link')
    const last = await linkFor(ana)
    const newPassword = 'another good password'
    const body = { currentPassword: password, newPassword }
    expect((await ask('POST', '/auth/password/change', { token: ana.accessToken, body })).status).to.equal(200)
    expect(refused(await (await browser()).post('/link', { token: last }))).to.equal('401 invalid_link')
  })
})
