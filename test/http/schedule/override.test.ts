import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { expect } from 'chai'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const found = (cloudAccountId: string, resourceUid: string, fields: object = {}) => ({
  cloudAccountId,
  resourceUid,
  name: resourceUid,
  type: 'aws-ec2',
  provider: 'aws' as const,
  region: 'us-east-1',
  status: 'running' as const,
  schedulable: true,
  ...fields,
})

describe('overrides', () => {
  let org: Tenant
  beforeEach(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [found('acct-1', 'i-1'), found('acct-2', 'i-1'), found('acct-1', 'i-2')])
  })
  const asking = (fields: object = {}) => ({
    scopeType: 'resource',
    scopeID: 'i-1',
    desiredState: 'running',
    expiresAt: inHours(2),
    ...fields,
  })
  const make = (fields: object = {}) => org.send('POST', '/overrides', asking(fields))
  const members = async (id: string) => {
    const sql = 'select members from override where org_id = $1 and id = $2'
    return (await org.connections.store.pool.query(sql, [org.orgId, id])).rows[0].members
  }

  it('are made, listed and ended, with exactly these fields [G-22]', async () => {
    const body = asking({ reason: 'Load test' })
    const made = await org.send('POST', '/overrides', body)
    expect(made.status).to.equal(201)
    const { id, createdAt, updatedAt, userID, ...rest } = made.body.data
    expect(rest).to.deep.equal({ orgID: org.orgId, ...body, status: 'active', endedAt: null })
    expect(userID).to.match(/^[0-9a-f-]{36}$/)
    expect(updatedAt).to.equal(createdAt)
    expect(await members(id)).to.deep.equal([
      { uid: 'i-1', account: 'acct-1' },
      { uid: 'i-1', account: 'acct-2' },
    ])
    expect((await org.get('/overrides')).body.data).to.deep.equal([made.body.data])

    expect((await org.send('DELETE', `/overrides/${id}`)).status).to.equal(204)
    const [ended] = (await org.get('/overrides')).body.data
    const { endedAt } = ended
    expect(ended).to.deep.equal({ ...made.body.data, status: 'cancelled', endedAt, updatedAt: endedAt })
    expect(Date.parse(endedAt)).to.be.at.least(Date.parse(createdAt))
    const again = await org.send('DELETE', `/overrides/${id}`)
    expect([again.status, again.body.code]).to.deep.equal([409, 'invalid_transition'])
    expect((await org.send('DELETE', '/overrides/none')).status).to.equal(404)

    const { items } = (await org.get('/security-events?type=override_created,override_cancelled')).body.data
    const detail = { overrideID: id, scopeType: 'resource', scopeID: 'i-1', desiredState: 'running' }
    expect(items.map((one: any) => [one.type, one.detail])).to.deep.equal([
      ['override_cancelled', detail],
      ['override_created', detail],
    ])
  })

  it('are of what there is, for 30 days at most [G-22]', async () => {
    const told = async (fields: object) => {
      const { status, body } = await make(fields)
      return [status, body.code, body.errors?.[0]?.name]
    }
    expect(await told({ scopeID: 'i-9' })).to.deep.equal([404, 'not_found', undefined])
    expect(await told({ scopeType: 'resource_group', scopeID: 'i-1' })).to.deep.equal([404, 'not_found', undefined])
    const wrong = (name: string) => [400, 'validation_failed', name]
    expect(await told({ expiresAt: inHours(-1) })).to.deep.equal(wrong('/expiresAt'))
    expect(await told({ expiresAt: inHours(30 * 24 + 1) })).to.deep.equal(wrong('/expiresAt'))
    expect(await told({ expiresAt: 'tomorrow' })).to.deep.equal(wrong('/expiresAt'))
    expect(await told({ desiredState: 'starting' })).to.deep.equal(wrong('/desiredState'))
    const gone = { provider: 'aws', cloudAccountId: 'acct-1', resourceUid: 'i-2' } as const
    await org.publish(resourceDeleted, [gone])
    expect(await told({ scopeID: 'i-2' })).to.deep.equal([404, 'not_found', undefined])
    expect((await (await tenant()).send('POST', '/overrides', asking())).status).to.equal(404)
    expect((await org.get('/overrides')).body.data).to.deep.equal([])
  })

  it('of a group are of its present members, and one of an empty group of nobody', async () => {
    const group = async (...uids: string[]) => {
      const body = { name: `g ${uids.join()}`, members: uids.map((resourceUID) => ({ resourceUID })) }
      return (await org.send('POST', '/resource-groups', body)).body.data.id as string
    }
    const full = await make({ scopeType: 'resource_group', scopeID: await group('i-2', 'i-9', 'i-1') })
    expect(await members(full.body.data.id)).to.deep.equal([
      { uid: 'i-1', account: 'acct-1' },
      { uid: 'i-1', account: 'acct-2' },
      { uid: 'i-2', account: 'acct-1' },
    ])
    const empty = await make({ scopeType: 'resource_group', scopeID: await group() })
    expect([empty.status, await members(empty.body.data.id)]).to.deep.equal([201, []])
  })

  it('are listed newest first, narrowed by scope and by whether they hold, a page at a time [G-22]', async () => {
    const ids: string[] = []
    for (const scopeID of ['i-1', 'i-2', 'i-1']) ids.push((await make({ scopeID })).body.data.id)
    await org.send('DELETE', `/overrides/${ids[0]}`)
    const list = async (query: string) => {
      const { body, headers } = await org.get(`/overrides?${query}`)
      return [body.data.map(({ id }: any) => ids.indexOf(id)).join(' '), headers.get('x-total-count')]
    }
    expect(await list('')).to.deep.equal(['2 1 0', '3'])
    expect(await list('active=true')).to.deep.equal(['2 1', '2'])
    expect(await list('active=false')).to.deep.equal(['0', '1'])
    expect(await list('scope_type=resource&scope_id=i-1')).to.deep.equal(['2 0', '2'])
    expect(await list('scope_type=resource_group')).to.deep.equal(['', '0'])
    expect(await list('limit=2&page=2')).to.deep.equal(['0', '3'])
  })

  it('expire at their time, told of once on the stream of events [G-22] [NOTIF-35]', async () => {
    const { nats } = org.connections
    const consumer = await jetstream(nats).consumers.get('EVENTS', {
      filter_subjects: [`event.resource.${org.orgId}.>`],
    })
    const { id } = (await make({ scopeID: 'i-2', expiresAt: inHours(3) })).body.data
    const state = async () => (await org.get('/overrides')).body.data[0].status
    try {
      await setClock(new Date(Date.parse(inHours(3)) + 2000), org.orgId)
      await until('the end', async () => (await state()) === 'expired')
    } finally {
      await resetClock()
    }
    const told = await consumer.next({ expires: 30_000 })
    expect(told!.subject).to.equal(`event.resource.${org.orgId}.resource.override`)
    expect(told!.json<any>().data.data.overrideID).to.equal(id)
    const { streams } = await jetstreamManager(nats)
    const info = await streams.info('EVENTS', { subjects_filter: `event.resource.${org.orgId}.>` })
    expect(info.state.subjects).to.deep.equal({ [`event.resource.${org.orgId}.resource.override`]: 1 })
  })
})
