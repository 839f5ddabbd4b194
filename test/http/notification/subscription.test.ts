import { expect } from 'chai'
import { eventTypes } from '#streams/notification/event-type.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const path = '/notifications/subscriptions'
/** Status, and place and code of what is wrong. */
const told = ({ status, body }: Answer) => [
  status,
  ...(body.errors?.map((e: any) => `${e.name} ${e.code}`) ?? [body.code]),
]
const keys = eventTypes.map(({ key }) => key)

describe('subscriptions of channels', () => {
  let org: Tenant
  let channelID: string
  const channel = async (name: string) => {
    const body = { type: 'email', name, config: { email: 'fin@example.com' } }
    return (await org.send('POST', '/notifications/channels', body)).body.data.id as string
  }
  beforeEach(async () => {
    org = await tenant()
    channelID = await channel('A')
  })
  const given = (fields: object = {}) => ({ channelID, eventType: 'budget.exceeded', scopeType: 'org', ...fields })
  const send = (fields: object = {}) => org.send('POST', path, given(fields))
  const make = async (fields: object = {}): Promise<any> => {
    const answer = await send(fields)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }
  const list = async (query = ''): Promise<any[]> => (await org.get(`${path}${query}`)).body.data
  const bulk = (...subscriptions: object[]) => org.send('POST', `${path}/bulk`, { subscriptions })
  /** What they are of, sorted. */
  const seen = async () =>
    (await list()).map((s) => [s.eventType, s.scopeType, s.scopeID, s.enabled].join(' ')).toSorted()

  it('are made, listed, changed and deleted, with exactly these fields [NOTIF-09] [NOTIF-10] [NOTIF-11] [NOTIF-12] [NOTIF-21] [NOTIF-57]', async () => {
    const made = await make()
    const { id, createdAt, updatedAt, ...rest } = made
    expect(rest).to.deep.equal({ ...given(), scopeID: '', enabled: true })
    expect(Object.keys(made)).to.have.members([...Object.keys(rest), 'id', 'createdAt', 'updatedAt'])
    expect(updatedAt).to.equal(createdAt)
    const off = (await org.send('PUT', `${path}/${id}`, { enabled: false })).body.data
    expect(off).to.deep.equal({ ...made, enabled: false, updatedAt: off.updatedAt })
    expect(await list()).to.deep.equal([off])
    const other = await channel('B')
    const moved = (await org.send('PUT', `${path}/${id}`, { eventType: 'budget.warning', channelID: other })).body.data
    expect(moved).to.deep.include({ eventType: 'budget.warning', channelID: other, enabled: false })
    expect((await org.send('DELETE', `${path}/${id}`)).status).to.equal(204)
    expect(await list()).to.deep.equal([])
    for (const method of ['PUT', 'DELETE'])
      expect(told(await org.send(method, `${path}/${id}`, method === 'PUT' ? {} : undefined))).to.deep.equal([
        404,
        'not_found',
      ])
  })

  it('are to any of the 22 event types, and to nothing else [NOTIF-24] [NOTIF-54] [S-33]', async () => {
    expect(keys).to.have.length(22)
    for (const eventType of keys) expect((await make({ eventType })).eventType).to.equal(eventType)
    for (const eventType of ['', 'budget', 'cost.anomaly', 'cost.anomaly.org.warning', 'test', 'Budget.exceeded'])
      expect(told(await send({ eventType })), eventType).to.deep.equal([400, '/eventType enum'])
  })

  it('are of the organization, or of an account, group, resource or team [NOTIF-22] [NOTIF-23] [NOTIF-55]', async () => {
    const place = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1', type: 'aws-ec2' }
    await org.publish(resourceDiscovered, [{ ...place, resourceUid: 'i-1', name: 'web' }])
    const made = async (at: string) => (await org.send('POST', at, { name: 'Core' })).body.data.id as string
    const [team, group] = [await made('/teams'), await made('/resource-groups')]
    const uid = 'arn:aws:ec2:us-east-1:1:instance/i-9/a b?#%'
    for (const [scopeType, scopeID] of [
      ['org', ''],
      ['cloud_account', 'acct-1'],
      ['resource_group', group],
      ['team', team],
      ['resource', uid],
    ] as const)
      expect(await make({ scopeType, scopeID })).to.include({ scopeType, scopeID })
    for (const [fields, ...wrong] of [
      [{ scopeType: 'org', scopeID: 'x' }, 400, '/scopeID not_for_scope'],
      [{ scopeType: 'team' }, 400, '/scopeID required'],
      [{ scopeType: 'resource', scopeID: '' }, 400, '/scopeID required'],
      [{ scopeType: 'region', scopeID: 'x' }, 400, '/scopeType enum'],
      [{ scopeType: 'cloud_account', scopeID: 'acct-2' }, 404, 'not_found'],
      [{ scopeType: 'resource_group', scopeID: team }, 404, 'not_found'],
      [{ scopeType: 'team', scopeID: group }, 404, 'not_found'],
      [{ channelID: 'nobody' }, 404, 'not_found'],
    ] as const)
      expect(told(await send(fields)), JSON.stringify(fields)).to.deep.equal(wrong)
  })

  it('are once a channel, event type and scope', async () => {
    const first = await make()
    expect(told(await send({ enabled: false }))).to.deep.equal([409, 'already_exists'])
    const { id } = await make({ eventType: 'budget.warning' })
    expect(told(await org.send('PUT', `${path}/${id}`, { eventType: 'budget.exceeded' }))).to.deep.equal([
      409,
      'already_exists',
    ])
    expect(await list()).to.deep.include(first)
    expect((await list()).map(({ eventType }) => eventType)).to.deep.equal(['budget.exceeded', 'budget.warning'])
  })

  it('change their scope together with its id [NOTIF-11]', async () => {
    const { id } = await make({ scopeType: 'resource', scopeID: 'i-1' })
    const put = (fields: object) => org.send('PUT', `${path}/${id}`, fields)
    expect(told(await put({ scopeType: 'team' }))).to.deep.equal([400, '/scopeID required'])
    expect(told(await put({ scopeType: 'team', scopeID: 'i-1' }))).to.deep.equal([404, 'not_found'])
    expect((await put({ scopeID: 'i-2' })).body.data).to.include({ scopeType: 'resource', scopeID: 'i-2' })
    expect((await put({ scopeType: 'org' })).body.data).to.include({ scopeType: 'org', scopeID: '' })
    expect(told(await put({ scopeID: 'i-1' }))).to.deep.equal([400, '/scopeID not_for_scope'])
  })

  it('are listed of one channel, and to one event type', async () => {
    const other = await channel('B')
    await make()
    await make({ eventType: 'budget.warning' })
    await make({ channelID: other })
    const of = async (query: string) => (await list(query)).map((s) => [s.channelID, s.eventType])
    expect(await of(`?channel_id=${channelID}`)).to.deep.equal([
      [channelID, 'budget.exceeded'],
      [channelID, 'budget.warning'],
    ])
    expect(await of('?event_type=budget.exceeded')).to.deep.equal([
      [channelID, 'budget.exceeded'],
      [other, 'budget.exceeded'],
    ])
    expect(await of(`?event_type=budget.warning&channel_id=${other}`)).to.deep.equal([])
  })

  it('go with their channel; those of others stay [NOTIF-08] [S-33]', async () => {
    const other = await channel('B')
    await bulk(...keys.slice(0, 5).map((eventType) => given({ eventType })))
    const kept = await make({ channelID: other })
    expect(await list()).to.have.length(6)
    await org.send('DELETE', `/notifications/channels/${channelID}`)
    expect(await list()).to.deep.equal([kept])
  })

  describe('in bulk', () => {
    const resource = (n: number, fields: object = {}) => given({ scopeType: 'resource', scopeID: `i-${n}`, ...fields })

    it('are updated where they are known by channel, event type and scope, and made where not [NOTIF-13] [NOTIF-31] [S-33]', async () => {
      await make()
      await make({ scopeType: 'resource', scopeID: 'i-1' })
      const five = [
        given({ enabled: false }),
        ...[1, 2, 3].map((n) => resource(n)),
        resource(1, { eventType: keys[0] }),
      ]
      expect((await bulk(...five)).body.data).to.deep.equal({ created: 3, updated: 2 })
      expect((await bulk(...five)).body.data).to.deep.equal({ created: 0, updated: 5 })
      expect(await seen()).to.deep.equal([
        'budget.exceeded org  false',
        'budget.exceeded resource i-1 true',
        'budget.exceeded resource i-2 true',
        'budget.exceeded resource i-3 true',
        'resource.started resource i-1 true',
      ])
    })

    it('count once where they are the same, as the last says [NOTIF-31]', async () => {
      const twice = [resource(1), resource(2), resource(1, { enabled: false })]
      expect((await bulk(...twice)).body.data).to.deep.equal({ created: 2, updated: 0 })
      expect(await seen()).to.deep.equal(['budget.exceeded resource i-1 false', 'budget.exceeded resource i-2 true'])
    })

    it('are all refused where one cannot be, each by its place [NOTIF-13]', async () => {
      const wrong = await bulk(
        resource(1),
        resource(2, { channelID: 'nobody' }),
        given({ scopeID: 'x' }),
        given({ scopeType: 'team', scopeID: 'nobody' }),
      )
      expect(told(wrong)).to.deep.equal([
        400,
        '/subscriptions/1/channelID unknown',
        '/subscriptions/2/scopeID not_for_scope',
        '/subscriptions/3/scopeID unknown',
      ])
      const shapes = await bulk(resource(1), resource(2), resource(3), resource(4, { eventType: 'x' }))
      expect(told(shapes)).to.deep.equal([400, '/subscriptions/3/eventType enum'])
      expect(told(await bulk())).to.deep.equal([400, '/subscriptions minItems'])
      const many = Array.from({ length: 501 }, (_, n) => resource(n))
      expect(told(await bulk(...many))).to.deep.equal([400, '/subscriptions maxItems'])
      expect(await list()).to.deep.equal([])
      expect((await bulk(...many.slice(1))).body.data).to.deep.equal({ created: 500, updated: 0 })
    })

    it('are 5,000 at most, one by one too', async () => {
      const sql = `insert into notification_subscription
          (org_id, id, channel_id, event_type, scope_type, scope_id, enabled, created_at, updated_at)
        select $1, 's-' || n, $2, 'budget.exceeded', 'resource', 'i-' || n, true, now(), now()
        from generate_series(1, 4999) as n`
      await org.connections.store.pool.query(sql, [org.orgId, channelID])
      expect(told(await bulk(resource(5001), resource(5002)))).to.deep.equal([422, 'too_many_subscriptions'])
      expect((await bulk(resource(5000), resource(1))).body.data).to.deep.equal({ created: 1, updated: 1 })
      expect(told(await send())).to.deep.equal([422, 'too_many_subscriptions'])
      expect((await bulk(resource(5000), resource(1))).body.data).to.deep.equal({ created: 0, updated: 2 })
    })
  })
})

