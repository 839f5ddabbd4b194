import { createHmac, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { authorizationUrl } from '#http/identity/provider/oidc-client.ts'
import { OidcConnection } from '#http/identity/provider/oidc-entity.ts'
import { toVouchedPerson } from '#http/identity/provider/oidc.ts'
import { oidcSecretSealed } from '#http/identity/sealed-columns.ts'
import { tokens } from '#config/wiring/tokens.ts'
import {
  begun,
  cameBack,
  clientID,
  clientSecret,
  connected,
  exchanged,
  oidcOf,
  openIdWorld,
  putOidc,
  type OpenIdWorld,
} from '#test/harness/openid.ts'
import { advance, ask, claimsOf, founder, resetClock } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { deepIt, sample } from '#test/harness/tier.ts'
import { bentIssuer, ready, type Bent } from '#test/http/identity/oidc-issuer.ts'
import { pairOf, part, seconds, signed } from '#test/http/identity/social-provider.ts'

let w: OpenIdWorld
let bent: Bent

/** A sign-in at a provider that answers at once: what the product leads to. */
async function tried(answer: Record<string, string> = {}) {
  const begin = await begun(w)
  await ready(bent, new URL(begin.redirectURL).searchParams.get('nonce')!)
  const query = new URLSearchParams({ code: 'c', state: begin.state, ...answer })
  return { begin, ...(await cameBack(`${w.redirectURI}?${query.toString()}`)) }
}
const outcome = async (answer?: Record<string, string>): Promise<string> => {
  const { said } = await tried(answer)
  return said['error'] ?? 'let in'
}
/** An issuer of its own for one test, right until it is bent. */
async function fresh(): Promise<void> {
  bent = await bentIssuer(`eva@${w.domain}`)
  await connected(w, bent.issuer)
}

describe('an ID token of an OpenID provider', () => {
  before(async () => void (w = await openIdWorld()))
  beforeEach(fresh)
  afterEach(resetClock)

  it('is taken when all of it is right, and the code is exchanged with the verifier of the challenge', async () => {
    const { said, begin } = await tried()
    const { status, body } = await exchanged(said['code']!, begin.codeVerifier)
    expect([status, body.data.user.email]).to.deep.equal([200, `eva@${w.domain}`])
    const { code_verifier: verifier, ...sent } = Object.fromEntries(bent.sent[0]!)
    expect(sent).to.deep.equal({ grant_type: 'authorization_code', code: 'c', redirect_uri: w.redirectURI })
    expect(verifier).to.match(/^[\w-]{43}$/)
    expect(begin.redirectURL).to.not.include(verifier!)
  })

  it('is taken within a minute of the difference between the clocks', async () => {
    bent.idToken = (nonce) => signed(bent.claims(nonce, { iat: seconds() - 300, exp: seconds() - 30 }), bent.pair)
    expect(await outcome()).to.equal('let in')
    bent.idToken = (nonce) => signed(bent.claims(nonce, { iat: seconds() + 30, nbf: seconds() + 30 }), bent.pair)
    expect(await outcome()).to.equal('let in')
  })

  it('is signed by a key of the provider alone: not by none, nor by the secret that both know', async () => {
    bent.idToken = (nonce) => `${part({ alg: 'none' })}.${part(bent.claims(nonce))}.`
    expect(await outcome(), 'none').to.equal('id_token_algorithm')
    const hmac = (key: string) => (nonce: string) => {
      const text = `${part({ alg: 'HS256', kid: bent.pair.kid })}.${part(bent.claims(nonce))}`
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    for (const [name, key] of Object.entries({ secret: clientSecret, 'public key': JSON.stringify(bent.pair.jwk) })) {
      bent.idToken = hmac(key)
      expect(await outcome(), name).to.equal('id_token_algorithm')
    }
  })

  it('is not signed so either where the document of the provider offers it', async () => {
    bent.document = { id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'] }
    bent.idToken = (nonce) => `${part({ alg: 'none' })}.${part(bent.claims(nonce))}.`
    expect(await outcome()).to.equal('id_token_algorithm')
    bent.idToken = (nonce) => {
      const text = `${part({ alg: 'HS256' })}.${part(bent.claims(nonce))}`
      return `${text}.${createHmac('sha256', clientSecret).update(text).digest('base64url')}`
    }
    expect(await outcome()).to.equal('id_token_algorithm')
  })

  it('that was changed, or signed by somebody else, is refused', async () => {
    const other = await pairOf()
    bent.idToken = (nonce) => signed(bent.claims(nonce), { ...other, kid: bent.pair.kid })
    expect(await outcome(), 'another key of the same name').to.equal('id_token_signature')
    bent.idToken = (nonce) => signed(bent.claims(nonce), other)
    expect(await outcome(), 'a key of another name').to.equal('id_token_key')
    bent.idToken = async (nonce) => {
      const [head, , signature] = (await signed(bent.claims(nonce), bent.pair)).split('.')
      return `${head}.${part(bent.claims(nonce, { email: `admin@${w.domain}` }))}.${signature}`
    }
    expect(await outcome(), 'changed').to.equal('id_token_signature')
  })

  it('is taken at once when the provider has turned over its keys, and the old key no more', async () => {
    expect(await outcome()).to.equal('let in')
    const [old, next] = [bent.pair, await pairOf()]
    bent.keys.splice(0, 1, next.jwk)
    bent.pair = next
    expect(await outcome(), 'the next').to.equal('let in')
    bent.pair = old
    expect(await outcome(), 'the old one').to.equal('id_token_key')
  })

  it('without the address has it told by the provider, of the same person alone', async () => {
    bent.document = { userinfo_endpoint: `${bent.issuer}/userinfo` }
    bent.idToken = (nonce) => signed(bent.claims(nonce, { email: undefined, email_verified: undefined }), bent.pair)
    bent.userInfo = { sub: 'subject-1', email: `eva@${w.domain}`, email_verified: true }
    expect(await outcome()).to.equal('let in')
    bent.userInfo = { sub: 'subject-2', email: `eva@${w.domain}`, email_verified: true }
    expect(await outcome()).to.equal('id_token_subject')
  })

  it('is read by the claims that the organization names', async () => {
    const { emailVerifiedClaim } = { emailVerifiedClaim: 'xms_edov' }
    await putOidc(w, oidcOf(w.domain, bent.issuer, { emailClaim: 'upn', emailVerifiedClaim, nameClaim: 'called' }))
    const told = {
      email: undefined,
      email_verified: undefined,
      upn: `Kim@${w.domain}`,
      xms_edov: '1',
      called: 'K\0im\n',
    }
    bent.idToken = (nonce) => signed(bent.claims(nonce, { ...told, sub: randomUUID() }), bent.pair)
    const { said, begin } = await tried()
    const { body } = await exchanged(said['code']!, begin.codeVerifier)
    expect(body.data.user).to.deep.equal({ email: `kim@${w.domain}`, name: 'Kim' })
  })

  it('names nobody by an address alone: two subjects of one address are one person, as with SAML', async () => {
    const subjects: unknown[] = []
    for (const sub of [randomUUID(), randomUUID()]) {
      bent.idToken = (nonce) => signed(bent.claims(nonce, { sub }), bent.pair)
      const { said, begin } = await tried()
      const { body } = await exchanged(said['code']!, begin.codeVerifier)
      subjects.push(claimsOf(body.data.accessToken)['sub'])
    }
    expect(subjects[0]).to.equal(subjects[1])
  })
})

describe('an ID token with claims that are wrong', () => {
  before(async () => {
    w = await openIdWorld()
    await fresh()
  })

  const claims: Readonly<Record<string, readonly [code: string, more: () => object]>> = {
    'of another issuer': ['id_token_issuer', () => ({ iss: 'https://evil.example' })],
    'for another client': ['id_token_audience', () => ({ aud: 'another-client' })],
    'for two clients, given to the other': ['id_token_audience', () => ({ aud: [clientID, 'b'], azp: 'b' })],
    'for us, given to another client': ['id_token_audience', () => ({ azp: 'b' })],
    'of another sign-in': ['id_token_nonce', () => ({ nonce: 'another' })],
    'that is over': ['id_token_expired', () => ({ iat: seconds() - 600, exp: seconds() - 61 })],
    'that is not good yet': ['id_token_expired', () => ({ nbf: seconds() + 120 })],
    'of a time to come': ['id_token_expired', () => ({ iat: seconds() + 120, exp: seconds() + 600 })],
    'without an end': ['id_token_invalid', () => ({ exp: undefined })],
    'without a subject': ['id_token_invalid', () => ({ sub: undefined })],
    'without a nonce': ['id_token_invalid', () => ({ nonce: undefined })],
    'without an address': ['email_missing', () => ({ email: undefined })],
    'with an address that is none': ['email_missing', () => ({ email: 'eva' })],
    'with two addresses in one': ['email_missing', () => ({ email: `eva@${w.domain}@evil.example` })],
    'with a NUL in its address': ['email_missing', () => ({ email: `e\0va@${w.domain}` })],
    'with a NUL in its subject': ['id_token_subject', () => ({ sub: 'a\0b' })],
    'with an address that is not verified': ['email_not_verified', () => ({ email_verified: false })],
    'with an address of which nothing is said': ['email_not_verified', () => ({ email_verified: undefined })],
    'with an address at another domain': ['domain_not_proved', () => ({ email: 'eva@elsewhere.example' })],
    'with an address at a domain below': ['domain_not_proved', () => ({ email: `eva@sub.${w.domain}` })],
  }
  /** In `npm test` what is refused by another rule than these. */
  const alike = [
    'that is not good yet',
    'without a subject',
    'without a nonce',
    'with an address that is none',
    'with an address at a domain below',
  ]
  for (const [what, [code, more]] of Object.entries(claims)) {
    const isIt = alike.includes(what) ? deepIt : it
    isIt(`${what} is refused with ${code}`, async () => {
      bent.idToken = (nonce) => signed(bent.claims(nonce, more()), bent.pair)
      expect(await outcome()).to.equal(code)
    })
  }
})

describe('an answer of an OpenID provider', () => {
  before(async () => void (w = await openIdWorld()))
  beforeEach(fresh)
  afterEach(resetClock)

  it('to nothing that was begun, or long ago, leads nowhere', async () => {
    for (const query of ['', '?code=c', '?code=c&state=x', `?error=access_denied&state=${'x'.repeat(43)}`]) {
      const { status, said } = await cameBack(`${w.redirectURI}${query}`)
      expect([status, said['code']], query).to.deep.equal([401, 'invalid_state'])
    }
    const begin = await begun(w)
    await advance(601)
    const late = await cameBack(`${w.redirectURI}?code=c&state=${begin.state}`)
    expect([late.status, late.said['code']]).to.deep.equal([401, 'invalid_state'])
  })

  it('leads to our application alone, whatever else it asks for', async () => {
    const more = { redirect_uri: 'https://evil.example', redirect: 'https://evil.example', next: '//evil.example' }
    const { status, at, said } = await tried(more)
    expect([status, at]).to.deep.equal([303, `${w.url}/console/`])
    expect(Object.keys(said)).to.deep.equal(['code', 'state'])
  })

  it('that names another issuer is refused [RFC 9207]', async () => {
    expect(await outcome({ iss: 'https://evil.example' })).to.equal('issuer_mismatch')
    expect(await outcome({ iss: bent.issuer })).to.equal('let in')
    bent.document = { authorization_response_iss_parameter_supported: true }
    await fresh()
    bent.document = { authorization_response_iss_parameter_supported: true }
    expect(await outcome(), 'that names none').to.equal('issuer_mismatch')
  })

  it('is refused with a code while the provider answers nonsense', async () => {
    const answers: Readonly<Record<string, object>> = {
      'not an answer': { json: 'x' },
      'a failure': { status: 500, json: {} },
      'a page': { json: '<html>', headers: { 'content-type': 'text/html' } },
      'another place': { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      'too much': { json: 'x'.repeat(300_000) },
    }
    for (const [name, answer] of sample(Object.entries(answers))) {
      bent.instead = (path) => (path === '/token' ? (answer as never) : undefined)
      expect(await outcome(), name).to.equal('upstream_failed')
    }
    bent.instead = (path) => (path === '/jwks' ? { status: 503 } : undefined)
    expect(await outcome(), 'keys away').to.equal('upstream_failed')
  })

  it('is given a minute for the code, in which its person may leave', async () => {
    const { said, begin } = await tried()
    await advance(61)
    expect((await exchanged(said['code']!, begin.codeVerifier)).body.code).to.equal('invalid_credentials')
  })
})

describe('the document of an OpenID provider', () => {
  before(async () => void (w = await openIdWorld()))
  beforeEach(fresh)

  const initiated = async () => {
    const { status, body } = await ask('POST', '/auth/oidc/initiate', { body: { email: `eva@${w.domain}` } })
    return `${status} ${body.code ?? ''}`.trim()
  }

  it('of another issuer is refused', async () => {
    bent.document = { issuer: 'https://evil.example' }
    expect(await initiated()).to.equal('422 issuer_mismatch')
  })

  it('that sends people to what is no page is refused', async () => {
    bent.document = { authorization_endpoint: 'javascript:alert(1)' }
    expect(await initiated()).to.equal('502 upstream_failed')
  })

  it('that lists its algorithms by what is no list is refused', async () => {
    bent.document = { id_token_signing_alg_values_supported: 'none' }
    expect(await initiated()).to.equal('502 upstream_failed')
  })

  it('is asked for once in a while, however often people come', async () => {
    expect([await initiated(), await initiated(), await initiated()]).to.deep.equal(['200', '200', '200'])
    expect(bent.site.asked).to.deep.equal(['/.well-known/openid-configuration'])
  })

  it('and all that it names lead into no private network, unless the operator allows it', async () => {
    const identity = (await testProduct()).product.get(tokens.identity)
    const tools = { ...identity, allowPrivate: false }
    const row = (issuer: string): OidcConnection =>
      ({
        orgId: w.orgId,
        issuer,
        clientId: clientID,
        scopes: ['openid'],
        sealed: identity.seal(oidcSecretSealed, w.orgId, 's'),
      }) as OidcConnection
    const asked = { redirectUri: w.redirectURI, scopes: ['openid'], state: 's', nonce: 'n', verifier: 'v', email: 'e' }
    for (const issuer of ['https://127.0.0.1:1', 'https://10.0.0.1', 'https://169.254.169.254', 'https://[::1]:1']) {
      const error = await authorizationUrl(tools, row(issuer), asked).catch((caught: unknown) => caught)
      expect(error, issuer).to.be.instanceOf(Fault)
      expect(error, issuer).to.include({ code: 'address_refused' })
    }
  })
})

describe('the OpenID provider of an organization', () => {
  before(async () => void (w = await openIdWorld()))

  it('is shown without its secret, which is sealed and stays until another is given', async () => {
    const issuer = 'https://idp.example.com'
    const { status, body } = await putOidc(w, oidcOf(w.domain, issuer))
    expect([status, JSON.stringify(body).includes(clientSecret)]).to.deep.equal([200, false])
    const { domains, createdAt, updatedAt, ...shown } = body.data
    expect(shown).to.deep.equal({
      issuer,
      clientID,
      scopes: ['openid', 'email', 'profile'],
      emailClaim: 'email',
      emailVerifiedClaim: 'email_verified',
      nameClaim: 'name',
      emailDomains: [w.domain],
      enabled: true,
      redirectURI: w.redirectURI,
    })
    expect([domains[0].status, createdAt]).to.deep.equal(['pending', updatedAt])
    const { clientSecret: _, ...same } = oidcOf(w.domain, issuer)
    expect((await putOidc(w, { ...same, enabled: false })).status).to.equal(200)
    const { em, open } = (await testProduct()).product.get(tokens.identity)
    const row = await em().findOneOrFail(OidcConnection, { orgId: w.orgId })
    expect([row.sealed.includes(clientSecret), open(oidcSecretSealed, w.orgId, row.sealed)]).to.deep.equal([
      false,
      clientSecret,
    ])
    expect(() => open(oidcSecretSealed, randomUUID(), row.sealed), 'of another organization').to.throw()
    const elsewhere = await putOidc(w, { ...same, issuer: 'https://evil.example' })
    expect([elsewhere.status, elsewhere.body.errors[0].name], 'told to another').to.deep.equal([400, '/clientSecret'])
  })

  it('is set by admins, as it should be, and is 404 to everybody else', async () => {
    const wrong: Readonly<Record<string, object>> = {
      '/issuer': { issuer: 'idp.example.com' },
      '/scopes': { scopes: ['email'] },
      '/emailDomains/0': { emailDomains: ['not a domain'] },
      '/emailClaim': { emailClaim: 'an email' },
    }
    for (const [name, more] of Object.entries(wrong)) {
      const { status, body } = await putOidc(w, oidcOf(w.domain, 'https://idp.example.com', more))
      expect([status, body.errors?.[0].name], name).to.deep.equal([400, name])
    }
    const other = await founder()
    const path = `/organisations/${w.orgId}/oidc`
    expect((await ask('GET', path, { token: other.accessToken })).body.code).to.equal('not_found')
  })

  it('is removed with the domains it alone had, and both are written down', async () => {
    const { body } = await ask('GET', '/security-events?type=oidc_changed', { token: w.accessToken })
    expect(body.data.items.at(-1).detail).to.deep.equal({
      issuer: 'https://idp.example.com',
      clientID,
      emailDomains: w.domain,
      enabled: 'true',
      clientSecret: 'given',
    })
    const path = `/organisations/${w.orgId}/oidc`
    expect((await ask('DELETE', path, { token: w.accessToken })).status).to.equal(204)
    expect((await ask('GET', path, { token: w.accessToken })).status).to.equal(404)
    const removed = await ask('GET', '/security-events?type=oidc_removed', { token: w.accessToken })
    expect(removed.body.data.items).to.have.length(1)
  })
})

describe('what an OpenID provider says of a person', () => {
  const row = {
    orgId: 'o',
    issuer: 'i',
    emailClaim: 'email',
    emailVerifiedClaim: 'v',
    nameClaim: 'name',
  } as OidcConnection

  it('is read once it says in one of the usual ways that the address is verified', () => {
    const read = (v: unknown) => toVouchedPerson(row, { sub: 's', email: ' Eva@A.example ', v, name: ' ' })
    const expected = { orgId: 'o', issuer: 'oidc:o:i', subject: 's', email: 'eva@a.example', name: 'eva@a.example' }
    for (const said of [true, 'true', 1, '1']) expect(read(said), String(said)).to.deep.equal(expected)
    for (const said of [false, 'false', 0, '0', null, undefined, 'yes', {}, [true]])
      expect(() => read(said), JSON.stringify(said)).to.throw('verified')
  })

  it('is refused where it cannot be kept, or reads as somebody else', () => {
    const read = (more: object) => toVouchedPerson(row, { sub: 's', email: 'eva@a.example', v: true, ...more })
    for (const email of [
      'a,eva@a.example',
      '\u212Aim@a.example',
      'eva\ud800@a.example',
      `${'x'.repeat(250)}@a.example`,
    ])
      expect(() => read({ email }), email).to.throw('email address')
    for (const sub of ['x'.repeat(257), 's\ud800', 's\0']) expect(() => read({ sub }), sub).to.throw('subject')
    expect(read({ sub: 'x'.repeat(256), name: `${'x'.repeat(99)}😀` }).name).to.equal(`${'x'.repeat(99)}\ufffd`)
  })
})
