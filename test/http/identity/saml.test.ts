import { randomUUID } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { expect } from 'chai'
import { active, advance, ask, claimsOf, founder, person, resetClock } from '#test/harness/people.ts'
import { amount, deepIt, isDeep, sample } from '#test/harness/tier.ts'
import {
  exclusive,
  type Key,
  type Said,
  at,
  assertion,
  attributeOf,
  awaited,
  response,
  signed,
  signatureIn,
  keyOf,
  type World,
  worldOf,
  initiate,
  requested,
  said,
  post,
  codeOf,
  exchange,
  outcome,
  refused,
  tried,
  connection,
} from '#test/http/identity/saml-provider.ts'

const count = (answers: { status: number }[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length

describe('sign-in by SAML', () => {
  let world: World
  let other: Key
  /** Of another organization, with the key `other`. */
  let second: World
  before(async () => {
    const [key, another] = await Promise.all([keyOf('idp'), keyOf('other')])
    other = another
    world = await worldOf(key)
    second = await worldOf(another)
  })
  afterEach(resetClock)

  it('begins with a request for the provider of the address [AUTH-06]', async () => {
    const { status, body } = await initiate(`EVA@${world.domain.toUpperCase()}`)
    expect([status, Object.keys(body.data)]).to.deep.equal([200, ['redirectURL', 'state', 'codeVerifier']])
    const { origin, pathname, searchParams } = new URL(body.data.redirectURL as string)
    const asked = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest')!, 'base64')).toString()
    expect(asked).to.include(` ID="${body.data.state}"`)
    expect([origin, pathname, [...searchParams.keys()].toSorted()]).to.deep.equal([
      'https://idp.example',
      '/sso',
      ['RelayState', 'SAMLRequest', 'tenant'],
    ])
    const { xml } = await requested(world)
    expect(xml).to.include(`AssertionConsumerServiceURL="${world.url}/auth/saml/acs"`)
    expect(xml).to.include(`>${world.url}/auth/saml/metadata</`)
  })

  it('begins nowhere for a domain nobody has, or while it is switched off [AUTH-06]', async () => {
    const { status, body } = await initiate('eva@nowhere.example')
    expect([status, body.code]).to.deep.equal([404, 'not_found'])
    expect((await initiate(`eva@sub.${world.domain}`)).status).to.equal(404)
    const { id, relayState } = await requested(second)
    const put = (enabled: boolean) =>
      ask('PUT', `/organisations/${second.orgId}/saml`, {
        token: second.accessToken,
        body: { ...connection(second), enabled },
      })
    await put(false)
    expect((await initiate(`eva@${second.domain}`)).status).to.equal(404)
    const late = response(id, signed(assertion(said(second, id)), second.key))
    expect(await outcome(late, relayState)).to.equal(refused)
    await put(true)
    expect((await initiate(`eva@${second.domain}`)).status).to.equal(200)
  })

  it('says in its metadata who we are and where answers go', async () => {
    const { status, headers, body } = await ask<string>('GET', '/auth/saml/metadata')
    expect([status, headers.get('content-type')?.split(';')[0]]).to.deep.equal([200, 'application/samlmetadata+xml'])
    expect(body).to.match(/^<\?xml/)
    expect(body).to.include(`entityID="${world.url}/auth/saml/metadata"`)
    expect(body).to.match(new RegExp(`<AssertionConsumerService [^>]*Location="${world.url}/auth/saml/acs"`))
    expect(body).to.include('WantAssertionsSigned="true"')
  })

  it('gives tokens for a signed assertion: a new person is a viewer of that organization alone [AUTH-20]', async () => {
    const [w, nameID] = [world, `nia@${world.domain}`]
    const { id, relayState } = await requested(w)
    const answer = await post(response(id, signed(assertion(said(w, id, { nameID })), w.key)), relayState)
    const to = new URL(answer.headers.get('location')!)
    expect([answer.status, to.origin + to.pathname]).to.deep.equal([303, `${w.url}/console/`])
    expect([to.searchParams.get('state'), to.searchParams.size], 'of the request that it answers').to.deep.equal([
      id,
      2,
    ])
    const { status, body } = await exchange(codeOf(answer))
    expect([status, body.data.tenants, body.data.user.email]).to.deep.equal([
      200,
      [{ id: w.orgId, name: 'Signs in' }],
      nameID,
    ])
    const token = body.data.accessToken as string
    expect([claimsOf(token)['org_id'], claimsOf(token)['role']]).to.deep.equal([w.orgId, 'viewer'])
    const mine = await ask('GET', '/organisations', { token })
    expect(mine.body.data).to.deep.equal([
      { id: w.orgId, name: 'Signs in', roleID: 'viewer', isClosed: false, deletesAt: null },
    ])
    expect((await ask('GET', '/members', { token })).status).to.equal(403)
  })

  it('takes up the invitation of its organization, and of no other', async () => {
    const [w, curious] = [world, await founder('Curious')]
    const eva = await person(`ivy@${w.domain}`)
    for (const { accessToken: token } of [w, curious]) {
      const { status } = await ask('POST', '/members', { token, body: { email: eva.email, roleID: 'editor' } })
      expect(status).to.equal(201)
    }
    const statusIn = async ({ accessToken: token }: Pick<World, 'accessToken'>) =>
      (await ask('GET', '/members', { token })).body.data.find(({ email }: any) => email === eva.email).status
    const { id, relayState } = await awaited(w)
    const answer = await post(response(id, signed(assertion(said(w, id, { nameID: eva.email })), w.key)), relayState)
    const { accessToken: token, refreshToken } = (await exchange(codeOf(answer))).body.data
    expect([claimsOf(token)['org_id'], claimsOf(token)['role']]).to.deep.equal([w.orgId, 'editor'])
    const named = await ask('GET', '/resources/count', { token, orgId: curious.orgId })
    const refreshed = await ask('POST', '/auth/refresh', { body: { refreshToken, tenantID: curious.orgId } })
    expect([named.body.code, refreshed.body.code]).to.deep.equal(['not_a_member', 'not_a_member'])
    expect([await statusIn(w), await statusIn(curious)]).to.deep.equal(['active', 'invited'])
  })

  it('is good for its organization alone, though the person is in another [AUTH-20]', async () => {
    const w = world
    const eva = await person(`own@${w.domain}`)
    const made = await ask('POST', '/organisations', { token: eva.accessToken, body: { name: 'Own' } })
    const own = made.body.data.id as string
    expect((await ask('GET', '/resources/count', { token: eva.accessToken, orgId: own })).status).to.equal(200)
    const { id, relayState } = await awaited(w)
    const answer = await post(response(id, signed(assertion(said(w, id, { nameID: eva.email })), w.key)), relayState)
    const { body } = await exchange(codeOf(answer))
    const { accessToken: token, refreshToken, tenants } = body.data
    expect(claimsOf(token)['sub']).to.equal(claimsOf(eva.accessToken)['sub'])
    expect(tenants).to.deep.equal([{ id: w.orgId, name: 'Signs in' }])
    const results = [
      await ask('GET', '/resources/count', { token, orgId: own }),
      await ask('POST', '/auth/refresh', { body: { refreshToken, tenantID: own } }),
      await ask('POST', '/organisations', { token, body: { name: 'More' } }),
    ]
    expect(results.map((result) => [result.status, result.body.code])).to.deep.equal([
      [403, 'not_a_member'],
      [403, 'not_a_member'],
      [403, 'forbidden'],
    ])
    const next = await active({ ...eva, refreshToken }, w.orgId)
    expect((await ask('GET', '/resources/count', { token: next.accessToken, orgId: own })).status).to.equal(403)
    expect((await ask('GET', '/resources/count', { token: next.accessToken })).status).to.equal(200)
  })

  it('takes an assertion that is right, also in a signed response [AUTH-20]', async () => {
    expect(await tried(world)).to.equal(`eva@${world.domain}`)
    const { id, relayState } = await requested(world)
    const both = signed(response(id, signed(assertion(said(world, id)), world.key)), world.key, { first: true })
    expect(await outcome(both, relayState)).to.equal(`eva@${world.domain}`)
  })

  it('refuses what is not for us, not of now, or not for this request [AUTH-20]', async () => {
    const past = (await awaited(world)).id
    const wrong: Readonly<Record<string, Partial<Said>>> = {
      expired: { notOnOrAfter: at(-61) },
      'not yet valid': { notBefore: at(120) },
      'another audience': { audience: 'https://other.example' },
      'another recipient': { recipient: 'https://other.example/auth/saml/acs' },
      'no recipient': { recipient: undefined },
      'an answer to another request': { inResponseTo: past },
      'an answer to nothing': { inResponseTo: undefined },
      'another domain': { nameID: 'eva@other.example' },
      'a domain below': { nameID: `eva@sub.${world.domain}` },
      'two addresses in one': { nameID: `eva@${world.domain}@evil.example` },
      'an empty name': { nameID: '' },
      'another provider': { issuer: 'https://idp.example/another' },
      'another version': { version: '1.1' },
      'a name of the assertion that is too long': { id: `_${'x'.repeat(256)}` },
      'another way to confirm': { method: 'holder-of-key' },
      'a session that has ended': {
        statement: `<saml:AuthnStatement AuthnInstant="${at(-900)}" SessionNotOnOrAfter="${at(-61)}"/>`,
      },
      'an attribute for the name': { nameID: '', attributes: attributeOf('nameID', `eva@${world.domain}`) },
      ...(isDeep && {
        'expired long ago': { notBefore: at(-7200), notOnOrAfter: at(-3600) },
        'without an end': { notOnOrAfter: undefined },
        'no audience': { audience: undefined },
        'an answer to no request of ours': { inResponseTo: '_made-up' },
        'a domain that ends alike': { nameID: `eva@evil${world.domain}` },
        'no address': { nameID: 'eva' },
      }),
    }
    const got: Record<string, string> = {}
    for (const [name, more] of Object.entries(wrong)) got[name] = await tried(world, more)
    expect(got).to.deep.equal(Object.fromEntries(Object.keys(wrong).map((name) => [name, refused])))
  })

  it('refuses what the provider has not signed [AUTH-20]', async () => {
    const { id, relayState } = await awaited(world)
    expect(await outcome(response(id, assertion(said(world, id))), relayState), 'unsigned').to.equal(refused)
    expect(await tried(world, {}, other), 'another key').to.equal(refused)
    const again = await awaited(world)
    const right = signed(assertion(said(world, again.id)), world.key)
    const changed = right.replace(`>eva@${world.domain}<`, `>adm@${world.domain}<`)
    expect(await outcome(response(again.id, changed), again.relayState), 'changed').to.equal(refused)
    const third = await awaited(world)
    const whole = signed(response(third.id, assertion(said(world, third.id))), world.key, { first: true })
    expect(await outcome(whole, third.relayState), 'the response alone').to.equal(refused)
  })

  it('reads the one digest and the one list of what is signed that the provider signed [AUTH-20]', async () => {
    const digest = (xml: string) => /<DigestValue>([^<]+)</.exec(xml)![1]!
    const list = (xml: string) => /<SignedInfo>[\s\S]*<\/SignedInfo>/.exec(xml)![0]
    const forge: Readonly<Record<string, (right: string, wrong: string) => string>> = {
      'a digest in a comment before': (right, wrong) => right.replace('<DigestValue>', `$&<!--${digest(wrong)}-->`),
      'a digest in a comment behind': (right, wrong) => right.replace('</DigestValue>', `<!--${digest(wrong)}-->$&`),
      'a second digest': (right, wrong) =>
        right.replace('<DigestValue>', `<DigestValue>${digest(wrong)}</DigestValue>$&`),
      'another list before': (right, wrong) => right.replace('<SignedInfo>', `${list(wrong)}$&`),
      'another list behind': (right, wrong) => right.replace('</SignedInfo>', `$&${list(wrong)}`),
      'another list alone': (right, wrong) => right.replace(list(right), list(wrong)),
    }
    for (const [name, change] of sample(Object.entries(forge))) {
      const { id, relayState } = await awaited(world)
      const s = said(world, id)
      const admin = { ...s, nameID: `admin@${world.domain}` }
      const right = signatureIn(signed(assertion(s), world.key))
      const wrong = signatureIn(signed(assertion(admin), other))
      expect(await outcome(response(id, assertion(admin, change(right, wrong))), relayState), name).to.equal(refused)
    }
  })

  it('refuses an answer to no request, and one without its organization [AUTH-20]', async () => {
    const { id, relayState } = await awaited(world)
    const right = signed(assertion(said(world, id)), world.key)
    expect(await outcome(response(undefined, right), relayState)).to.equal(refused)
    expect(await outcome(response('_made-up', right), relayState)).to.equal(refused)
    expect(await outcome(response(id, right), '')).to.equal(refused)
    expect(await outcome(response(id, right), randomUUID())).to.equal(refused)
  })

  it('refuses the provider of another organization [AUTH-20]', async () => {
    const w = second
    const { id, relayState } = await awaited(world)
    const theirs = signed(assertion(said(world, id, { issuer: w.entityID })), w.key)
    expect(await outcome(response(id, theirs), relayState)).to.equal(refused)
    expect(await outcome(response(id, theirs), w.orgId), 'by its own organization').to.equal(refused)
    expect(await tried(w, { nameID: `eva@${world.domain}` }), 'our domain').to.equal(refused)
  })

  it('takes an answer once, an assertion once, and a code once [AUTH-20]', async () => {
    const { id, relayState } = await awaited(world)
    const s = said(world, id)
    const xml = response(id, signed(assertion(s), world.key))
    const first = await post(xml, relayState)
    expect(first.status).to.equal(303)
    expect(await outcome(xml, relayState), 'the answer again').to.equal(refused)
    const again = await awaited(world)
    const same = signed(assertion({ ...s, inResponseTo: again.id }), world.key)
    expect(await outcome(response(again.id, same), again.relayState), 'the assertion again').to.equal(refused)
    const code = codeOf(first)
    const all = amount(4, 10, 10)
    const answers = await Promise.all(Array.from({ length: all }, () => exchange(code)))
    expect([count(answers, 200), count(answers, 401)]).to.deep.equal([1, all - 1])
    expect((await exchange(code)).body.code).to.equal('invalid_credentials')
    expect((await exchange({ token: randomUUID() })).status).to.equal(401)
  })

  it('ends in the page that began it, and in no other: the code is used up [AUTH-20]', async () => {
    for (const wrong of sample(['another', '', undefined])) {
      const { id, relayState } = await awaited(world)
      const right = codeOf(await post(response(id, signed(assertion(said(world, id)), world.key)), relayState))
      const elsewhere = { token: right.token, ...(wrong !== undefined && { codeVerifier: wrong }) }
      const { status, body } = await exchange(elsewhere)
      expect([status, body.code], wrong).to.deep.equal([401, 'sign_in_not_begun_here'])
      expect((await exchange(right)).body.code, wrong).to.equal('invalid_credentials')
    }
  })

  it('refuses what the provider did not call a success, and says so [AUTH-20]', async () => {
    const status = (...codes: string[]) =>
      codes.reduceRight(
        (inside, code) =>
          `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}">${inside}</samlp:StatusCode>`,
        '',
      )
    const failed = `<samlp:Status>${status('Responder', 'AuthnFailed')}</samlp:Status>`
    const all: [string, string][] = [
      [failed, '401 provider_refused'],
      [`<samlp:Status>${status('Requester', 'Success')}</samlp:Status>`, '401 provider_refused'],
      [`<samlp:Status>${status('Success')}${status('Responder')}</samlp:Status>`, '401 provider_refused'],
      ['<samlp:Status/>', refused],
      ['', refused],
    ]
    for (const [one, wanted] of all) {
      const { id, relayState } = await awaited(world)
      const right = signed(assertion(said(world, id)), world.key)
      expect(await outcome(response(id, right, { status: one }), relayState), one).to.equal(wanted)
    }
    const { id, relayState } = await awaited(world)
    expect(await outcome(response(id, '', { status: failed }), relayState)).to.equal('401 provider_refused')
  })

  it('refuses signatures and digests of SHA-1, of the response too [AUTH-20]', async () => {
    const [signature, digest] = ['rsa-sha1', 'sha1'].map((name) => `http://www.w3.org/2000/09/xmldsig#${name}`)
    const ways: Readonly<Record<string, { inner?: object; outer?: object }>> = {
      'the signature of the assertion': { inner: { signature } },
      'the digest of the assertion': { inner: { digest } },
      'the signature of the response': { outer: { signature } },
      'the digest of the response': { outer: { digest } },
    }
    for (const [name, { inner, outer }] of Object.entries(ways)) {
      const { id, relayState } = await awaited(world)
      const xml = response(id, signed(assertion(said(world, id)), world.key, inner))
      const whole = outer ? signed(xml, world.key, { first: true, ...outer }) : xml
      expect(await outcome(whole, relayState), name).to.equal('401 weak_signature')
    }
    const { id, relayState } = await awaited(world)
    const sha512 = 'http://www.w3.org/2001/04/xmlenc#sha512'
    const strong = { signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', digest: sha512 }
    const xml = response(id, signed(assertion(said(world, id)), world.key, strong))
    expect(await outcome(xml, relayState)).to.equal(`eva@${world.domain}`)
  })

  it('takes an answer once of several at the same time [AUTH-20]', async () => {
    const { id, relayState } = await awaited(world)
    const xml = response(id, signed(assertion(said(world, id)), world.key))
    const all = amount(4, 10, 10)
    const answers = await Promise.all(Array.from({ length: all }, () => post(xml, relayState)))
    expect([count(answers, 303), count(answers, 401)]).to.deep.equal([1, all - 1])
  })

  deepIt('makes one user of a person who comes five times at once [AUTH-20]', async () => {
    const nameID = `new@${world.domain}`
    const got = await Promise.all(Array.from({ length: 5 }, () => tried(world, { nameID })))
    expect(got).to.deep.equal(Array.from({ length: 5 }, () => nameID))
  })

  it('gives a minute for the code and ten for the provider [AUTH-20]', async () => {
    const { id, relayState } = await awaited(world)
    const answer = await post(response(id, signed(assertion(said(world, id)), world.key)), relayState)
    await advance(61)
    expect((await exchange(codeOf(answer))).status).to.equal(401)
    await resetClock()
    const late = await awaited(world)
    await advance(601)
    const xml = response(late.id, signed(assertion(said(world, late.id)), world.key))
    expect(await outcome(xml, late.relayState)).to.equal(refused)
  })

  it('never reads less of a name than was signed [AUTH-20]', async () => {
    const cases = [exclusive, `${exclusive}WithComments`].flatMap((c14n) =>
      ['<!-- -->', '<!---->', '<![CDATA[]]>'].map((cut) => ({ c14n, cut })),
    )
    for (const { c14n, cut } of sample(cases)) {
      const got = await tried(world, { nameID: `admin@${world.domain}${cut}.evil.example` }, world.key, c14n)
      expect(got, `${cut} ${c14n}`).to.equal(refused)
    }
  })

  it('adds nothing to what was signed by a comment in it [AUTH-20]', async () => {
    const nameID = `admin@${world.domain}.evil.example`
    for (const cut of sample(['<!---->', '<?cut?>', '<![CDATA[]]>', '<x/>'])) {
      const { id, relayState } = await awaited(world)
      const right = signed(assertion(said(world, id, { nameID })), world.key)
      const split = right.replace('.evil.example', `${cut}.evil.example`)
      expect(await outcome(response(id, split), relayState), cut).to.equal(refused)
    }
  })

  it('refuses document types and entities [AUTH-20]', async () => {
    const types = [
      '<!DOCTYPE r [<!ENTITY e "x">]>',
      '<!doctype r>',
      '<!DOCTYPE r SYSTEM "file:///etc/passwd">',
      '<?xml version="1.0"?>\n<!DOCTYPE\nr [<!ENTITY % e SYSTEM "http://127.0.0.1:9/"> %e;]>',
    ]
    for (const type of sample(types)) {
      const { id, relayState } = await awaited(world)
      const xml = type + response(id, signed(assertion(said(world, id)), world.key))
      expect(await outcome(xml, relayState), type).to.equal(refused)
    }
    const { id, relayState } = await awaited(world)
    const xml = response(id, signed(assertion(said(world, id)), world.key)).replace(`>eva@`, '>&e;@')
    expect(await outcome(xml, relayState)).to.equal(refused)
  })

  it('refuses what is no answer of a provider, and never breaks on it', async () => {
    const { id, relayState } = await awaited(world)
    const odd = [
      '',
      'x',
      '<',
      '<a/>',
      '<a>',
      '{}',
      '\u0000',
      '<samlp:Response/>',
      response(id, ''),
      `${response(id, '')}<b/>`,
    ]
    for (const xml of sample(odd, 4)) {
      const { status } = await post(xml, relayState)
      expect(status, xml).to.be.within(400, 401)
    }
    const deep = `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`
    expect((await post(response(id, deep), relayState)).status).to.equal(401)
  })
})