describe('event types', () => {
  it('are the 22 of the catalogue, each with its name and category [NOTIF-14] [NOTIF-29] [NOTIF-30] [NOTIF-54]', async () => {
    const { body } = await (await tenant()).get('/notifications/event-types')
    const lines = body.data.map((type: any) => `${type.key} | ${type.name} | ${type.category}`)
    const anomaly = (dimension: string, name: string) =>
      ['warning', 'critical', 'emergency'].map((level) => `cost.anomaly.${dimension}.${level} | ${name} | cost_anomaly`)
    expect(lines).to.deep.equal([
      'resource.started | Resource Started | resource',
      'resource.stopped | Resource Stopped | resource',
      'resource.failed | Action Failed | resource',
      'resource.override | Override Triggered | resource',
      'resource.retry_exhausted | Retry Exhausted | resource',
      'budget.warning | Budget Warning | budget',
      'budget.exceeded | Budget Exceeded | budget',
      'cost.anomaly.warning | Cost Anomaly (Warning) | cost_anomaly',
      'cost.anomaly.critical | Cost Anomaly (Critical) | cost_anomaly',
      'cost.anomaly.emergency | Cost Anomaly (Emergency) | cost_anomaly',
      ...anomaly('cloud_account', 'Cloud Account Anomaly'),
      ...anomaly('resource_group', 'Resource Group Anomaly'),
      ...anomaly('resource', 'Resource Anomaly'),
      ...anomaly('team', 'Team Anomaly'),
    ])
    expect(body.data.map((type: object) => Object.keys(type).join())).to.deep.equal(
      Array.from({ length: 22 }, () => 'key,name,category'),
    )
  })
})
