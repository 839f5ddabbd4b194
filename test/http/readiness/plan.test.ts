import { expect } from 'chai'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { tenant } from '#test/harness/product.ts'
import { logOf, made, planBody, planOf, policyFor, reach, transitionsOf } from '#test/harness/readiness.ts'

describe('readiness plans', () => {
  let f: Fleet
  let web: string
  let api: string
  before(async () => {
    f = await fleet()
    web = await policyFor(f, 'asg-web')
    api = await policyFor(f, 'asg-api')
  })
  after(() => f.end())

  it('are made as drafts, with exactly these fields [EVR-01] [EVR-14] [EVR-18] [EVR-19]', async () => {
    const body = planBody([web, api, web], { eventStart: '2030-11-29T15:00:00+01:00' })
    const answer = await f.send('POST', '/event-readiness', body)
    expect(answer.status).to.equal(201)
    const { id, createdAt, ...rest } = answer.body.data
    expect(id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(answer.headers.get('location')).to.equal(`/event-readiness/${id}`)
    expect(rest).to.deep.equal({ orgId: f.orgId, ...planBody([web, api]), status: 'draft' })
    expect(Date.parse(createdAt)).to.be.within(performance.timeOrigin, Date.now() + 1000)
    expect((await f.get(`/event-readiness/${id}`)).body).to.deep.equal(answer.body)
    const { description: _, ...less } = planBody([web])
    expect((await f.send('POST', '/event-readiness', less)).body.data.description).to.equal(null)
    expect(await logOf(f, id)).to.deep.equal([])
  })

  it('are refused where they cannot be, naming what is wrong [EVR-18] [G-82]', async () => {
    const wrong = async (fields: object) => {
      const { status, body } = await f.send('POST', '/event-readiness', planBody([web], fields))
      return [status, ...(body.errors ?? []).map(({ name, code }: any) => `${name} ${code}`)]
    }
    const none = 'is_no_policy'
    expect(await wrong({ timezone: 'Europe/Nowhere' })).to.deep.equal([400, '/timezone zone_unknown'])
    expect(await wrong({ eventEnd: '2030-11-29T14:00:00Z' })).to.deep.equal([400, '/eventEnd range'])
    expect(await wrong({ eventEnd: '2201-11-29T14:00:00Z' })).to.deep.equal([400, '/eventEnd range'])
    expect(await wrong({ targets: [{ policyId: web }, { policyId: none }] })).to.deep.equal([
      400,
      '/targets/1/policyId unknown',
    ])
    const bounds: [object, string][] = [
      [{ preScaleMinutes: 1441 }, '/preScaleMinutes'],
      [{ preScaleMinutes: -1 }, '/preScaleMinutes'],
      [{ postEventMinutes: 0.5 }, '/postEventMinutes'],
      [{ expectedMultiplier: 0 }, '/expectedMultiplier'],
      [{ expectedMultiplier: 100.1 }, '/expectedMultiplier'],
      [{ targets: [] }, '/targets'],
      [{ targets: Array.from({ length: 51 }, () => ({ policyId: web })) }, '/targets'],
      [{ name: ' ' }, '/name'],
      [{ targets: [{ policyId: web, originalMin: 1 }] }, '/targets/0/originalMin'],
      [{ status: 'active' }, '/status'],
    ]
    for (const [fields, name] of bounds) {
      const [status, first] = await wrong(fields)
      expect([status, String(first).split(' ')[0]], JSON.stringify(fields)).to.deep.equal([400, name])
    }
    expect(await wrong({ expectedMultiplier: 100, preScaleMinutes: 1440, postEventMinutes: 1440 })).to.deep.equal([201])
    const other = await (await tenant()).send('POST', '/event-readiness', planBody([web]))
    expect([other.status, other.body.errors[0].name]).to.deep.equal([400, '/targets/0/policyId'])
  })

  it('are listed newest first, narrowed by status and search, counted alike [EVR-11] [EVR-12] [EVR-13] [EVR-29] [EVR-49]', async () => {
    const g = await fleet()
    const policy = await policyFor(g, 'asg-1')
    const ids: string[] = []
    for (const name of ['Spring', 'Summer 50%', 'Autumn'])
      ids.push(await made(g, [policy], { name, description: null }))
    await g.send('PATCH', `/event-readiness/${ids[2]}`, { description: 'after the SUMMER' })
    await g.send('POST', `/event-readiness/${ids[0]}/cancel`)
    const list = async (query: string) => {
      const { items, ...rest } = (await g.get(`/event-readiness?${query}`)).body.data
      const { count } = (await g.get(`/event-readiness/count?${query.replace(/&?(page|limit)=\d+/g, '')}`)).body.data
      expect(count).to.equal(rest.total)
      return [items.map(({ id }: any) => ids.indexOf(id)).join(' '), rest]
    }
    const page = (total: number, fields: object = {}) => ({ total, page: 1, limit: 20, hasMore: false, ...fields })
    expect(await list('')).to.deep.equal(['2 1 0', page(3)])
    expect(await list('status=draft')).to.deep.equal(['2 1', page(2)])
    expect(await list('status=cancelled,completed')).to.deep.equal(['0', page(1)])
    expect(await list('search=summer')).to.deep.equal(['2 1', page(2)])
    expect(await list('search=50%25')).to.deep.equal(['1', page(1)])
    expect(await list('search=summer&status=cancelled')).to.deep.equal(['', page(0)])
    expect(await list('limit=2&page=2')).to.deep.equal(['0', page(3, { limit: 2, page: 2 })])
    expect(await list('limit=2')).to.deep.equal(['2 1', page(3, { limit: 2, hasMore: true })])
    expect((await g.get('/event-readiness?limit=500')).body.data.limit).to.equal(100)
    expect((await g.get('/event-readiness?limit=0')).status).to.equal(400)
    expect((await g.get('/event-readiness?status=ready')).status).to.equal(400)
    expect((await g.get('/event-readiness/filters')).body.data).to.deep.equal({ statuses: ['draft', 'cancelled'] })
    expect((await f.get(`/event-readiness/${ids[0]}`)).status).to.equal(404)
    await g.end()
  })

  it('are changed in part while nothing has been raised [EVR-15] [EVR-46]', async () => {
    const id = await made(f, [web])
    const before = await planOf(f, id)
    const patch = (body: object) => f.send('PATCH', `/event-readiness/${id}`, body)
    const answer = await patch({ name: 'Cyber Monday' })
    expect([answer.status, answer.body.data]).to.deep.equal([200, { ...before, name: 'Cyber Monday' }])
    const times = { eventEnd: '2030-11-29T20:00:00+00:00', targets: [{ policyId: api }], description: null }
    const after = { ...before, name: 'Cyber Monday', ...times, eventEnd: '2030-11-29T20:00:00.000Z' }
    expect((await patch(times)).body.data).to.deep.equal(after)
    const wrong = await patch({ eventEnd: '2030-11-29T13:00:00Z' })
    expect([wrong.status, wrong.body.errors[0].name]).to.deep.equal([400, '/eventEnd'])
    expect((await patch({ status: 'active' })).status).to.equal(400)
    expect((await patch({ timezone: 'Mars/Base' })).body.errors[0].code).to.equal('zone_unknown')
    expect((await f.send('PATCH', '/event-readiness/none', { name: 'x' })).status).to.equal(404)
    await f.send('POST', `/event-readiness/${id}/cancel`)
    const late = await patch({ name: 'x' })
    expect([late.status, late.body.code]).to.deep.equal([409, 'plan_not_schedulable'])
  })

  it('are gone when they are deleted, and their log stays [EVR-16] [EVR-47] [EVR-17]', async () => {
    const id = await made(f, [web])
    await f.send('POST', `/event-readiness/${id}/schedule`)
    await reach(f, id, 'scheduled')
    expect((await f.send('DELETE', `/event-readiness/${id}`)).status).to.equal(204)
    expect((await f.get(`/event-readiness/${id}`)).status).to.equal(404)
    expect((await f.send('DELETE', `/event-readiness/${id}`)).status).to.equal(404)
    const { items } = (await f.get('/event-readiness?limit=100')).body.data
    expect(items.map((one: any) => one.id)).not.to.include(id)
    expect(await transitionsOf(f, id)).to.deep.equal([
      'draft>scheduling',
      'scheduling>scheduled',
      'scheduled>cancelled',
    ])
    expect((await f.get('/event-readiness/none/logs')).status).to.equal(404)
    const { items: events } = (await f.get('/security-events?type=plan_created,plan_scheduled,plan_deleted')).body.data
    const of = events.filter(({ detail }: any) => detail.planID === id).map(({ type }: any) => type)
    expect(of).to.deep.equal(['plan_deleted', 'plan_scheduled', 'plan_created'])
  })

  it('have logs by the page, oldest first, each line with exactly these fields [EVR-17] [G-85]', async () => {
    const id = await made(f, [web])
    await f.send('POST', `/event-readiness/${id}/cancel`)
    await f.send('DELETE', `/event-readiness/${id}`)
    const { items, ...page } = (await f.get(`/event-readiness/${id}/logs`)).body.data
    expect(page).to.deep.equal({ total: 1, page: 1, limit: 20, hasMore: false })
    const [{ id: lineId, createdAt, actor, ...line }] = items
    expect(line).to.deep.equal({ kind: 'transition', from: 'draft', to: 'cancelled', message: 'Cancelled.' })
    expect([typeof lineId, typeof actor, Number.isNaN(Date.parse(createdAt))]).to.deep.equal([
      'string',
      'string',
      false,
    ])
    const beyond = (await f.get(`/event-readiness/${id}/logs?page=2`)).body.data
    expect(beyond).to.deep.equal({ items: [], total: 1, page: 2, limit: 20, hasMore: false })
  })
})
