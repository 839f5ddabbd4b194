import { expect } from 'chai'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const hook = 'https://hooks.slack.com/services/T000/B000/XXXX'
const path = '/notifications'
/** Status, and place and code of what is wrong. */
const told = ({ status, body }: Answer) => [
  status,
  ...(body.errors?.map((e: any) => `${e.name} ${e.code}`) ?? [body.code]),
]
const flags = { notifyOnStart: false, notifyOnStop: true, notifyOnFailure: false, notifyOnOverride: true }

describe('the notifications of before there were channels', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  const make = async (fields: object = {}): Promise<any> => {
    const answer = await org.send('POST', path, { channel: 'slack', webhookURL: hook, ...flags, ...fields })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }
  const list = async (): Promise<any[]> => (await org.get(path)).body.data
  /** What its channel is subscribed to. */
  const subscribed = async (id: string) => {
    const sql = `select event_type, scope_type, scope_id from notification_subscription
      where org_id = $1 and channel_id = $2 and enabled order by event_type`
    const { rows } = await org.connections.store.pool.query(sql, [org.orgId, id])
    return rows.map((row: object) => Object.values(row).join(' '))
  }

  it('are made, listed, changed in part and deleted, with exactly these fields [NOTIF-01] [NOTIF-02] [NOTIF-03] [NOTIF-04] [NOTIF-25]', async () => {
    const made = await make()
    const { id, createdAt, updatedAt, ...rest } = made
    expect(rest).to.deep.equal({ channel: 'slack', webhookURL: hook, ...flags })
    expect(Object.keys(made)).to.have.members([...Object.keys(rest), 'id', 'createdAt', 'updatedAt'])
    expect(updatedAt).to.equal(createdAt)
    expect(await list()).to.deep.equal([made])
    const changed = (await org.send('PUT', `${path}/${id}`, { notifyOnStop: false })).body.data
    expect(changed).to.deep.equal({ ...made, notifyOnStop: false, updatedAt: changed.updatedAt })
    const other = { channel: 'teams', webhookURL: `${hook}2`, notifyOnStart: true }
    const again = (await org.send('PUT', `${path}/${id}`, other)).body.data
    expect(again).to.deep.equal({ ...changed, ...other, updatedAt: again.updatedAt })
    expect(await list()).to.deep.equal([again])
    expect((await org.send('DELETE', `${path}/${id}`)).status).to.equal(204)
    expect([await list(), await subscribed(id)]).to.deep.equal([[], []])
    for (const method of ['PUT', 'DELETE'])
      expect(told(await org.send(method, `${path}/${id}`, method === 'PUT' ? {} : undefined))).to.deep.equal([
        404,
        'not_found',
      ])
  })

  it('say in every answer that they are deprecated, and until when [NOTIF-01] [NOTIF-02] [NOTIF-03] [NOTIF-04] [VER-03]', async () => {
    const { id } = await make()
    for (const [method, at, works, body] of [
      ['GET', path, 200],
      ['POST', path, 201, { channel: 'slack', webhookURL: hook }],
      ['PUT', `${path}/${id}`, 200, {}],
      ['DELETE', `${path}/${id}`, 204],
    ] as const) {
      const { headers, status } = await org.send(method, at, body)
      expect(status, method).to.equal(works)
      expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')], method).to.deep.equal([
        '@1767225600',
        'Sat, 01 Jan 2028 00:00:00 GMT',
        '</notifications/channels>; rel="deprecation"',
      ])
    }
  })

  it('are subscriptions of the whole organization by their flags [NOTIF-26]', async () => {
    const { id } = await make()
    expect(await subscribed(id)).to.deep.equal(['resource.override org ', 'resource.stopped org '])
    await org.send('PUT', `${path}/${id}`, { notifyOnFailure: true, notifyOnOverride: false })
    expect(await subscribed(id)).to.deep.equal(['resource.failed org ', 'resource.stopped org '])
    const quiet = (await org.send('POST', path, { channel: 'google_chat', webhookURL: hook })).body.data
    expect(await subscribed(quiet.id)).to.deep.equal([])
  })

  it('are shown by nothing that is new, nor are channels by them', async () => {
    const { id } = await make()
    const sql = 'select id from notification_subscription where channel_id = $1 limit 1'
    const { id: sub } = (await org.connections.store.pool.query(sql, [id])).rows[0] as { id: string }
    expect((await org.get('/notifications/channels')).body.data).to.deep.equal([])
    expect((await org.get('/notifications/subscriptions')).body.data).to.deep.equal([])
    expect((await org.get(`/notifications/subscriptions?channel_id=${id}`)).body.data).to.deep.equal([])
    const subscription = { channelID: id, eventType: 'budget.exceeded', scopeType: 'org' }
    for (const [method, at, body] of [
      ['PUT', `/notifications/channels/${id}`, {}],
      ['DELETE', `/notifications/channels/${id}`],
      ['POST', `/notifications/channels/${id}/test`],
      ['GET', `/notifications/channels/${id}/signing-secret`],
      ['PUT', `/notifications/subscriptions/${sub}`, { enabled: false }],
      ['DELETE', `/notifications/subscriptions/${sub}`],
      ['POST', '/notifications/subscriptions', subscription],
    ] as const)
      expect(told(await org.send(method, at, body)), `${method} ${at}`).to.deep.equal([404, 'not_found'])
    const many = { subscriptions: [subscription] }
    expect(told(await org.send('POST', '/notifications/subscriptions/bulk', many))).to.deep.equal([
      400,
      '/subscriptions/0/channelID unknown',
    ])
    const body = { type: 'email', name: 'A', config: { email: 'a@example.com' } }
    const channel = (await org.send('POST', '/notifications/channels', body)).body.data.id as string
    expect(told(await org.send('DELETE', `${path}/${channel}`))).to.deep.equal([404, 'not_found'])
    expect((await list()).map((one) => one.id)).to.deep.equal([id])
  })

  it('take chats alone, at addresses outside, and show those who may not change them the host [NOTIF-02] [NOTIF-25]', async () => {
    const wrong = async (fields: object) =>
      told(await org.send('POST', path, { channel: 'slack', webhookURL: hook, ...fields }))
    expect(await wrong({ channel: 'email' })).to.deep.equal([400, '/channel enum'])
    expect(await wrong({ webhookURL: 'hooks' })).to.deep.equal([400, '/webhookURL address_refused'])
    expect(await wrong({ notifyOnStop: 'yes' })).to.deep.equal([400, '/notifyOnStop type'])
    expect((await make({ channel: 'chat_b' })).channel).to.equal('teams')
    const headers = { Authorization: `Bearer ${await org.tokenFor('viewer')}` }
    const seen = (await (await fetch(`${org.url}${path}`, { headers })).json()) as any
    expect(seen.data[0].webhookURL).to.equal('https://hooks.slack.com/...')
  })
})
