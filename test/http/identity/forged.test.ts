import { createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { allowInsecureRequests, discovery } from 'openid-client'
import { t } from '#engine/value/schema.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import type { Identity } from '#http/identity/index.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { testProduct } from '#test/harness/product.ts'
import { ask, claimsOf, founder, person, resetClock } from '#test/harness/people.ts'
import { served } from '#test/http/serving.ts'

type Json = Record<string, unknown>

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const seconds = () => Math.floor(Date.now() / 1000)

function rs256(header: unknown, claims: unknown, key: KeyObject, hash = 'sha256'): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${sign(hash, Buffer.from(signed), key).toString('base64url')}`
}

function hs256(header: unknown, claims: unknown, secret: string | Buffer): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** Who is forged, by what key tokens are really signed, and the key of the one who forges. */
interface World {
  identity: Identity
  orgId: string
  key: KeyObject
  header: Json
  claims: Json
  jwk: Json
  pem: string
  own: { key: KeyObject; jwk: Json }
  /** Where the forger publishes keys. */
  url: string
}

const identityNow = async () => (await testProduct()).product.get(tokens.identity)

async function worldOf(url: string): Promise<World> {
  const identity = await identityNow()
  const { accessToken, orgId } = await founder('Forged')
  const { kid, key } = await identity.keys.signer()
  const jwk = (await identity.keys.published()).find((one) => one.kid === kid)! as unknown as Json
  const pem = (await identity.keys.verifier(kid))!.export({ type: 'spki', format: 'pem' }) as string
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    identity,
    orgId,
    key,
    header: { alg: 'RS256', typ: 'at+jwt', kid },
    claims: claimsOf(accessToken),
    jwk,
    pem,
    own: { key: pair.privateKey, jwk: { ...pair.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } },
    url,
  }
}

/** Signed by our own key, but for what `claims` and `header` change. */
const ours = (w: World, claims: Json, header: Json = {}) =>
  rs256({ ...w.header, ...header }, { ...w.claims, ...claims }, w.key)
/** Signed by the forger's key. */
const theirs = (w: World, header: Json) => rs256({ ...w.header, ...header }, w.claims, w.own.key)
const unsigned = (w: World, alg: unknown, signature = '') =>
  `${part({ ...w.header, alg })}.${part(w.claims)}.${signature}`
const signatureOf = (w: World) => ours(w, {}).split('.')[2]!

const confused = (w: World, secret: string | Buffer) => hs256({ ...w.header, alg: 'HS256' }, w.claims, secret)

const forgeries: Readonly<Record<string, (w: World) => string>> = {
  'alg none': (w) => unsigned(w, 'none'),
  'alg None': (w) => unsigned(w, 'None'),
  'alg NONE': (w) => unsigned(w, 'NONE'),
  'alg nOnE': (w) => unsigned(w, 'nOnE'),
  'alg none with a signature': (w) => unsigned(w, 'none', signatureOf(w)),
  'no alg': (w) => unsigned(w, undefined, signatureOf(w)),
  'alg as a list': (w) => unsigned(w, ['RS256', 'none'], signatureOf(w)),
  'alg null': (w) => unsigned(w, null),
  'RS256 without a signature': (w) => unsigned(w, 'RS256'),
  'HS256 by the public PEM': (w) => confused(w, w.pem),
  'HS256 by the public PEM without its last newline': (w) => confused(w, w.pem.trim()),
  'HS256 by the public JWK': (w) => confused(w, JSON.stringify(w.jwk)),
  'HS256 by the modulus': (w) => confused(w, Buffer.from(String(w.jwk['n']), 'base64url')),
  'HS256 by nothing': (w) => confused(w, ''),
  'an HS256 signature under RS256': (w) => hs256(w.header, w.claims, w.pem),
  'RS512 by our own key': (w) => rs256({ ...w.header, alg: 'RS512' }, w.claims, w.key, 'sha512'),
  'an unknown kid': (w) => theirs(w, { kid: randomUUID() }),
  'an unknown kid under our own key': (w) => ours(w, {}, { kid: randomUUID() }),
  'no kid': (w) => ours(w, {}, { kid: undefined }),
  'an empty kid': (w) => ours(w, {}, { kid: '' }),
  'a kid that is a path': (w) => theirs(w, { kid: '../../../../dev/null' }),
  'a kid that is a path, by an empty secret': (w) =>
    hs256({ ...w.header, alg: 'HS256', kid: '../../dev/null' }, w.claims, ''),
  'a kid that is SQL': (w) => theirs(w, { kid: `' or '1'='1` }),
  'a kid that is SQL with a union': (w) => theirs(w, { kid: `x' union select 'secret'; --` }),
  'a kid with a NUL': (w) => theirs(w, { kid: 'a\u0000b' }),
  'a kid that is very long': (w) => theirs(w, { kid: 'k'.repeat(4_000) }),
  'a kid that is a list': (w) => ours(w, {}, { kid: [w.header['kid']] }),
  'a kid that is an object': (w) => ours(w, {}, { kid: { $ne: '' } }),
  'a kid that is a number': (w) => theirs(w, { kid: 0 }),
  'a kid that every object has': (w) => theirs(w, { kid: 'constructor' }),
  'a jku of the forger': (w) => theirs(w, { jku: `${w.url}/jwks.json` }),
  'an x5u of the forger': (w) => theirs(w, { x5u: `${w.url}/chain.pem` }),
  'a jwk of the forger': (w) => theirs(w, { jwk: w.own.jwk }),
  'an x5c of the forger': (w) => theirs(w, { x5c: ['MIIB'] }),
  'our kid under the key of another': (w) => theirs(w, {}),
  'one that expired a second ago': (w) => ours(w, { iat: seconds() - 901, nbf: seconds() - 901, exp: seconds() - 1 }),
  'nbf in an hour': (w) => ours(w, { nbf: seconds() + 3600, exp: seconds() + 4500 }),
  'iat in an hour': (w) => ours(w, { iat: seconds() + 3600, exp: seconds() + 4500 }),
  'another audience': (w) => ours(w, { aud: 'another-api' }),
  'no audience': (w) => ours(w, { aud: undefined }),
  'another issuer': (w) => ours(w, { iss: 'https://accounts.google.com' }),
  'our issuer with a slash more': (w) => ours(w, { iss: `${String(w.claims['iss'])}/` }),
  'no issuer': (w) => ours(w, { iss: undefined }),
  'no exp': (w) => ours(w, { exp: undefined }),
  'exp as text': (w) => ours(w, { exp: String(seconds() + 900) }),
  'no iat': (w) => ours(w, { iat: undefined }),
  'no nbf': (w) => ours(w, { nbf: undefined }),
  'no sub': (w) => ours(w, { sub: undefined }),
  'an empty sub': (w) => ours(w, { sub: '' }),
  'no sid': (w) => ours(w, { sid: undefined }),
  'a sid that is a list': (w) => ours(w, { sid: [w.claims['sid']] }),
  'the sid of nobody': (w) => ours(w, { sid: randomUUID() }),
  'a sid that is SQL': (w) => ours(w, { sid: `' or true --` }),
  'the sub of another': (w) => ours(w, { sub: randomUUID() }),
  'typ JWT': (w) => ours(w, {}, { typ: 'JWT' }),
  'typ of an ID token': (w) => ours(w, { nonce: 'n', aud: 'tidemark-api' }, { typ: 'id_token' }),
  'no typ': (w) => ours(w, {}, { typ: undefined }),
  'a payload that was changed': (w) => {
    const [head, , signature] = ours(w, {}).split('.')
    return `${head}.${part({ ...w.claims, role: 'owner', org_id: randomUUID() })}.${signature}`
  },
  'a header that was changed': (w) => {
    const [, payload, signature] = ours(w, {}).split('.')
    return `${part({ ...w.header, x: 1 })}.${payload}.${signature}`
  },
  'a signature with one bit changed': (w) => {
    const [head, payload, signature] = ours(w, {}).split('.')
    const bytes = Buffer.from(signature!, 'base64url')
    bytes[10]! ^= 1
    return `${head}.${payload}.${bytes.toString('base64url')}`
  },
  'a signature that was cut': (w) => ours(w, {}).slice(0, -20),
  'two parts': (w) => ours(w, {}).split('.').slice(0, 2).join('.'),
  'four parts': (w) => `${ours(w, {})}.x`,
  'a payload that is a list': (w) => rs256(w.header, [w.claims], w.key),
  'a payload that is null': (w) => rs256(w.header, 'null', w.key),
  'a payload that is no JSON': (w) => rs256(w.header, 'x', w.key),
  'a payload that is no JSON under typ JWT': (w) => rs256({ ...w.header, typ: 'JWT' }, 'x', w.own.key),
  'a header that is no JSON': (w) => rs256('x', w.claims, w.key),
  'a header that is null': (w) => rs256('null', w.claims, w.key),
}

