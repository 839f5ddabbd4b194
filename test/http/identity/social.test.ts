import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { UserIdentity } from '#http/identity/entity.ts'
import { asService } from '#http/store/tenant.ts'
import { address, ask, claimsOf, codeFor, password, person } from '#test/harness/people.ts'

import {
  tools,
  logIn,
  refusal,
  bad,
  away,
  userOf,
  type Site,
  opened,
  pairOf,
  issuer,
  seconds,
  part,
  signed,
  google,
} from '#test/http/identity/social-provider.ts'

describe('sign-in by an ID token', () => {
  it('makes a confirmed user, and the same one is found again [AUTH-18]', async () => {
    const { social, claims, pair } = await issuer()
    const email = address()
    const said = claims(email)
    const first = await logIn(social, google(await signed({ ...said, email: email.toUpperCase() }, pair)))
    expect([first.user, first.tenants]).to.deep.equal([{ email, name: 'Gea' }, []])
    expect((await ask('GET', '/organisations', { token: first.accessToken })).status).to.equal(200)
    const user = await userOf(email)
    expect([user!.passwordHash, user!.emailVerifiedAt instanceof Date]).to.deep.equal([null, true])
    const moved = { ...said, aud: ['other', 'our-app'], azp: 'our-app', email: address() }
    const second = await logIn(social, google(await signed(moved, pair)))
    expect(claimsOf(second.accessToken)['sub'], 'known by its subject').to.equal(user!.id)
    expect(claimsOf(second.accessToken)['sid']).to.not.equal(claimsOf(first.accessToken)['sid'])
  })

  it('is for the person who has the confirmed address [AUTH-18]', async () => {
    const { social, claims, pair } = await issuer()
    const { email, accessToken } = await person()
    const { accessToken: got } = await logIn(social, google(await signed(claims(email), pair)))
    expect(claimsOf(got)['sub']).to.equal(claimsOf(accessToken)['sub'])
    expect((await ask('POST', '/auth/login', { body: { provider: 'email', email, password } })).status).to.equal(200)
  })

  it('drops the password of somebody who signed up with the address and never confirmed it [AUTH-18]', async () => {
    const { social, claims, pair } = await issuer()
    const email = address()
    await ask('POST', '/auth/signup', { body: { email, password, name: 'Thief' } })
    const code = await codeFor(email)
    const { user } = await logIn(social, google(await signed(claims(email), pair)))
    expect(user).to.deep.equal({ email, name: 'Gea' })
    await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp: code } })
    expect((await ask('POST', '/auth/login', { body: { provider: 'email', email, password } })).status).to.equal(401)
  })

  it('takes ES256 too, and repeats of the nonce alone [AUTH-18]', async () => {
    const { social, claims, keys } = await issuer()
    const curve = await pairOf('ES256')
    keys.push(curve.jwk)
    const token = await signed({ ...claims(address()), nonce: 'n-1' }, curve, { alg: 'ES256' })
    expect(await refusal(social, google(token, { nonce: 'n-2' }))).to.equal(bad)
    expect(await refusal(social, google(token)), 'none asked').to.equal(bad)
    expect(await refusal(social, google(token, { nonce: 'n-1' }))).to.equal('let in')
    const without = await signed(claims(address()), curve, { alg: 'ES256' })
    expect(await refusal(social, google(without, { nonce: 'n-1' })), 'none in the token').to.equal(bad)
  })

  it('is refused for what is not for us, not of now, or not confirmed [AUTH-18]', async () => {
    const { social, claims, pair, url } = await issuer()
    const email = address()
    const wrong: Readonly<Record<string, object>> = {
      'another audience': { aud: 'another-client' },
      'no audience': { aud: undefined },
      'another issuer': { iss: 'https://accounts.google.com' },
      'the issuer with a slash': { iss: `${url}/` },
      'no issuer': { iss: undefined },
      expired: { iat: seconds() - 3700, exp: seconds() - 100 },
      'not yet valid': { nbf: seconds() + 3600 },
      'no exp': { exp: undefined },
      'no iat': { iat: undefined },
      'no sub': { sub: undefined },
      'a sub that is a number': { sub: 7 },
      'an address that is not confirmed': { email_verified: false },
      'an address of which nothing is said': { email_verified: undefined },
      'confirmed as text': { email_verified: 'true' },
      'no address': { email: undefined },
      'an address that is a list': { email: [email] },
    }
    for (const [name, change] of Object.entries(wrong)) {
      const token = await signed({ ...claims(email), ...change }, pair)
      expect(await refusal(social, google(token)), name).to.equal(bad)
    }
    expect(await userOf(email)).to.equal(null)
    expect(await refusal(social, google(await signed(claims(email), pair))), 'without a change').to.equal('let in')
  })

  it('is refused for what the issuer has not signed [AUTH-18]', async () => {
    const { social, claims, pair, keys } = await issuer()
    const said = claims(address())
    const other = await pairOf()
    const right = await signed(said, pair)
    const [head, , signature] = right.split('.')
    const hs = `${part({ alg: 'HS256', kid: pair.kid })}.${part(said)}`
    const mac = (secret: string) => `${hs}.${createHmac('sha256', secret).update(hs).digest('base64url')}`
    const forged: Readonly<Record<string, string>> = {
      unsigned: `${part({ alg: 'none' })}.${part(said)}.`,
      'unsigned, with our kid': `${part({ alg: 'none', kid: pair.kid })}.${part(said)}.${signature}`,
      'HS256 by the published key': mac(JSON.stringify(keys[0])),
      'HS256 by the client id': mac('our-client'),
      'another key under its kid': await signed(said, { ...other, kid: pair.kid }),
      'a key that is not published': await signed(said, other),
      'another payload': `${head}.${part({ ...said, email: address() })}.${signature}`,
      'an own key in the header': await signed(said, { ...other, kid: pair.kid }, { jwk: other.jwk }),
      'no token': 'x',
      'two dots': '..',
    }
    expect(await refusal(social, google(right)), 'without a change').to.equal('let in')
    for (const [name, token] of Object.entries(forged)) {
      expect(await refusal(social, google(token)), name).to.equal(bad)
    }
  })

  it('asks no server that a token names [AUTH-18]', async () => {
    const { social, claims, pair, asked } = await issuer()
    const other = await pairOf()
    const thief = await opened(() => ({ json: { keys: [other.jwk] } }))
    for (const header of [{ jku: `${thief.url}/jwks` }, { x5u: `${thief.url}/chain` }]) {
      expect(await refusal(social, google(await signed(claims(address()), other, header)))).to.equal(bad)
      expect(await refusal(social, google(await signed({ ...claims(address()), iss: thief.url }, other)))).to.equal(bad)
    }
    expect(await refusal(social, google(await signed(claims(address()), pair)))).to.equal('let in')
    expect(thief.asked).to.deep.equal([])
    expect(asked, 'once for all').to.deep.equal(['/.well-known/openid-configuration', '/jwks'])
  })

  it('fetches keys again for one it does not know, half a minute after the last time [AUTH-18]', async () => {
    const { social, claims, pair, keys, asked } = await issuer()
    expect(await refusal(social, google(await signed(claims(address()), pair)))).to.equal('let in')
    const next = await pairOf()
    keys.splice(0, 1, next.jwk)
    expect(await refusal(social, google(await signed(claims(address()), next))), 'too soon').to.equal(bad)
    const { now } = Date
    try {
      Date.now = () => now() + 31_000
      expect(await refusal(social, google(await signed(claims(address()), next)))).to.equal('let in')
      expect(await refusal(social, google(await signed(claims(address()), pair))), 'taken back').to.equal(bad)
    } finally {
      Date.now = now
    }
    expect(asked.filter((path) => path === '/jwks').length).to.equal(2)
  })

  it('says that the issuer is away, and asks it again the next time', async () => {
    let isUp = false
    const pair = await pairOf()
    const site: Site = await opened((request) => {
      if (!isUp) return { status: 500 }
      return {
        json: request.url === '/jwks' ? { keys: [pair.jwk] } : { issuer: site.url, jwks_uri: `${site.url}/jwks` },
      }
    })
    const social = { googleIssuer: site.url, googleClientIds: ['our-client'] }
    const said = { iss: site.url, aud: 'our-client', sub: 's', email: address(), email_verified: true }
    const token = await signed({ ...said, iat: seconds(), exp: seconds() + 60 }, pair)
    expect(await refusal(social, google(token))).to.equal(away)
    isUp = true
    expect(await refusal(social, google(token))).to.equal('let in')
    expect(await refusal({ ...social, googleIssuer: 'http://127.0.0.1:9' }, google(token))).to.equal(away)
  })

  it('does not go where the issuer sends it on to', async () => {
    const thief = await opened(() => ({ json: {} }))
    const site = await opened(() => ({ status: 302, headers: { location: `${thief.url}/` } }))
    const social = { googleIssuer: site.url, googleClientIds: ['our-client'] }
    expect(await refusal(social, google('a.b.c'))).to.equal(away)
    expect(thief.asked).to.deep.equal([])
  })

  it('does not believe a configuration that is of another issuer', async () => {
    const pair = await pairOf()
    const site: Site = await opened((request) => ({
      json:
        request.url === '/jwks'
          ? { keys: [pair.jwk] }
          : { issuer: 'https://other.example', jwks_uri: `${site.url}/jwks` },
    }))
    const said = { iss: 'https://other.example', aud: 'c', sub: 's', email: address(), email_verified: true }
    const token = await signed({ ...said, iat: seconds(), exp: seconds() + 60 }, pair)
    expect(await refusal({ googleIssuer: site.url, googleClientIds: ['c'] }, google(token))).to.equal(away)
  })

  it('is one user when ten come at once for the first time [AUTH-18]', async () => {
    const { social, claims, pair } = await issuer()
    const said = claims(address())
    const token = await signed(said, pair)
    const answers = await Promise.all(Array.from({ length: 10 }, () => refusal(social, google(token))))
    expect(answers).to.deep.equal(Array.from({ length: 10 }, () => 'let in'))
    const known = await asService(async () => (await tools()).em().count(UserIdentity, { subject: said.sub }))
    expect(known).to.equal(1)
  })
})
