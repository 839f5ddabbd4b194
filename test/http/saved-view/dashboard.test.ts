import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'

const send = ({ accessToken: token }: Founder, method: string, path: string, body?: unknown) =>
  ask(method, path, { token, ...(body !== undefined && { body }) })
const refusal = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`
const done = async (who: Founder, method: string, path: string, body?: unknown) => {
  const answer = await send(who, method, path, body)
  expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300)
  return answer.body?.data
}
const namesOf = ({ views }: any) => views.map(({ name }: any) => name)

describe('dashboards', () => {
  let owner: Founder
  let editor: Founder
  let viewer: Founder
  let made = 0
  before(async () => {
    owner = await founder()
    editor = await colleague(owner, 'editor')
    viewer = await colleague(owner, 'viewer')
  })
  const view = async (who: Founder, name: string, more: object = {}): Promise<string> =>
    (await done(who, 'POST', '/saved-views', { name, view: 'costs', ...more })).id
  const shared = { shared: 'organization' }
  const board = (who: Founder, body: object) => done(who, 'POST', '/dashboards', { name: `Board ${++made}`, ...body })

  it('keep their views in order, are arranged, and lose what is deleted; the views stay when they go', async () => {
    const [a, b, c] = [await view(viewer, 'A'), await view(viewer, 'B'), await view(viewer, 'C')]
    const one = await board(viewer, { viewIDs: [c, a] })
    expect(one).to.include({ shared: 'me', isMine: true, mayChange: true, hiddenCount: 0, ownerID: viewer.userId })
    expect(namesOf(one)).to.deep.equal(['C', 'A'])
    const path = `/dashboards/${one.id}`
    expect(namesOf(await done(viewer, 'PATCH', path, { viewIDs: [a, b, c] }))).to.deep.equal(['A', 'B', 'C'])
    expect((await done(viewer, 'PATCH', path, { name: ' Mine ' })).name).to.equal('Mine')
    await done(viewer, 'DELETE', `/saved-views/${b}`)
    const now = await done(viewer, 'GET', path)
    expect([namesOf(now), now.hiddenCount]).to.deep.equal([['A', 'C'], 0])
    await done(viewer, 'DELETE', path)
    expect(refusal(await send(viewer, 'GET', path))).to.equal('404 not_found')
    expect((await done(viewer, 'GET', `/saved-views/${a}`)).name).to.equal('A')
  })

  it('of one person are there for nobody else, an owner included', async () => {
    const { id } = await board(viewer, {})
    const path = `/dashboards/${id}`
    const others = [
      await send(owner, 'GET', path),
      await send(owner, 'PATCH', path, { name: 'x' }),
      await send(owner, 'DELETE', path),
      await send(owner, 'GET', `${path}/schedules`),
      await send(owner, 'POST', `${path}/test`),
    ]
    expect(others.map(refusal)).to.deep.equal(Array.from({ length: 5 }, () => '404 not_found'))
    expect((await done(owner, 'GET', '/dashboards')).map((one: any) => one.id)).not.to.include(id)
  })

  it('of the organization are seen by all, changed by their creator and admins, and never reveal or lose a view that is private', async () => {
    expect(refusal(await send(viewer, 'POST', '/dashboards', { name: 'x', ...shared }))).to.equal('403 forbidden')
    const [all, mine] = [await view(editor, 'All', shared), await view(editor, 'Turns private', shared)]
    const { id } = await board(editor, { ...shared, viewIDs: [mine, all] })
    const path = `/dashboards/${id}`
    expect(refusal(await send(viewer, 'PATCH', path, { name: 'x' }))).to.equal('403 not_yours')
    expect(refusal(await send(viewer, 'DELETE', path))).to.equal('403 not_yours')
    await done(editor, 'PATCH', `/saved-views/${mine}`, { shared: 'me' })
    const seen = await done(viewer, 'GET', path)
    expect([namesOf(seen), seen.hiddenCount, seen.mayChange]).to.deep.equal([['All'], 1, false])
    // An admin arranges what they see; the view of the other person stays behind it.
    await done(owner, 'PATCH', path, { viewIDs: [all] })
    expect(namesOf(await done(editor, 'GET', path))).to.deep.equal(['All', 'Turns private'])
    const [listed] = (await done(viewer, 'GET', '/dashboards')).filter((one: any) => one.id === id)
    expect([namesOf(listed), listed.hiddenCount]).to.deep.equal([['All'], 1])
  })

  it('refuse views that are not seen, private ones where all see them, more than 12, and a name that is taken', async () => {
    const [own, foreign] = [await view(editor, 'Own'), await view(viewer, 'Foreign')]
    const wrong = await send(editor, 'POST', '/dashboards', { name: 'x', viewIDs: [own, foreign] })
    expect([wrong.status, wrong.body.errors.map(({ name, code }: any) => `${name} ${code}`)]).to.deep.equal([
      400,
      ['/viewIDs/1 unknown'],
    ])
    const unshared = await send(editor, 'POST', '/dashboards', { name: 'x', viewIDs: [own], ...shared })
    expect(refusal(unshared)).to.equal('422 view_not_shared')
    const { id } = await board(editor, { viewIDs: [own] })
    expect(refusal(await send(editor, 'PATCH', `/dashboards/${id}`, shared))).to.equal('422 view_not_shared')
    const many = Array.from({ length: 13 }, () => own)
    expect((await send(editor, 'PATCH', `/dashboards/${id}`, { viewIDs: many })).status).to.equal(400)
    await board(editor, { name: 'Taken' })
    expect(refusal(await send(editor, 'PATCH', `/dashboards/${id}`, { name: 'Taken' }))).to.equal('409 already_exists')
    await board(viewer, { name: 'Taken' })
  })

  it('are 50 of a person at most', async () => {
    const { connections } = await (await import('#test/harness/product.ts')).testProduct()
    await connections.store.pool.query(
      `insert into dashboard select $1, gen_random_uuid()::text, $2, $2, 'n' || i, '[]', now(), now() from generate_series(1, 50) i`,
      [owner.orgId, owner.userId],
    )
    expect(refusal(await send(owner, 'POST', '/dashboards', { name: 'More' }))).to.equal('422 too_many_dashboards')
  })

  it('are mailed by schedules of their own, gone with them; without a view that can be mailed, not at all', async () => {
    const tags = await view(viewer, 'Tags', { view: 'tags' })
    const times = { every: 'week', weekday: 1, hour: 8, timezone: 'UTC', recipients: [viewer.email] }
    const { id } = await board(viewer, { viewIDs: [tags] })
    const path = `/dashboards/${id}/schedules`
    expect(refusal(await send(viewer, 'POST', path, times))).to.equal('422 view_not_mailable')
    expect(refusal(await send(viewer, 'POST', `/dashboards/${id}/test`))).to.equal('422 view_not_mailable')
    await done(viewer, 'PATCH', `/dashboards/${id}`, { viewIDs: [tags, await view(viewer, 'Costs')] })
    const schedule = await done(viewer, 'POST', path, times)
    expect(schedule).to.include({ dashboardID: id, every: 'week', isMine: true, isOn: true })
    expect(schedule).not.to.have.property('viewID')
    expect((await done(viewer, 'PATCH', `${path}/${schedule.id}`, { isOn: false })).nextDueAt).to.equal(null)
    expect((await done(viewer, 'GET', path)).length).to.equal(1)
    await done(viewer, 'DELETE', `/dashboards/${id}`)
    const { connections } = await (await import('#test/harness/product.ts')).testProduct()
    const { rows } = await connections.store.pool.query('select 1 from report_schedule where id = $1', [schedule.id])
    expect(rows).to.deep.equal([])
  })
})
