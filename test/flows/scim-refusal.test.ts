import { expect } from 'chai'
import { ask, colleague, founder } from '#test/harness/people.ts'
import { tenant } from '#test/harness/product.ts'
import { amount } from '#test/harness/tier.ts'
import {
  addressIn,
  directory,
  entraUser,
  eventsOf,
  madeBy,
  patchOf,
  refusalOf,
  scimBy,
  scimJson,
  scimToken,
  urnUser,
  type Directory,
} from '#test/harness/scim.ts'

const urnError = 'urn:ietf:params:scim:api:messages:2.0:Error'
let d: Directory
const address = () => addressIn(d)
const made = (...given: [userName?: string, more?: object]) => madeBy(d, ...given)

describe('what SCIM refuses', () => {
  before(async () => void (d ??= await directory()))

  it('is said in its own words, with a scimType', async () => {
    const { id } = await made()
    const asked: Readonly<Record<string, readonly [string, string, unknown, unknown]>> = {
      'no filter': ['GET', '/Users?filter=userName', undefined, 'invalidFilter'],
      'a filter by what is not known': ['GET', '/Users?filter=shoeSize eq 4', undefined, 'invalidFilter'],
      'text compared by order': ['GET', '/Users?filter=userName gt "a"', undefined, 'invalidFilter'],
      'a filter that never ends': [
        'GET',
        `/Users?filter=${Array(60).fill('active pr').join(' or ')}`,
        undefined,
        'tooMany',
      ],
      'no name': ['POST', '/Users', { schemas: [urnUser] }, 'invalidValue'],
      'an address that is none': ['POST', '/Users', entraUser('ana', { emails: [] }), 'invalidValue'],
      'two addresses in one': ['POST', '/Users', entraUser(`a,ana@${d.domain}`), 'invalidValue'],
      'a domain that is not proved': ['POST', '/Users', entraUser('ana@elsewhere.example'), 'invalidValue'],
      'another domain': [
        'PATCH',
        `/Users/${id}`,
        patchOf({ op: 'replace', path: 'emails[type eq "work"].value', value: 'x@elsewhere.example' }),
        'invalidValue',
      ],
      'neither true nor false': [
        'PATCH',
        `/Users/${id}`,
        patchOf({ op: 'replace', path: 'active', value: 'maybe' }),
        'invalidValue',
      ],
      'no operations': ['PATCH', `/Users/${id}`, { schemas: [] }, 'invalidSyntax'],
      'another verb': ['PATCH', `/Users/${id}`, patchOf({ op: 'move', path: 'active' }), 'invalidSyntax'],
      'a path that is none': [
        'PATCH',
        `/Users/${id}`,
        patchOf({ op: 'add', path: 'emails[type', value: 'x' }),
        'invalidPath',
      ],
      'what people have not': [
        'PATCH',
        `/Users/${id}`,
        patchOf({ op: 'add', path: 'shoeSize', value: 4 }),
        'invalidPath',
      ],
      'nothing to remove': ['PATCH', `/Users/${id}`, patchOf({ op: 'remove' }), 'noTarget'],
      'the name taken away': ['PATCH', `/Users/${id}`, patchOf({ op: 'remove', path: 'userName' }), 'mutability'],
      'another id': ['PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'id', value: 'x' }), 'mutability'],
      'no JSON': ['POST', '/Users', '{', 'invalidSyntax'],
    }
    for (const [name, [method, path, body, scimType]] of Object.entries(asked)) {
      const answer = await d.send(method, path, body)
      const type = answer.headers.get('content-type')?.split(';')[0]
      const { schemas, status, detail } = answer.body
      expect([answer.status, status, schemas, type, answer.body.scimType], name).to.deep.equal([
        400,
        '400',
        [urnError],
        scimJson,
        scimType,
      ])
      expect(detail, name).to.be.a('string')
    }
  })

  it('is a second person of one name, also of several at once', async () => {
    const [userName, count] = [address(), amount(3, 10, 10)]
    const answers = await Promise.all(
      Array.from({ length: count }, () => d.send('POST', '/Users', entraUser(userName))),
    )
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
    expect(answers.filter(({ body }) => body.scimType === 'uniqueness')).to.have.length(count - 1)
    const { id } = await made()
    const other = await d.send(
      'PATCH',
      `/Users/${id}`,
      patchOf({ op: 'Replace', path: 'userName', value: userName.toUpperCase() }),
    )
    expect(refusalOf(other)).to.deep.equal([409, 'uniqueness'])
  })

  it('is a change of what was changed since it was read', async () => {
    const { id, meta } = await made()
    const off = patchOf({ op: 'replace', value: { displayName: 'Other' } })
    const first = await d.send('PATCH', `/Users/${id}`, off, { 'If-Match': meta.version })
    const second = await d.send('PATCH', `/Users/${id}`, off, { 'If-Match': meta.version })
    expect([first.status, second.status, second.body.status]).to.deep.equal([200, 412, '412'])
    expect((await d.send('DELETE', `/Users/${id}`, undefined, { 'If-Match': meta.version })).status).to.equal(412)
    expect((await d.send('DELETE', `/Users/${id}`, undefined, { 'If-Match': '*' })).status).to.equal(204)
  })

  it('are bodies of other kinds; plain JSON is taken as well', async () => {
    const text = JSON.stringify(entraUser(address()))
    expect((await d.send('POST', '/Users', text, { 'Content-Type': 'text/plain' })).body.status).to.equal('415')
    expect((await d.send('POST', '/Users', text, { 'Content-Type': 'application/json' })).status).to.equal(201)
  })
})

describe('the token of a directory', () => {
  before(async () => void (d ??= await directory()))
  const tokens = () => `/organisations/${d.owner.orgId}/scim/tokens`

  it('is good for SCIM alone, and no other token is', async () => {
    for (const path of ['/members', '/resources/count', '/organisations', '/auth/me', '/security-events']) {
      const { status, body } = await ask('GET', path, { token: d.token })
      expect([status, body.code], path).to.deep.equal([403, 'wrong_scope'])
    }
    const api = await ask('POST', '/settings/personal-access-tokens', {
      token: d.owner.accessToken,
      body: { name: 'x' },
    })
    const org = await tenant()
    for (const token of [d.owner.accessToken, api.body.data.token, await org.tokenFor('owner', 'analyst')]) {
      const { status, body } = await scimBy(token)('GET', '/Users')
      expect([status, body.status, body.schemas]).to.deep.equal([403, '403', [urnError]])
    }
    for (const [token, status] of [
      ['', 401],
      ['svc_pat_x', 401],
      ['x.y.z', 401],
    ] as const)
      expect((await scimBy(token)('GET', '/Users')).body.status, token).to.equal(String(status))
  })

  it('is shown once, listed without its secret, written down, and refused at once when it is revoked', async () => {
    const made = await ask('POST', tokens(), { token: d.owner.accessToken, body: { name: 'Okta' } })
    const { token, ...shown } = made.body.data
    expect([made.status, token]).to.satisfy(([s, t]: [number, string]) => s === 201 && /^svc_pat_[\w-]{43}$/.test(t))
    const listed = await ask('GET', tokens(), { token: d.owner.accessToken })
    expect(listed.body.data[0]).to.deep.equal({ ...shown, lastUsedAt: null })
    expect([shown.madeBy, JSON.stringify(listed.body).includes(token)]).to.deep.equal(['owner', false])
    const personal = await ask('GET', '/settings/personal-access-tokens', { token: d.owner.accessToken })
    expect(JSON.stringify(personal.body)).to.not.include(shown.id)
    expect((await scimBy(token)('GET', '/Users')).status).to.equal(200)
    const path = `${tokens()}/${shown.id}`
    expect((await ask('DELETE', path, { token: d.owner.accessToken })).status).to.equal(204)
    expect((await scimBy(token)('GET', '/Users')).status).to.equal(401)
    expect((await ask('DELETE', path, { token: d.owner.accessToken })).status).to.equal(404)
    const [revoked] = await eventsOf(d, 'token_revoked')
    expect(revoked.detail).to.deep.equal({ tokenID: shown.id, name: 'Okta' })
  })

  it('is made by admins who are signed in, and outlives them', async () => {
    const [ben, eva] = [await colleague(d.owner, 'admin'), await colleague(d.owner, 'editor')]
    const refusals = [
      await ask('POST', tokens(), { token: eva.accessToken, body: { name: 'x' } }),
      await ask('POST', tokens(), { token: d.token, body: { name: 'x' } }),
      await ask('POST', tokens(), { token: (await founder()).accessToken, body: { name: 'x' } }),
    ]
    expect(refusals.map(({ status, body }) => `${status} ${body.code}`)).to.deep.equal([
      '403 forbidden',
      '403 wrong_scope',
      '404 not_found',
    ])
    const send = scimBy(await scimToken(ben))
    await ask('DELETE', `/members/${ben.userId}`, { token: d.owner.accessToken })
    expect((await send('GET', '/Users')).status).to.equal(200)
  })
})

describe('what the service can do of SCIM', () => {
  it('is said where directories look for it', async () => {
    d ??= await directory()
    const config = (await d.send('GET', '/ServiceProviderConfig')).body
    expect([config.patch, config.bulk.supported, config.filter, config.etag]).to.deep.equal([
      { supported: true },
      false,
      { supported: true, maxResults: 200 },
      { supported: true },
    ])
    for (const [list, names] of [
      ['ResourceTypes', ['User', 'Group']],
      ['Schemas', ['User', 'Group']],
    ] as const) {
      const { body } = await d.send('GET', `/${list}`)
      expect(body.Resources.map(({ name }: any) => name)).to.deep.equal(names)
      for (const { id, meta } of body.Resources) {
        const one = await d.send('GET', `/${list}/${id}`)
        expect([one.status, one.body.meta]).to.deep.equal([200, meta])
      }
      expect((await d.send('GET', `/${list}/none`)).status).to.equal(404)
    }
  })

  it('says in its own form too that there is nothing at a path, or not by this method', async () => {
    const error = 'urn:ietf:params:scim:api:messages:2.0:Error'
    const unknown = await d.send('GET', '/Devices')
    expect(unknown.headers.get('content-type')).to.match(/^application\/scim\+json/)
    expect(unknown.body).to.deep.equal({ schemas: [error], status: '404', detail: 'No such path.' })
    const wrong = await d.send('PUT', '/ServiceProviderConfig')
    expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    expect(wrong.body).to.deep.equal({
      schemas: [error],
      status: '405',
      detail: 'Method not allowed. Allowed methods: GET, HEAD.',
    })
  })
})
