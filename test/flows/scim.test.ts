import { expect } from 'chai'
import {
  directory,
  entraUser,
  patchOf,
  scimBy,
  scimJson,
  scimToken,
  urnUser,
  type Directory,
} from '#test/harness/scim.ts'
import { active, ask, claimsOf, colleague, founder, login, person, type Founder } from '#test/harness/people.ts'
import { tenant } from '#test/harness/product.ts'

const urnError = 'urn:ietf:params:scim:api:messages:2.0:Error'
const quoted = (text: string) => encodeURIComponent(`"${text}"`)

let d: Directory
let next = 0
const address = () => `p${(next += 1)}@${d.domain}`
const made = async (userName = address(), more: object = {}) => {
  const { status, body } = await d.send('POST', '/Users', entraUser(userName, more))
  expect(status, JSON.stringify(body)).to.equal(201)
  return body
}
const membersOf = async (who: Founder) => (await ask('GET', '/members', { token: who.accessToken })).body.data as any[]
const memberOf = async (userId: string) => (await membersOf(d.owner)).find((one) => one.userID === userId)
const refused = ({ status, body }: { status: number; body: any }) => [status, body.scimType ?? body.detail]
const eventsOf = async (type: string) =>
  (await ask('GET', `/security-events?type=${type}`, { token: d.owner.accessToken })).body.data.items as any[]
/** Somebody whom the directory has made, signed in by a password and active in the organization. */
const entered = async (userId: string, email: string) => {
  const who = await active(await person(email), d.owner.orgId)
  expect(claimsOf(who.accessToken)['sub']).to.equal(userId)
  return who
}

