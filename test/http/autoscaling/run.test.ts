/** Policies with their actor behind the routes: made, fed with load, applied, paused, removed. */
import { expect } from 'chai'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const path = '/autoscaler-policies'

/** CPU of a target now, by the clock of the product: other tests may have moved it on. */
const load = (org: Tenant, resourceUid: string, value: number, place: string) =>
  org.publish(
    metricSample,
    [
      {
        resourceUid,
        samples: [{ metric: 'cpu_percent', value, ts: new Date(org.connections.clock.now()).toISOString() }],
      },
    ],
    {
      place,
    },
  )

const web = (fields: object) => ({
  name: 'Web',
  mode: 'recommend',
  min: 2,
  max: 10,
  targetCPUPercent: 60,
  cooldownSeconds: 300,
  ...fields,
})

describe('an autoscaler policy of an account that nobody has connected', () => {
  let org: Tenant
  let id: string
  const target = { type: 'aws-asg', uid: 'asg-1' }
  const events = async () => (await org.get(`${path}/${id}/events`)).body.data as any[]
  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [found('asg-1', { type: 'aws-asg', unitCount: 4 })])
    const made = await org.send('POST', path, web({ mode: 'autopilot', cloudAccountID: 'acct-1', target }))
    expect(made.status).to.equal(201)
    id = made.body.data.id
  })

  it('is asked to act by itself, and only watches [ASC-26] [ASC-27]', async () => {
    const { data } = (await org.get(`${path}/${id}`)).body
    expect([data.mode, data.effectiveMode, data.status]).to.deep.equal(['autopilot', 'monitor', 'active'])
  })

  it('says what it would do, and does not [ASC-15] [ASC-24] [ASC-28]', async () => {
    await load(org, 'asg-1', 90, 'acct-1')
    await until('the recommendation', async () => (await events()).length > 0)
    const [{ id: _id, createdAt: _at, ...said }] = (await events()) as [any]
    expect(said).to.deep.equal({
      kind: 'recommendation',
      fromMin: 2,
      fromMax: 10,
      toMin: 6,
      toMax: 10,
      reason: 'CPU averaged 90% across 4 units in the last 5 minutes; the target is 60%.',
      appliedBy: null,
    })
    const { data } = (await org.get(`${path}/${id}`)).body
    expect(data.latestRecommendation).to.deep.include({ fromMin: 2, fromMax: 10, toMin: 6, toMax: 10 })
    expect(told(await org.send('POST', `${path}/${id}/apply`))).to.deep.equal([422, 'capability_missing'])
  })

  it('is one of its target [G-75]', async () => {
    expect(told(await org.send('POST', path, web({ cloudAccountID: 'acct-1', target })))).to.deep.equal([
      409,
      'already_exists',
    ])
  })

  it('rests while it is paused, and cannot be paused twice [ASC-08] [ASC-09] [ASC-37]', async () => {
    expect((await org.send('POST', `${path}/${id}/pause`)).body.data.status).to.equal('paused')
    expect(told(await org.send('POST', `${path}/${id}/pause`))).to.deep.equal([409, 'invalid_transition'])
    const before = (await events()).length
    await load(org, 'asg-1', 99, 'acct-1')
    expect((await events()).length).to.equal(before)
    expect((await org.send('POST', `${path}/${id}/resume`)).body.data.status).to.equal('active')
    expect(told(await org.send('POST', `${path}/${id}/resume`))).to.deep.equal([409, 'invalid_transition'])
  })

  it('is changed but for its mode, and removed with its events left behind [ASC-10] [ASC-16] [ASC-17]', async () => {
    const put = (await org.send('PUT', `${path}/${id}`, { min: 3, mode: 'monitor' })).body.data
    expect([put.min, put.mode]).to.deep.equal([3, 'autopilot'])
    const { body } = await org.send('POST', `${path}/${id}/remove`)
    expect([body.data.status, body.data.min, body.data.removedAt]).to.deep.equal(['removed', 3, body.data.removedAt])
    expect((await org.get(path)).body.data.total).to.equal(0)
    expect(told(await org.get(`${path}/${id}`))).to.deep.equal([404, 'not_found'])
    const kinds = async () => (await events()).map(({ kind }) => kind)
    await until('the last event', async () => (await kinds()).at(-1) === 'remove')
    expect(await kinds()).to.include.members(['recommendation', 'pause', 'resume'])
    // The target may have another one, which is not the same.
    const again = await org.send('POST', path, web({ cloudAccountID: 'acct-1', target }))
    expect([again.status, again.body.data.id === id]).to.deep.equal([201, false])
    expect((await org.send('DELETE', `${path}/${again.body.data.id}`)).status).to.equal(204)
    expect((await org.get(`${path}/count?include_removed=true`)).body.data.removed).to.equal(2)
  })
})

describe('an autoscaler policy of an account that may be changed', () => {
  let f: Fleet
  let id: string
  const events = async () => (await f.get(`${path}/${id}/events`)).body.data as any[]
  before(async () => {
    f = await fleet()
    await until('the verdict', async () => {
      const { body } = await f.get(`/cloud-accounts/${f.accountId}`)
      return body.data.permissionVerdict === 'read_write'
    })
    await f.discover(['asg-1'], 'running', { type: 'aws-asg', unitCount: 4 })
    const target = { type: 'aws-asg', uid: 'asg-1' }
    const made = await f.send('POST', path, web({ cloudAccountID: f.accountId, target }))
    expect([made.status, made.body.data.effectiveMode]).to.deep.equal([201, 'recommend'])
    id = made.body.data.id
  })
  after(() => f.end())

  it('does what it recommends once somebody says so [ASC-07] [ASC-25] [ASC-29]', async () => {
    expect(told(await f.send('POST', `${path}/${id}/apply`))).to.deep.equal([409, 'no_recommendation'])
    const shown = async () => (await f.get(`${path}/${id}`)).body.data
    await load(f, 'asg-1', 90, f.accountId)
    await until('the recommendation', async () => (await shown()).latestRecommendation !== undefined)
    const { toMin } = (await shown()).latestRecommendation
    const applied = await f.send('POST', `${path}/${id}/apply`)
    expect([applied.status, applied.body.data.latestRecommendation]).to.deep.equal([200, undefined])
    const kinds = async () => (await events()).map(({ kind }) => kind)
    // The event is stored right before the commit that makes the change visible.
    await until('the change', async () => {
      const { currentTarget } = await shown()
      return (await kinds()).includes('apply') && currentTarget.min === toMin
    })
    const event = (await events()).find(({ kind }) => kind === 'apply')
    expect([event.toMin, event.toMax, typeof event.appliedBy]).to.deep.equal([toMin, 10, 'string'])
    expect((await shown()).lastWriteAt).to.match(/Z$/)
  })
})
