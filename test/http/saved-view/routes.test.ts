import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'

const send = ({ accessToken: token }: Founder, method: string, path: string, body?: unknown) =>
  ask(method, path, { token, ...(body !== undefined && { body }) })
const refusal = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`
const given = { name: 'Services', view: 'costs', query: 'range=month&dims=service_name' }
const make = async (who: Founder, body: object = given) => {
  const made = await send(who, 'POST', '/saved-views', body)
  expect(made.status, JSON.stringify(made.body)).to.equal(201)
  return made.body.data
}
const names = async (who: Founder) => (await send(who, 'GET', '/saved-views')).body.data.map(({ name }: any) => name)

describe('saved views', () => {
  let owner: Founder
  let editor: Founder
  let viewer: Founder
  before(async () => {
    owner = await founder()
    editor = await colleague(owner, 'editor')
    viewer = await colleague(owner, 'viewer')
  })
  afterEach(async () => {
    for (const who of [owner, editor, viewer])
      for (const { id, mayChange } of (await send(who, 'GET', '/saved-views')).body.data)
        if (mayChange) await send(who, 'DELETE', `/saved-views/${id}`)
  })

  it('are kept as they were given, changed in part, and gone once deleted', async () => {
    const { createdAt, updatedAt, id, ...made } = await make(viewer)
    expect(made).to.deep.equal({
      ...given,
      shared: 'me',
      ownerID: viewer.userId,
      isMine: true,
      mayChange: true,
      isMailable: true,
    })
    const changed = (await send(viewer, 'PATCH', `/saved-views/${id}`, { name: ' Mine ', view: 'tags' })).body.data
    expect(changed).to.include({ name: 'Mine', view: 'tags', query: given.query, isMailable: false, createdAt })
    expect(changed.updatedAt >= updatedAt).to.equal(true)
    expect((await send(viewer, 'GET', `/saved-views/${id}`)).body.data).to.deep.equal(changed)
    expect((await send(viewer, 'DELETE', `/saved-views/${id}`)).status).to.equal(204)
    expect(refusal(await send(viewer, 'GET', `/saved-views/${id}`))).to.equal('404 not_found')
  })

  it('of one person are there for nobody else, an owner included', async () => {
    const { id } = await make(viewer)
    expect([await names(viewer), await names(owner)]).to.deep.equal([['Services'], []])
    const others = [
      await send(owner, 'GET', `/saved-views/${id}`),
      await send(owner, 'PATCH', `/saved-views/${id}`, { name: 'x' }),
      await send(owner, 'DELETE', `/saved-views/${id}`),
      await send(owner, 'GET', `/saved-views/${id}/schedules`),
      await send(owner, 'POST', `/saved-views/${id}/test`),
    ]
    expect(others.map(refusal)).to.deep.equal(Array.from({ length: 5 }, () => '404 not_found'))
  })

  it('of the organization are seen by all of it, and changed by whoever made them and by admins', async () => {
    expect(refusal(await send(viewer, 'POST', '/saved-views', { ...given, shared: 'organization' }))).to.equal(
      '403 forbidden',
    )
    const { id } = await make(editor, { ...given, shared: 'organization' })
    const seen = (await send(viewer, 'GET', `/saved-views/${id}`)).body.data
    expect([seen.shared, seen.isMine, seen.mayChange]).to.deep.equal(['organization', false, false])
    expect(refusal(await send(viewer, 'PATCH', `/saved-views/${id}`, { name: 'x' }))).to.equal('403 not_yours')
    expect(refusal(await send(viewer, 'DELETE', `/saved-views/${id}`))).to.equal('403 not_yours')
    expect((await send(owner, 'PATCH', `/saved-views/${id}`, { name: 'All' })).status).to.equal(200)
    expect((await send(editor, 'PATCH', `/saved-views/${id}`, { shared: 'me' })).status).to.equal(200)
    expect(await names(viewer)).to.deep.equal([])
  })

  it('have a name of their own among those of their person, and among the organization’s', async () => {
    await make(editor)
    const { id } = await make(editor, { ...given, shared: 'organization' })
    await make(viewer)
    const taken = [
      await send(editor, 'POST', '/saved-views', given),
      await send(owner, 'POST', '/saved-views', { ...given, shared: 'organization' }),
      await send(editor, 'PATCH', `/saved-views/${id}`, { shared: 'me' }),
    ]
    expect(taken.map(refusal)).to.deep.equal(Array.from({ length: 3 }, () => '409 already_exists'))
  })

  it('are 200 of a person at most', async () => {
    const { connections } = await (await import('#test/harness/product.ts')).testProduct()
    await connections.store.pool.query(
      `insert into saved_view select $1, gen_random_uuid()::text, $2, $2, 'n' || i, 'costs', '', now(), now() from generate_series(1, 199) i`,
      [owner.orgId, viewer.userId],
    )
    await make(viewer)
    expect(refusal(await send(viewer, 'POST', '/saved-views', { ...given, name: 'More' }))).to.equal(
      '422 too_many_saved_views',
    )
    await make(editor)
    await connections.store.pool.query('delete from saved_view where org_id = $1', [owner.orgId])
  })

  it('refuse what is no view, no query of an address, and no name, naming it', async () => {
    const wrong = async (body: object) => {
      const { status, body: said } = await send(viewer, 'POST', '/saved-views', { ...given, ...body })
      return [status, ...(said.errors ?? []).map(({ name, code }: any) => `${name} ${code}`)]
    }
    expect(await wrong({ view: 'cost' })).to.deep.equal([400, '/view enum'])
    for (const query of ['?a=b', 'a=b#c', 'a b', 'a=%zz', 'a=<script>'])
      expect(await wrong({ query }), query).to.deep.equal([400, '/query pattern'])
    for (const query of ['a=%ff', 'a=%00']) expect(await wrong({ query }), query).to.deep.equal([400, '/query format'])
    expect(await wrong({ query: 'a'.repeat(8193) })).to.deep.equal([400, '/query maxLength'])
    expect((await make(viewer, { ...given, query: 'a'.repeat(8192) })).query.length).to.equal(8192)
    expect(await wrong({ name: ' ' })).to.deep.equal([400, '/name pattern'])
    expect(await wrong({ name: 'x'.repeat(101) })).to.deep.equal([400, '/name maxLength'])
    expect(await wrong({ shared: 'all' })).to.deep.equal([400, '/shared enum'])
  })

  describe('are mailed', () => {
    const weekly = { every: 'week', weekday: 1, hour: 8, timezone: 'Europe/Berlin' }
    const path = (id: string, rest = '') => `/saved-views/${id}/schedules${rest}`

    it('by schedules of who sees them, shown to these and to admins, and gone with their view', async () => {
      const { id } = await make(editor, { ...given, shared: 'organization' })
      const made = await send(viewer, 'POST', path(id), { ...weekly, recipients: [viewer.email.toUpperCase()] })
      expect(made.status, JSON.stringify(made.body)).to.equal(201)
      const { id: scheduleID, nextDueAt, createdAt: _c, updatedAt: _u, ...shown } = made.body.data
      expect(shown).to.deep.equal({
        viewID: id,
        ownerID: viewer.userId,
        isMine: true,
        ...weekly,
        day: 1,
        recipients: [{ email: viewer.email, isOutside: false, unsubscribed: false }],
        isOn: true,
        last: null,
      })
      expect(new Date(nextDueAt).getUTCDay()).to.equal(1)
      const count = async (who: Founder) => (await send(who, 'GET', path(id))).body.data.length
      expect([await count(viewer), await count(editor), await count(owner)]).to.deep.equal([1, 0, 1])
      expect(refusal(await send(editor, 'PATCH', path(id, `/${scheduleID}`), { isOn: false }))).to.equal(
        '404 not_found',
      )
      const off = (await send(viewer, 'PATCH', path(id, `/${scheduleID}`), { isOn: false })).body.data
      expect([off.isOn, off.nextDueAt]).to.deep.equal([false, null])
      expect((await send(editor, 'DELETE', `/saved-views/${id}`)).status).to.equal(204)
      expect(refusal(await send(viewer, 'GET', path(id)))).to.equal('404 not_found')
    })

    it('to members; to others where an owner or admin says so, and then they stay', async () => {
      const { id } = await make(editor, { ...given, shared: 'organization' })
      const outside = 'cfo@partner.example'
      const body = { ...weekly, recipients: [editor.email, outside] }
      expect(refusal(await send(editor, 'POST', path(id), body))).to.equal('403 recipient_outside')
      const made = (await send(editor, 'POST', path(id), { ...weekly, recipients: [editor.email] })).body.data
      const one = path(id, `/${made.id}`)
      const put = await send(owner, 'PATCH', one, { recipients: [editor.email, outside] })
      expect(put.body.data.recipients.map((to: any) => [to.email, to.isOutside])).to.deep.equal([
        [editor.email, false],
        [outside, true],
      ])
      expect((await send(editor, 'PATCH', one, { recipients: [outside] })).status).to.equal(200)
      expect(refusal(await send(editor, 'PATCH', one, { recipients: [outside, 'b@other.example'] }))).to.equal(
        '403 recipient_outside',
      )
    })

    it('unless they have nothing to be mailed, the zone is none, or the day is not said', async () => {
      const { id } = await make(viewer, { name: 'T', view: 'tags' })
      const body = { ...weekly, recipients: [viewer.email] }
      expect(refusal(await send(viewer, 'POST', path(id), body))).to.equal('422 view_not_mailable')
      expect(refusal(await send(viewer, 'POST', `/saved-views/${id}/test`))).to.equal('422 view_not_mailable')
      const costs = (await make(viewer)).id
      const wrong = async (more: object) => {
        const { status, body: said } = await send(viewer, 'POST', path(costs), { ...body, ...more })
        return [status, ...(said.errors ?? []).map(({ name, code }: any) => `${name} ${code}`)]
      }
      expect(await wrong({ timezone: 'Mars/Olympus' })).to.deep.equal([400, '/timezone format'])
      expect(await wrong({ weekday: undefined })).to.deep.equal([400, '/weekday required'])
      expect(await wrong({ every: 'month' })).to.deep.equal([400, '/day required'])
      expect(await wrong({ every: 'month', day: 29 })).to.deep.equal([400, '/day maximum'])
      expect(await wrong({ hour: 24 })).to.deep.equal([400, '/hour maximum'])
      expect(await wrong({ recipients: [] })).to.deep.equal([400, '/recipients minItems'])
    })
  })
})