describe('people by SCIM, as Entra ID asks', () => {
  before(async () => void (d = await directory()))

  it('are made as they are said, and invited as viewers without a mail', async () => {
    const email = address()
    const { status, headers, body } = await d.send('POST', '/Users', entraUser(email))
    expect([status, headers.get('content-type')?.split(';')[0]]).to.deep.equal([201, scimJson])
    const { meta, id, ...shown } = body
    expect(shown).to.deep.equal({
      schemas: [urnUser],
      externalId: `ext-${email}`,
      userName: email,
      name: { formatted: `Person ${email}`, givenName: 'given', familyName: 'family' },
      displayName: `Person ${email}`,
      emails: [{ value: email, type: 'work', primary: true }],
      active: true,
      groups: [{ value: 'viewer', display: 'viewer', $ref: meta.location.replace(/Users.*/, 'Groups/viewer') }],
    })
    expect([headers.get('location'), headers.get('etag')]).to.deep.equal([meta.location, meta.version])
    expect(await memberOf(id)).to.include({ email, roleID: 'viewer', status: 'invited' })
    expect((await d.send('GET', `/Users/${id}`)).body).to.deep.equal(body)
  })

  it('are found by userName in any case, externalId, active and address; nobody is an empty list', async () => {
    const email = address()
    const { id } = await made(email)
    for (const filter of [
      `userName%20eq%20${quoted(email.toUpperCase())}`,
      `userName+eq+${quoted(email)}`,
      `externalId eq ${quoted(`ext-${email}`)}`,
      `emails.value eq ${quoted(email)}`,
      `emails[type eq "work"].value eq ${quoted(email)}`,
      `active eq true and userName eq ${quoted(email)}`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName eq ${quoted(email)}`,
    ]) {
      const { status, body } = await d.send('GET', `/Users?filter=${filter}`)
      expect([status, body.totalResults, body.Resources?.[0]?.id], filter).to.deep.equal([200, 1, id])
    }
    const none = await d.send('GET', `/Users?filter=userName eq ${quoted('nobody')}&aadOptscim062020`)
    expect(none.body).to.deep.equal({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
  })

  it('are changed by its operations, whatever the case of a verb and wherever the value stands', async () => {
    const { id } = await made()
    const renamed = address()
    const { status, body } = await d.send(
      'PATCH',
      `/Users/${id}`,
      patchOf(
        { op: 'Replace', path: 'userName', value: renamed },
        { op: 'Add', path: 'emails[type eq "work"].value', value: renamed.toUpperCase() },
        { op: 'Replace', path: 'name.givenName', value: 'Ana' },
        { op: 'Add', value: { 'name.familyName': 'Silva', displayName: 'Ana Silva', nickName: 'An' } },
        { op: 'Replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
        { op: 'Remove', path: 'externalId' },
      ),
    )
    expect(status, JSON.stringify(body)).to.equal(200)
    const { userName, emails, name, displayName, externalId } = body
    expect([userName, emails[0].value, name, displayName, externalId]).to.deep.equal([
      renamed,
      renamed,
      { formatted: 'Ana Silva', givenName: 'Ana', familyName: 'Silva' },
      'Ana Silva',
      undefined,
    ])
  })

  it('are deactivated by the text "False", and are found as not active still', async () => {
    const email = address()
    const { id } = await made(email)
    const { status, body } = await d.send(
      'PATCH',
      `/Users/${id}`,
      patchOf({ op: 'Replace', path: 'active', value: 'False' }),
    )
    expect([status, body.active, await memberOf(id)]).to.deep.equal([200, false, undefined])
    const found = await d.send('GET', `/Users?filter=userName eq ${quoted(email)}`)
    expect([found.body.totalResults, found.body.Resources[0].active]).to.deep.equal([1, false])
    const again = await d.send('POST', '/Users', entraUser(email))
    expect(refused(again)).to.deep.equal([409, 'uniqueness'])
    const back = await d.send('PATCH', `/Users/${id}`, patchOf({ op: 'Add', path: 'active', value: 'True' }))
    expect([back.body.active, (await memberOf(id)).status]).to.deep.equal([true, 'invited'])
  })
})

describe('people by SCIM, as Okta asks', () => {
  before(async () => void (d = await directory()))

  it('are replaced whole, deactivated by a value without a path, and deactivated by PUT', async () => {
    const email = address()
    const okta = {
      schemas: [urnUser],
      userName: email,
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: email, type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    }
    const { status, body } = await d.send('POST', '/Users', okta)
    expect([status, JSON.stringify(body).includes('1mz050nq')]).to.deep.equal([201, false])
    const off = await d.send('PATCH', `/Users/${body.id}`, patchOf({ op: 'replace', value: { active: false } }))
    expect([off.status, off.body.active]).to.deep.equal([200, false])
    const put = await d.send('PUT', `/Users/${body.id}`, {
      ...okta,
      id: body.id,
      meta: { resourceType: 'User' },
      name: { givenName: 'Another', middleName: 'x', familyName: 'User' },
      displayName: null,
    })
    expect([put.status, put.body.active, put.body.displayName]).to.deep.equal([200, true, 'Another User'])
    const last = await d.send('PUT', `/Users/${body.id}`, { ...okta, active: false })
    expect([last.status, last.body.active]).to.deep.equal([200, false])
  })

  it('are paged from 1, and its first question finds nobody', async () => {
    const probe = await d.send(
      'GET',
      `/Users?filter=userName eq ${quoted('nobody@nowhere.example')}&startIndex=1&count=100`,
    )
    expect([probe.status, probe.body.totalResults]).to.deep.equal([200, 0])
    for (let n = 0; n < 4; n++) await made()
    const ids: string[] = []
    const all = (await d.send('GET', '/Users?count=200')).body
    for (let startIndex = 1; startIndex <= all.totalResults; startIndex += 2) {
      const { body } = await d.send('GET', `/Users?startIndex=${startIndex}&count=2`)
      expect([body.startIndex, body.totalResults]).to.deep.equal([startIndex, all.totalResults])
      ids.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    expect(ids).to.deep.equal(all.Resources.map(({ id }: { id: string }) => id))
    const odd = await d.send('GET', '/Users?startIndex=0&count=-1')
    expect([odd.body.startIndex, odd.body.itemsPerPage, odd.body.totalResults]).to.deep.equal([1, 0, all.totalResults])
    expect((await d.send('GET', '/Users?count=100000')).status).to.equal(200)
    const few = await d.send('GET', '/Users?count=1&attributes=userName')
    expect(Object.keys(few.body.Resources[0])).to.deep.equal(['schemas', 'id', 'userName'])
  })
})

describe('a person whom the directory deactivates', () => {
  before(async () => void (d = await directory()))

  it('has no session and no token in the organization at once, and keeps what is elsewhere', async () => {
    const email = address()
    const { id } = await made(email)
    const who = await entered(id, email)
    const pat = await ask('POST', '/settings/personal-access-tokens', { token: who.accessToken, body: { name: 'ci' } })
    const own = await ask('POST', '/organisations', { token: who.accessToken, body: { name: 'Own' } })
    const works = async () => [
      (await ask('GET', '/resources/count', { token: who.accessToken })).body.code ?? 'works',
      (await ask('GET', '/resources/count', { token: pat.body.data.token })).body.code ?? 'works',
      (await ask('GET', '/resources/count', { token: who.accessToken, orgId: own.body.data.id })).body.code ?? 'works',
    ]
    expect(await works()).to.deep.equal(['works', 'works', 'works'])
    await d.send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: false } }))
    expect(await works()).to.deep.equal(['not_a_member', 'invalid_token', 'works'])
    const [event] = await eventsOf('scim_user_changed')
    expect([event.detail, event.userID, event.principal.startsWith('scim:')]).to.deep.equal([
      { member: id, userName: email, change: 'deactivated' },
      null,
      true,
    ])
  })

  it('is let in by no provider of the organization while that lasts', async () => {
    const { keyOf, tried, worldOf, refused: out } = await import('#test/http/identity/saml-provider.ts')
    const w = await worldOf(await keyOf('idp'))
    const send = scimBy(await scimToken(w))
    const eva = `eva@${w.domain}`
    const { body } = await send('POST', '/Users', entraUser(eva, { active: false }))
    expect(body.active).to.equal(false)
    expect(await tried(w)).to.equal(out)
    await send('PATCH', `/Users/${body.id}`, patchOf({ op: 'Replace', path: 'active', value: true }))
    expect(await tried(w)).to.equal(eva)
    const { accessToken: token } = w
    const members = (await ask('GET', '/members', { token })).body.data
    expect(members.find((one: any) => one.email === eva).status, 'entered').to.equal('active')
  })

  it('has no session any more that began at the provider of the organization', async () => {
    const { assertion, codeOf, exchange, keyOf, post, requested, response, said, signed, worldOf } =
      await import('#test/http/identity/saml-provider.ts')
    const w = await worldOf(await keyOf('idp'))
    const send = scimBy(await scimToken(w))
    const { body } = await send('POST', '/Users', entraUser(`eva@${w.domain}`))
    const signedIn = async () => {
      const { id, relayState } = await requested(w)
      return codeOf(await post(response(id, signed(assertion(said(w, id)), w.key)), relayState))
    }
    const { accessToken: token, refreshToken } = (await exchange(await signedIn())).body.data
    const code = await signedIn()
    await send('PATCH', `/Users/${body.id}`, patchOf({ op: 'Replace', path: 'active', value: 'False' }))
    expect((await ask('GET', '/resources/count', { token })).body.code).to.equal('invalid_token')
    expect((await ask('POST', '/auth/refresh', { body: { refreshToken } })).status).to.equal(401)
    expect((await exchange(code)).status, 'a code on its way').to.equal(401)
  })

  it('is the same account under another address, once the directory has said so', async () => {
    const { keyOf, tried, worldOf } = await import('#test/http/identity/saml-provider.ts')
    const w = await worldOf(await keyOf('idp'))
    const send = scimBy(await scimToken(w))
    const { body } = await send('POST', '/Users', entraUser(`eva@${w.domain}`))
    expect(await tried(w)).to.equal(`eva@${w.domain}`)
    const renamed = patchOf({ op: 'Replace', path: 'emails[type eq "work"].value', value: `eva.new@${w.domain}` })
    expect((await send('PATCH', `/Users/${body.id}`, renamed)).status).to.equal(200)
    expect(await tried(w, { nameID: `eva.new@${w.domain}` }), 'the account').to.equal(`eva@${w.domain}`)
  })

  it('is removed with all that was said of them, and the account stays', async () => {
    const email = address()
    const { id } = await made(email)
    await entered(id, email)
    expect((await d.send('DELETE', `/Users/${id}`)).status).to.equal(204)
    expect((await d.send('GET', `/Users/${id}`)).status).to.equal(404)
    expect((await d.send('DELETE', `/Users/${id}`)).status).to.equal(404)
    expect((await login(email)).tenants).to.deep.equal([])
    expect((await made(email)).id, 'made again').to.equal(id)
  })

  it('is never the last owner', async () => {
    for (const answer of [
      await d.send('PATCH', `/Users/${d.owner.userId}`, patchOf({ op: 'replace', value: { active: false } })),
      await d.send('DELETE', `/Users/${d.owner.userId}`),
      await d.send('PATCH', '/Groups/owner', patchOf({ op: 'remove', path: `members[value eq "${d.owner.userId}"]` })),
      await d.send('PUT', '/Groups/owner', { displayName: 'owner', members: [] }),
      await d.send('DELETE', '/Groups/owner'),
    ])
      expect([answer.status, answer.body.schemas, answer.body.detail]).to.deep.equal([
        409,
        [urnError],
        'An organization has at least one owner.',
      ])
    expect((await memberOf(d.owner.userId)).roleID).to.equal('owner')
  })
})

describe('groups by SCIM', () => {
  before(async () => void (d = await directory()))
  const add = (id: string, ...ids: string[]) =>
    d.send(
      'PATCH',
      `/Groups/${id}`,
      patchOf({ op: 'Add', path: 'members', value: ids.map((value) => ({ $ref: null, value })) }),
    )
  const take = (id: string, ...ids: string[]) =>
    d.send('PATCH', `/Groups/${id}`, patchOf({ op: 'Remove', path: 'members', value: ids.map((value) => ({ value })) }))

  it('are the roles, found by their name, without members where these are left out', async () => {
    const token = d.owner.accessToken
    const role = (await ask('POST', '/roles', { token, body: { name: 'FinOps', permissions: ['service.view'] } })).body
      .data
    const all = await d.send('GET', '/Groups')
    expect(all.body.Resources.map(({ displayName }: any) => displayName)).to.deep.equal([
      'owner',
      'admin',
      'editor',
      'viewer',
      'FinOps',
    ])
    const { body } = await d.send('GET', `/Groups?excludedAttributes=members&filter=displayName eq ${quoted('finops')}`)
    expect([body.totalResults, body.Resources[0].id, 'members' in body.Resources[0]]).to.deep.equal([1, role.id, false])
  })

  it('give their role at once and take it, the strongest of several, and viewer in none', async () => {
    const { id } = await made()
    const roleNow = async () => (await memberOf(id)).roleID as string
    const answers: string[] = [await roleNow()]
    for (const step of [
      () => add('editor', id),
      () => add('admin', id),
      () => take('admin', id),
      () => take('editor', id),
    ]) {
      expect((await step()).status).to.equal(200)
      answers.push(await roleNow())
    }
    expect(answers).to.deep.equal(['viewer', 'editor', 'admin', 'editor', 'viewer'])
    const changes = (await eventsOf('member_changed')).filter(({ detail }) => detail.member === id)
    expect(changes.map(({ detail }) => `${detail.from} ${detail.to}`).toReversed()).to.deep.equal([
      'viewer editor',
      'editor admin',
      'admin editor',
      'editor viewer',
    ])
  })

  it('take a member by a path with a filter, and are replaced without a path and by PUT', async () => {
    const [a, b] = [(await made()).id, (await made()).id]
    await add('editor', a, b)
    const left = await d.send('PATCH', '/Groups/editor', patchOf({ op: 'remove', path: `members[value eq "${a}"]` }))
    const ids = (answer: { body: any }) => answer.body.members.map(({ value }: any) => value)
    expect(ids(left)).to.deep.equal([b])
    const replaced = await d.send(
      'PATCH',
      '/Groups/editor',
      patchOf({ op: 'replace', value: { id: 'editor', displayName: 'editor', members: [{ value: a }] } }),
    )
    expect(ids(replaced)).to.deep.equal([a])
    const put = await d.send('PUT', '/Groups/editor', { displayName: 'Editor', members: [{ value: b, display: 'x' }] })
    expect(ids(put)).to.deep.equal([b])
    const found = await d.send('GET', `/Groups?filter=id eq "editor" and members[value eq "${b}"]`)
    expect(found.body.totalResults).to.equal(1)
    expect((await d.send('GET', `/Groups?filter=id eq "editor" and members eq "${a}"`)).body.totalResults).to.equal(0)
    expect((await d.send('DELETE', '/Groups/editor')).status).to.equal(204)
    expect((await memberOf(b)).roleID).to.equal('viewer')
  })

  it('leave a role that was given by hand until the directory takes it', async () => {
    const ben = await colleague(d.owner, 'admin')
    await add('editor', ben.userId)
    expect((await memberOf(ben.userId)).roleID).to.equal('admin')
    await take('admin', ben.userId)
    expect((await memberOf(ben.userId)).roleID).to.equal('editor')
  })

  it('are not made, renamed or given to who is not here', async () => {
    const stranger = await person()
    const strangerId = claimsOf(stranger.accessToken)['sub'] as string
    const answers = [
      await d.send('POST', '/Groups', { displayName: 'EDITOR', members: [] }),
      await d.send('POST', '/Groups', { displayName: 'Another', members: [] }),
      await d.send('PATCH', '/Groups/editor', patchOf({ op: 'Replace', path: 'displayName', value: 'x' })),
      await add('editor', strangerId),
      await d.send('PATCH', '/Groups/editor', patchOf({ op: 'Add', path: 'owners', value: [] })),
      await d.send('PATCH', '/Groups/none', patchOf({ op: 'Add', path: 'members', value: [] })),
    ]
    expect(answers.map(refused)).to.deep.equal([
      [409, 'uniqueness'],
      [400, 'invalidValue'],
      [400, 'mutability'],
      [400, 'invalidValue'],
      [400, 'invalidPath'],
      [404, 'No such group.'],
    ])
  })

  it('of owners are dealt in by a token alone that an owner has made', async () => {
    const ben = await colleague(d.owner, 'admin')
    const send = scimBy(await scimToken(ben, 'of an admin'))
    const { id } = await made()
    const to = (userId: string) => patchOf({ op: 'add', path: 'members', value: [{ value: userId }] })
    const renamed = patchOf({ op: 'replace', path: 'userName', value: address() })
    const answers = [
      await send('PATCH', '/Groups/owner', to(id)),
      await send('PATCH', '/Groups/owner', to(ben.userId)),
      await send('PATCH', `/Users/${d.owner.userId}`, patchOf({ op: 'replace', value: { active: false } })),
      await send('PATCH', `/Users/${d.owner.userId}`, renamed),
      await send('DELETE', `/Users/${d.owner.userId}`),
    ]
    expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403, 403])
    expect((await send('PATCH', '/Groups/editor', to(id))).status).to.equal(200)
    expect((await add('owner', id)).status).to.equal(200)
    expect((await memberOf(id)).roleID).to.equal('owner')
  })
})

describe('what SCIM refuses', () => {
  before(async () => void (d = await directory()))

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

  it('is a second person of one name, also of ten at once', async () => {
    const userName = address()
    const answers = await Promise.all(Array.from({ length: 10 }, () => d.send('POST', '/Users', entraUser(userName))))
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
    expect(answers.filter(({ body }) => body.scimType === 'uniqueness')).to.have.length(9)
    const { id } = await made()
    const other = await d.send(
      'PATCH',
      `/Users/${id}`,
      patchOf({ op: 'Replace', path: 'userName', value: userName.toUpperCase() }),
    )
    expect(refused(other)).to.deep.equal([409, 'uniqueness'])
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
  before(async () => void (d = await directory()))
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
    const [revoked] = await eventsOf('token_revoked')
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

describe('directories of two organizations', () => {
  it('see and change nobody of one another; who is in both keeps the other', async () => {
    d = await directory()
    const other = await directory()
    const email = address()
    const { id } = await made(email)
    const who = await entered(id, email)
    const asked = [
      await other.send('GET', `/Users/${id}`),
      await other.send('PUT', `/Users/${id}`, entraUser(email)),
      await other.send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: false } })),
      await other.send('DELETE', `/Users/${id}`),
      await other.send('PATCH', '/Groups/editor', patchOf({ op: 'add', path: 'members', value: [{ value: id }] })),
    ]
    expect(asked.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 400])
    expect((await other.send('GET', `/Users?filter=userName eq ${quoted(email)}`)).body.totalResults).to.equal(0)
    expect(refused(await other.send('POST', '/Users', entraUser(email)))).to.deep.equal([400, 'invalidValue'])
    const invited = { email, roleID: 'editor' }
    await ask('POST', '/members', { token: other.owner.accessToken, body: invited })
    const both = await active(who, other.owner.orgId)
    expect((await other.send('GET', `/Users/${id}`)).body.active, 'a member by invitation').to.equal(true)
    await d.send('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: false } }))
    const { status } = await ask('GET', '/resources/count', { token: both.accessToken })
    expect(status, 'in the other').to.equal(200)
    expect((await other.send('GET', `/Users/${id}`)).body.active).to.equal(true)
    const wrong = await scimBy(d.token)('GET', '/Users', undefined, { 'X-Org-Id': other.owner.orgId })
    expect(wrong.status).to.equal(403)
  })
})

describe('what the service can do of SCIM', () => {
  it('is said where directories look for it', async () => {
    d = await directory()
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
})
