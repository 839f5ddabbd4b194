import { expect } from 'chai'
import { ask, claimsOf, colleague, person } from '#test/harness/people.ts'
import {
  addressIn,
  directory,
  eventsOf,
  madeBy,
  memberOf,
  patchOf,
  quoted,
  refusalOf,
  scimBy,
  scimToken,
  type Directory,
} from '#test/harness/scim.ts'

let d: Directory
const address = () => addressIn(d)
const made = (...given: [userName?: string, more?: object]) => madeBy(d, ...given)

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
    const roleNow = async () => (await memberOf(d, id)).roleID as string
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
    const changes = (await eventsOf(d, 'member_changed')).filter(({ detail }) => detail.member === id)
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
    expect((await memberOf(d, b)).roleID).to.equal('viewer')
  })

  it('leave a role that was given by hand until the directory takes it', async () => {
    const ben = await colleague(d.owner, 'admin')
    await add('editor', ben.userId)
    expect((await memberOf(d, ben.userId)).roleID).to.equal('admin')
    await take('admin', ben.userId)
    expect((await memberOf(d, ben.userId)).roleID).to.equal('editor')
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
    expect(answers.map(refusalOf)).to.deep.equal([
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
    expect((await memberOf(d, id)).roleID).to.equal('owner')
  })
})