describe('forged access tokens', () => {
  let world: World
  let server: Server
  let asked = 0

  before(async () => {
    server = createServer((_request, response) => {
      asked++
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ keys: [world.own.jwk] }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    world = await worldOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  after(() => server.close())

  it('are told from a right one by what they change alone', async () => {
    const right = await ask('GET', '/organisations', { token: ours(world, {}) })
    expect(right.body.data).to.deep.equal([
      { id: world.orgId, name: 'Forged', roleID: 'owner', isClosed: false, deletesAt: null },
    ])
  })

  for (const [name, forge] of Object.entries(forgeries)) {
    it(`are refused: ${name} [AUTH-21]`, async () => {
      const { status, headers, body } = await ask('GET', '/organisations', { token: forge(world) })
      expect([status, body.code, headers.get('www-authenticate')]).to.deep.equal([401, 'invalid_token', 'Bearer'])
    })
  }

  it('make us fetch nothing from the addresses they name', () => {
    expect(asked).to.equal(0)
  })
})

describe('tokens of our own services', () => {
  let secret: string
  const inside = served(
    [
      route({
        method: 'GET',
        path: '/inside',
        summary: 'Inside',
        permission: 'internal',
        reply: t.String(),
        handle: async ({ caller }) => caller.principal,
      }),
    ],
    {
      caller: async (...about) =>
        tokenScope((await identityNow()).authenticator, () => ({}) as Services).caller(...about),
      services: () => ({}) as Services,
    },
  )
  const answer = async (token: string) => {
    const response = await inside.get('/inside', { authorization: `Bearer ${token}` })
    const { data, code } = (await response.json()) as { data?: string; code?: string }
    return [response.status, data ?? code]
  }
  const signed = (claims: Json, by = secret, header: Json = { alg: 'HS256', typ: 'JWT' }) =>
    hs256(header, { svc: 'scheduler', aud: 'tidemark-internal', iat: seconds(), exp: seconds() + 300, ...claims }, by)

  before(async () => {
    secret = (await identityNow()).secretFor('internal-token').toString('base64')
  })

  it('open what is internal', async () => {
    expect(await answer(internalToken(secret, 'scheduler', new Date()))).to.deep.equal([200, 'svc:scheduler'])
    expect(await answer(signed({}))).to.deep.equal([200, 'svc:scheduler'])
  })

  it('open no route of people [AUTH-21]', async () => {
    const { orgId } = await founder()
    for (const path of ['/organisations', '/resources/count', '/members']) {
      const { status, body } = await ask('GET', path, { token: internalToken(secret, 'scheduler', new Date(), orgId) })
      expect([status, body.code], path).to.deep.equal([403, 'forbidden'])
    }
  })

  it('are asked for where people come with theirs [AUTH-21]', async () => {
    const { accessToken } = await founder()
    expect(await answer(accessToken)).to.deep.equal([403, 'forbidden'])
  })

  it('are refused when they are old, forged or not whole [AUTH-21]', async () => {
    const { jwk, key } = { jwk: await identityNow(), key: generateKeyPairSync('rsa', { modulusLength: 2048 }) }
    const [published] = await jwk.keys.published()
    const refused: Readonly<Record<string, string>> = {
      expired: signed({ iat: seconds() - 200, exp: seconds() - 1 }),
      'older than five minutes, however long it says it is good': signed({
        iat: seconds() - 301,
        exp: seconds() + 900,
      }),
      'without svc': signed({ svc: undefined }),
      'with an empty svc': signed({ svc: '' }),
      'with a svc that is a list': signed({ svc: ['scheduler'] }),
      'without exp': signed({ exp: undefined }),
      'without iat': signed({ iat: undefined }),
      'from an hour ahead': signed({ iat: seconds() + 3600, exp: seconds() + 3900 }),
      'by another secret': signed({}, 'x'.repeat(44)),
      'by no secret': signed({}, ''),
      'by our public key': signed({}, JSON.stringify(published)),
      unsigned: `${part({ alg: 'none' })}.${part({ svc: 'x', aud: 'tidemark-internal', iat: seconds(), exp: seconds() + 9 })}.`,
      'by a key pair': rs256({ alg: 'RS256' }, { svc: 'x', aud: 'tidemark-internal', iat: seconds() }, key.privateKey),
      'for another audience': signed({ aud: 'tidemark-api' }),
    }
    for (const [name, token] of Object.entries(refused)) {
      expect(await answer(token), name).to.deep.equal([401, 'invalid_token'])
    }
  })
})

describe('keys of access tokens', () => {
  afterEach(resetClock)

  const status = async (token: string) => (await ask('GET', '/organisations', { token })).status

  it('are found by openid-client in our configuration, and jose takes what they signed [AUTH-11] [AUTH-12]', async () => {
    const { url } = await testProduct()
    const { accessToken } = await person()
    const found = await discovery(new URL(url), 'a-client', undefined, undefined, { execute: [allowInsecureRequests] })
    const { issuer, jwks_uri: keys } = found.serverMetadata()
    expect([issuer, keys]).to.deep.equal([url, `${url}/.well-known/jwks.json`])
    const { payload } = await jwtVerify(accessToken, createRemoteJWKSet(new URL(keys!)), {
      issuer,
      audience: 'tidemark-api',
      // The clock of the product was moved and set back, which leaves it a few milliseconds off.
      clockTolerance: 1,
    })
    expect(payload.sub).to.equal(claimsOf(accessToken)['sub'])
  })

  it('are two after a rotation, and what the older one signed stays good [AUTH-12] [AUTH-21]', async () => {
    const { keys } = await identityNow()
    const [old, unused] = [await person(), await person()]
    expect(await status(old.accessToken)).to.equal(200)
    const before = (await keys.signer()).kid
    const kid = await keys.rotate()
    const published = (await ask('GET', '/.well-known/jwks.json')).body.keys as { kid: string }[]
    expect(published.map((jwk) => jwk.kid)).to.deep.equal([kid, before])
    expect(Object.keys(published[0]!)).to.have.members(['kty', 'n', 'e', 'kid', 'use', 'alg'])
    expect([await status(old.accessToken), await status(unused.accessToken)]).to.deep.equal([200, 200])
    const next = await person()
    const header = JSON.parse(Buffer.from(next.accessToken.split('.')[0]!, 'base64url').toString()) as Json
    expect(header).to.deep.equal({ alg: 'RS256', typ: 'at+jwt', kid })
  })

  it('are taken back at once, also for tokens seen before, and refreshing goes on [AUTH-21]', async () => {
    const { keys } = await identityNow()
    const [used, unused] = [await person(), await person()]
    expect(await status(used.accessToken)).to.equal(200)
    const kid = await keys.rotate(true)
    const published = (await ask('GET', '/.well-known/jwks.json')).body.keys as { kid: string }[]
    expect(published.map((jwk) => jwk.kid)).to.deep.equal([kid])
    expect(await status(unused.accessToken), 'not seen before').to.equal(401)
    expect(await status(used.accessToken), 'seen before').to.equal(401)
    const { status: refreshed, body } = await ask('POST', '/auth/refresh', {
      body: { refreshToken: used.refreshToken },
    })
    expect(refreshed).to.equal(200)
    expect(await status(body.data.accessToken)).to.equal(200)
  })
})
