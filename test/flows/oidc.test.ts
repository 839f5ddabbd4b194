import { expect } from 'chai'
import {
  begun,
  Browser,
  cameBack,
  connected,
  exchanged,
  openIdProvider,
  openIdWorld,
  putOidc,
  oidcOf,
  signInAt,
  type OpenId,
  type OpenIdWorld,
} from '#test/harness/openid.ts'
import { ask, claimsOf, founder, person } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('sign-in by OpenID Connect, at a provider that is one', () => {
  let w: OpenIdWorld
  let idp: OpenId
  before(async () => {
    w = await openIdWorld()
    idp = await openIdProvider([w.redirectURI])
    idp.accounts.set('eva', { sub: 'eva', email: `eva@${w.domain}`, email_verified: true, name: 'Eva' })
    idp.accounts.set('tom', { sub: 'tom', email: `tom@${w.domain}`, email_verified: false })
    await connected(w, idp.issuer)
  })
  after(() => idp?.close())

  const signedIn = async (name: string) => {
    const begin = await begun(w, name)
    const { said } = await cameBack(await signInAt(begin.redirectURL, name, w.redirectURI))
    return { begin, said }
  }
  const tokensOf = async (name: string) => {
    const { begin, said } = await signedIn(name)
    const { status, body } = await exchanged(said['code']!, begin.codeVerifier)
    expect(status, JSON.stringify([said, body])).to.equal(200)
    return body.data as { accessToken: string; refreshToken: string; tenants: object[]; user: object }
  }

  it('asks by code, PKCE, state and nonce, for what was set', async () => {
    const { redirectURL, state } = await begun(w)
    const { origin, searchParams } = new URL(redirectURL)
    const { code_challenge: challenge, nonce, ...asked } = Object.fromEntries(searchParams)
    expect(origin).to.equal(idp.issuer)
    expect(asked).to.deep.equal({
      client_id: 'tidemark',
      code_challenge_method: 'S256',
      login_hint: `eva@${w.domain}`,
      redirect_uri: w.redirectURI,
      response_type: 'code',
      scope: 'openid email profile',
      state,
    })
    for (const secret of [challenge, nonce, state]) expect(secret).to.match(/^[\w-]{43}$/)
  })

  it('gives tokens: a new person is a viewer of that organization alone, by the name the provider gives', async () => {
    const { accessToken, tenants, user } = await tokensOf('eva')
    expect([tenants, user]).to.deep.equal([
      [{ id: w.orgId, name: 'Signs in by OpenID' }],
      { email: `eva@${w.domain}`, name: 'Eva' },
    ])
    const { org_id: orgId, role, amr } = claimsOf(accessToken)
    expect([orgId, role, amr]).to.deep.equal([w.orgId, 'viewer', ['fed', 'oidc']])
    const own = await ask('POST', '/organisations', { token: accessToken, body: { name: 'Own' } })
    expect([own.status, own.body.code]).to.deep.equal([403, 'forbidden'])
    const { body } = await ask('GET', `/security-events?type=login`, { token: w.accessToken })
    expect(body.data.items[0]).to.deep.include({ email: `eva@${w.domain}`, detail: { method: 'oidc' } })
  })

  it('is good for its organization alone, though the person is in another', async () => {
    const ben = await person(`ben@${w.domain}`)
    const made = await ask('POST', '/organisations', { token: ben.accessToken, body: { name: 'Of Ben' } })
    idp.accounts.set('ben', { sub: 'ben', email: ben.email, email_verified: true })
    const { accessToken: token, refreshToken } = await tokensOf('ben')
    expect(claimsOf(token)['sub']).to.equal(claimsOf(ben.accessToken)['sub'])
    const orgId = made.body.data.id as string
    const there = await ask('GET', '/resources/count', { token, orgId })
    const refreshed = await ask('POST', '/auth/refresh', { body: { refreshToken, tenantID: orgId } })
    expect([there.body.code, refreshed.body.code]).to.deep.equal(['not_a_member', 'not_a_member'])
  })

  it('is refused for an address that the provider has not verified', async () => {
    const { said, begin } = await signedIn('tom')
    expect(said).to.deep.equal({ error: 'email_not_verified', state: begin.state })
  })

  it('knows a person by what the provider calls them: another address is the same account', async () => {
    const first = claimsOf((await tokensOf('eva')).accessToken)['sub']
    idp.accounts.set('eva', { sub: 'eva', email: `eva.new@${w.domain}`, email_verified: true, name: 'Eva' })
    expect(claimsOf((await tokensOf('eva')).accessToken)['sub']).to.equal(first)
    idp.accounts.set('eva', { sub: 'eva', email: `eva@elsewhere.example`, email_verified: true, name: 'Eva' })
    expect((await signedIn('eva')).said['error'], 'at a domain that is not proved').to.equal('domain_not_proved')
    idp.accounts.set('eva', { sub: 'eva', email: `eva@${w.domain}`, email_verified: true, name: 'Eva' })
  })

  it('takes what comes back once, and its own code once', async () => {
    const begin = await begun(w)
    const address = await signInAt(begin.redirectURL, 'eva', w.redirectURI)
    const first = await cameBack(address)
    expect([first.status, first.at, first.said['state']]).to.deep.equal([303, `${w.url}/console/`, begin.state])
    const again = await cameBack(address)
    expect([again.status, again.said['code']]).to.deep.equal([401, 'invalid_state'])
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchanged(first.said['code']!, begin.codeVerifier)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 401, 401, 401, 401])
  })

  it('gives nothing to another browser, whatever it has seen of the addresses', async () => {
    const begin = await begun(w)
    const { said } = await cameBack(await signInAt(begin.redirectURL, 'eva', w.redirectURI))
    for (const stolen of [undefined, begin.state, 'x'.repeat(43)]) {
      const begunThere = await begun(w)
      const other = await cameBack(await signInAt(begunThere.redirectURL, 'eva', w.redirectURI))
      const { status, body } = await exchanged(other.said['code']!, stolen)
      expect([status, body.code]).to.deep.equal([401, 'sign_in_not_begun_here'])
      expect((await exchanged(other.said['code']!, begunThere.codeVerifier)).status, 'used up').to.equal(401)
    }
    expect((await exchanged(said['code']!, begin.codeVerifier)).status).to.equal(200)
  })

  it('does not take the provider’s code of another sign-in: it is bound by PKCE and nonce', async () => {
    const [theirs, ours] = [await begun(w), await begun(w)]
    const stolen = new URL(await signInAt(theirs.redirectURL, 'eva', w.redirectURI))
    stolen.searchParams.set('state', ours.state)
    const { said } = await cameBack(stolen.href)
    expect(said).to.deep.equal({ error: 'code_refused', state: ours.state })
  })

  it('leads on with why, where the person called it off at the provider', async () => {
    const begin = await begun(w)
    const browser = new Browser()
    const page = await browser.follow(begin.redirectURL, w.redirectURI)
    const back = await browser.follow(`${page}/abort`, w.redirectURI)
    const { said } = await cameBack(back)
    expect(said).to.deep.equal({ error: 'provider_refused', state: begin.state })
    const wanted = 'provider_refused: access_denied'
    const reasons = async (): Promise<string[]> => {
      const { body } = await ask('GET', '/security-events?type=login_failed', { token: w.accessToken })
      return body.data.items.map(({ detail }: { detail: Record<string, string> }) => detail['reason'])
    }
    await until('the refusal to be written down', async () => (await reasons()).includes(wanted))
  })

  it('ends at once when the provider is switched off, and people are let in by it no more', async () => {
    const { accessToken: token } = await tokensOf('eva')
    const begin = await begun(w)
    const address = await signInAt(begin.redirectURL, 'eva', w.redirectURI)
    expect((await putOidc(w, { ...oidcOf(w.domain, idp.issuer), enabled: false })).status).to.equal(200)
    expect((await ask('GET', '/resources/count', { token })).body.code).to.equal('invalid_token')
    expect((await cameBack(address)).said['code'], 'on its way').to.equal('invalid_state')
    const none = await ask('POST', '/auth/oidc/initiate', { body: { email: `eva@${w.domain}` } })
    expect([none.status, none.body.code]).to.deep.equal([404, 'not_found'])
    await connected(w, idp.issuer)
    await tokensOf('eva')
  })

  it('says that our secret is wrong, and takes the right one again', async () => {
    await putOidc(w, oidcOf(w.domain, idp.issuer, { clientSecret: 'wrong' }))
    expect((await signedIn('eva')).said['error']).to.equal('client_refused')
    await connected(w, idp.issuer)
    await tokensOf('eva')
  })

  it('mixes up no two organizations at the same provider: each has people and an answer of its own', async () => {
    const other = await openIdWorld()
    const shared = await openIdProvider([w.redirectURI, other.redirectURI])
    shared.accounts.set('eva', { sub: 'eva', email: `eva@${w.domain}`, email_verified: true })
    try {
      await connected(w, shared.issuer)
      await connected(other, shared.issuer)
      const begin = await begun(other)
      const back = await signInAt(begin.redirectURL, 'eva', other.redirectURI)
      expect((await cameBack(back)).said['error'], 'ours at their organization').to.equal('domain_not_proved')
      const theirs = await begun(other)
      const address = await signInAt(theirs.redirectURL, 'eva', other.redirectURI)
      const crossed = address.replace(other.orgId, w.orgId)
      expect((await cameBack(crossed)).said['error'], 'answered for another').to.equal('issuer_mismatch')
      await tokensOf('eva')
    } finally {
      await shared.close()
      await connected(w, idp.issuer)
    }
  })

  deepIt('says so while the provider is away, and goes on once it is back', async () => {
    const gone = await openIdProvider([w.redirectURI])
    gone.accounts.set('eva', { sub: 'eva', email: `eva@${w.domain}`, email_verified: true })
    const port = Number(new URL(gone.issuer).port)
    await connected(w, gone.issuer)
    const begin = await begun(w)
    const address = await signInAt(begin.redirectURL, 'eva', w.redirectURI)
    await gone.close()
    expect((await cameBack(address)).said, 'before its code was exchanged').to.deep.equal({
      error: 'upstream_failed',
      state: begin.state,
    })
    const never = await openIdWorld()
    await connected(never, 'http://127.0.0.1:9')
    const refused = await ask('POST', '/auth/oidc/initiate', { body: { email: `eva@${never.domain}` } })
    expect([refused.status, refused.body.code]).to.deep.equal([502, 'upstream_failed'])
    // It has other keys now, and has forgotten what it gave.
    const back = await openIdProvider([w.redirectURI], { port })
    back.accounts.set('eva', { sub: 'eva', email: `eva@${w.domain}`, email_verified: true })
    try {
      await tokensOf('eva')
    } finally {
      await back.close()
      await connected(w, idp.issuer)
    }
  })

  it('is at one provider: SAML and OpenID Connect are not switched on together', async () => {
    const alone = await founder('Both')
    const { certificatePEM } = await import('#test/harness/certificate.ts')
    const domain = `${alone.orgId.slice(0, 8)}.example`
    const saml = { entityID: 'idp', ssoURL: 'https://idp.example', certificatePEM, emailDomains: [domain] }
    const put = (kind: string, body: object) =>
      ask('PUT', `/organisations/${alone.orgId}/${kind}`, { token: alone.accessToken, body })
    expect((await put('saml', saml)).status).to.equal(200)
    const both = await put('oidc', oidcOf(domain, idp.issuer))
    expect([both.status, both.body.code]).to.deep.equal([409, 'other_provider_enabled'])
    expect((await put('saml', { ...saml, enabled: false })).status).to.equal(200)
    expect((await put('oidc', oidcOf(domain, idp.issuer))).status).to.equal(200)
    expect((await put('saml', saml)).body.code).to.equal('other_provider_enabled')
  })
})
