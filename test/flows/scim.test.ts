import { expect } from 'chai'
import { active, ask, claimsOf, login, person } from '#test/harness/people.ts'
import {
  addressIn,
  directory,
  entraUser,
  eventsOf,
  madeBy,
  memberOf,
  patchOf,
  quoted,
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
/** Somebody whom the directory has made, signed in by a password and active in the organization. */
const entered = async (userId: string, email: string) => {
  const who = await active(await person(email), d.owner.orgId)
  expect(claimsOf(who.accessToken)['sub']).to.equal(userId)
  return who
}

describe('people by SCIM, as Entra ID asks', () => {
  before(async () => void (d ??= await directory()))

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
    expect(await memberOf(d, id)).to.include({ email, roleID: 'viewer', status: 'invited' })
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
    expect([status, body.active, await memberOf(d, id)]).to.deep.equal([200, false, undefined])
    const found = await d.send('GET', `/Users?filter=userName eq ${quoted(email)}`)
    expect([found.body.totalResults, found.body.Resources[0].active]).to.deep.equal([1, false])
    const again = await d.send('POST', '/Users', entraUser(email))
    expect(refusalOf(again)).to.deep.equal([409, 'uniqueness'])
    const back = await d.send('PATCH', `/Users/${id}`, patchOf({ op: 'Add', path: 'active', value: 'True' }))
    expect([back.body.active, (await memberOf(d, id)).status]).to.deep.equal([true, 'invited'])
  })
})

describe('people by SCIM, as Okta asks', () => {
  before(async () => void (d ??= await directory()))

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
    const count = Math.ceil(all.totalResults / 3)
    for (let startIndex = 1; startIndex <= all.totalResults; startIndex += count) {
      const { body } = await d.send('GET', `/Users?startIndex=${startIndex}&count=${count}`)
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
  before(async () => void (d ??= await directory()))

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
    const [event] = await eventsOf(d, 'scim_user_changed')
    expect([event.detail, event.userID, event.principal.startsWith('scim:')]).to.deep.equal([
      { member: id, userName: email, change: 'deactivated' },
      null,
      true,
    ])
  })

  it('is let in by no provider of the organization while that lasts, and then as the same account under any address that the directory says', async () => {
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
    const renamed = patchOf({ op: 'Replace', path: 'emails[type eq "work"].value', value: `eva.new@${w.domain}` })
    expect((await send('PATCH', `/Users/${body.id}`, renamed)).status).to.equal(200)
    expect(await tried(w, { nameID: `eva.new@${w.domain}` }), 'the account').to.equal(eva)
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
        'An organization must have at least one owner.',
      ])
    expect((await memberOf(d, d.owner.userId)).roleID).to.equal('owner')
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
    expect(refusalOf(await other.send('POST', '/Users', entraUser(email)))).to.deep.equal([400, 'invalidValue'])
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
