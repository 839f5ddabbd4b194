import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { agreed } from '#test/harness/chat.ts'
import { receiver, type Receiver } from '#test/harness/receiver.ts'
import { tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'

const hook = 'https://hooks.slack.com/services/T000/B000/XXXX'
const chat = (fields: object = {}) => ({ type: 'slack', name: '#costs', config: { webhookURL: hook }, ...fields })
const mail = (fields: object = {}) => ({
  type: 'email',
  name: 'FinOps',
  config: { email: 'fin@example.com' },
  ...fields,
})
const path = '/notifications/channels'

/** Status, and place and code of what is wrong. */
const told = ({ status, body }: Answer) => [
  status,
  ...(body.errors?.map((e: any) => `${e.name} ${e.code}`) ?? [body.code]),
]

describe('channels of notifications', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  const make = async (body: object): Promise<any> => {
    const answer = await org.send('POST', path, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }
  const list = async (): Promise<any[]> => (await org.get(path)).body.data
  const asViewer = async (method: string, at: string) => {
    const headers = { Authorization: `Bearer ${await org.tokenFor('viewer')}` }
    const response = await fetch(`${org.url}${at}`, { method, headers })
    return { status: response.status, body: (await response.json()) as any }
  }

  it('are made, listed by name, changed and deleted, with exactly these fields [NOTIF-05] [NOTIF-06] [NOTIF-07] [NOTIF-08] [NOTIF-18]', async () => {
    const costs = await make(chat({ name: ' #costs ' }))
    const { id, createdAt, updatedAt, ...rest } = costs
    expect(rest).to.deep.equal({ type: 'slack', name: '#costs', config: { webhookURL: hook } })
    expect([Object.keys(costs).toSorted(), updatedAt]).to.deep.equal([
      ['config', 'createdAt', 'id', 'name', 'type', 'updatedAt'],
      createdAt,
    ])
    const ops = await make(chat({ type: 'teams', name: 'A team', config: { webhookURL: `${hook}2` } }))
    expect(await list()).to.deep.equal([costs, ops].toSorted((a, b) => (a.name < b.name ? -1 : 1)))

    const renamed = (await org.send('PUT', `${path}/${id}`, { name: 'Money' })).body.data
    expect(renamed).to.deep.equal({ ...costs, name: 'Money', updatedAt: renamed.updatedAt })
    const config = { digest: 'daily', timezone: 'Europe/Berlin' }
    const digested = (await org.send('PUT', `${path}/${id}`, { config })).body.data
    expect(digested.config).to.deep.equal({ webhookURL: hook, ...config })
    const moved = (await org.send('PUT', `${path}/${id}`, { config: { webhookURL: `${hook}3` } })).body.data
    expect(moved.config).to.deep.equal({ webhookURL: `${hook}3` })

    expect((await org.send('DELETE', `${path}/${id}`)).status).to.equal(204)
    expect(await list()).to.deep.equal([ops])
    expect(told(await org.send('DELETE', `${path}/${id}`))).to.deep.equal([404, 'not_found'])
    expect(told(await org.send('PUT', `${path}/${id}`, {}))).to.deep.equal([404, 'not_found'])
  })

  it('are a chat, a receiver of one’s own or mail, and stay of their type [NOTIF-07] [NOTIF-19] [NOTIF-56]', async () => {
    for (const type of ['slack', 'teams', 'google_chat', 'generic_webhook'])
      expect((await make(chat({ type }))).type).to.equal(type)
    for (const [given, type] of Object.entries({ chat_a: 'slack', chat_b: 'teams', chat_c: 'google_chat' }))
      expect((await make(chat({ type: given }))).type, given).to.equal(type)
    const { id } = await make(mail())
    for (const type of ['discord', 'webhook', 'chat_d', '', 'Slack'])
      expect(told(await org.send('POST', path, chat({ type }))), type).to.deep.equal([400, '/type enum'])
    expect((await org.send('PUT', `${path}/${id}`, { type: 'email', name: 'Same' })).body.data.name).to.equal('Same')
    expect(told(await org.send('PUT', `${path}/${id}`, { type: 'slack' }))).to.deep.equal([400, '/type fixed'])
  })

  it('take the config of their type alone, every wrong member named [NOTIF-20]', async () => {
    const night = { timezone: 'Europe/Berlin', from: '20:00', to: '08:00' }
    const all = { digest: 'hourly', timezone: 'UTC', quietHours: night, fold: true }
    expect((await make(chat({ config: { webhookURL: hook, ...all } }))).config).to.deep.equal({
      webhookURL: hook,
      ...all,
    })
    expect((await make(mail({ config: { address: 'b@example.com' } }))).config).to.deep.equal({
      email: 'b@example.com',
    })
    const wrong = async (body: object) => told(await org.send('POST', path, body))
    const email = 'a@example.com'
    for (const [body, ...errors] of [
      [chat({ config: {} }), '/config/webhookURL required'],
      [chat({ config: { email } }), '/config/email not_for_type', '/config/webhookURL required'],
      [chat({ config: { webhookURL: hook, address: email } }), '/config/address not_for_type'],
      [mail({ config: {} }), '/config/email required'],
      [mail({ config: { webhookURL: hook } }), '/config/webhookURL not_for_type', '/config/email required'],
      [mail({ config: { email, address: 'b@example.com' } }), '/config/address repeated'],
      [mail({ config: { email: 'nobody' } }), '/config/email pattern'],
      [mail({ config: { email: 'a@b.c\r\nBcc: x@y.z' } }), '/config/email pattern'],
      [chat({ config: { webhookURL: 'hooks.slack.com' } }), '/config/webhookURL address_refused'],
      [
        chat({ type: 'pagerduty', config: { webhookURL: 'https://events.pagerduty.com/v2/enqueue' } }),
        '/config/webhookURL key_missing',
      ],
      [
        chat({ type: 'opsgenie', config: { webhookURL: 'https://api.opsgenie.com/v2/alerts#' } }),
        '/config/webhookURL key_missing',
      ],
      [chat({ config: { webhookURL: 'ftp://hooks.slack.com/x' } }), '/config/webhookURL address_refused'],
      [chat({ config: { webhookURL: 'https://a:b@hooks.slack.com/x' } }), '/config/webhookURL address_refused'],
      [mail({ config: { email, timezone: 'Europe/Munich' } }), '/config/timezone zone_unknown'],
      [
        mail({ config: { email, quietHours: { ...night, timezone: 'X' } } }),
        '/config/quietHours/timezone zone_unknown',
      ],
      [mail({ config: { email, quietHours: { ...night, to: '20:00' } } }), '/config/quietHours/to range'],
      [mail({ config: { email, quietHours: { ...night, to: '24:00' } } }), '/config/quietHours/to pattern'],
      [mail({ config: { email, digest: 'weekly' } }), '/config/digest enum'],
      [mail({ name: ' ' }), '/name pattern'],
    ] as const)
      expect(await wrong(body), JSON.stringify(body)).to.deep.equal([400, ...errors])
  })

  it('show where a chat is posted to, to those alone who may change it, and keep it sealed [NOTIF-05]', async () => {
    const { id } = await make(chat())
    const seen = (await asViewer('GET', path)).body.data
    expect(seen[0].config).to.deep.equal({ webhookURL: 'https://hooks.slack.com/...' })
    // A config that is sent back as it was seen leaves the address as it is.
    const back = (await org.send('PUT', `${path}/${id}`, { config: seen[0].config })).body.data
    expect(back.config).to.deep.equal({ webhookURL: hook })
    const { rows } = await org.connections.store.pool.query('select * from notification_channel where id = $1', [id])
    expect(JSON.stringify(rows)).to.not.match(/B000|whsec_/)
    expect((await asViewer('GET', `${path}/${id}/signing-secret`)).status).to.equal(403)
  })

  it('are 100 at most, those of the deprecated routes aside', async () => {
    await org.send('POST', '/notifications', { channel: 'slack', webhookURL: hook })
    const sql = `insert into notification_channel (org_id, id, type, name, signing_secret, options, created_at, updated_at)
      select $1, 'c-' || n, 'email', 'n', '', '{}', now(), now() from generate_series(1, 99) as n`
    await org.connections.store.pool.query(sql, [org.orgId])
    await make(mail())
    expect(told(await org.send('POST', path, mail()))).to.deep.equal([422, 'too_many_channels'])
  })

  it('sign with a secret of their own, which can be renewed', async () => {
    const { id } = await make(chat())
    const secret = async (method = 'GET') => {
      const { body, headers } = await org.send(method, `${path}/${id}/signing-secret`)
      expect(headers.get('cache-control')).to.equal('no-store')
      return body.data.signingSecret as string
    }
    const first = await secret()
    expect(first).to.match(/^whsec_[\w-]{43}$/)
    expect(await secret()).to.equal(first)
    const second = await secret('POST')
    expect(second).to.match(/^whsec_[\w-]{43}$/)
    expect(second).to.not.equal(first)
    expect(await secret()).to.equal(second)
  })

  it('ask their recipient again once it is given anew, after it said to get no more', async () => {
    const { id } = await make(mail())
    const { pool } = org.connections.store
    const silent = async () =>
      (await pool.query('select unsubscribed_at from notification_channel where id = $1', [id])).rows[0].unsubscribed_at
    await pool.query('update notification_channel set unsubscribed_at = now() where id = $1', [id])
    await org.send('PUT', `${path}/${id}`, { name: 'Other', config: { fold: true } })
    expect(await silent()).to.be.instanceOf(Date)
    expect(told(await org.send('POST', `${path}/${id}/test`))).to.deep.equal([422, 'recipient_unsubscribed'])
    await org.send('PUT', `${path}/${id}`, { config: { email: 'fin@example.com' } })
    expect(await silent()).to.equal(null)
    expect(told(await org.send('POST', `${path}/${id}/test`)), 'asked again').to.deep.equal([
      422,
      'recipient_unconfirmed',
    ])
  })

  it('show the last delivery that could not be made, as long as there is one [NOTIF-18]', async () => {
    const { id } = await make(chat())
    const sql = `insert into channel_health (org_id, channel_id, failures, failed_at, broken_since, last_at, last_delivery_id,
        last_event_type, last_status, last_message)
      values ($1, $2, 5, '[]', $3, $4, 'd-1', 'budget.exceeded', $5, 'The server returned HTTP 404.')`
    const { pool } = org.connections.store
    await pool.query(sql, [org.orgId, id, null, '2026-01-15T10:00:00Z', 404])
    const failure = {
      at: '2026-01-15T10:00:00.000Z',
      deliveryID: 'd-1',
      eventType: 'budget.exceeded',
      responseStatus: 404,
      message: 'The server returned HTTP 404.',
    }
    expect((await list())[0].lastFailure).to.deep.equal(failure)
    await pool.query('update channel_health set broken_since = $2, last_status = 0 where channel_id = $1', [
      id,
      '2026-01-15T09:00:00Z',
    ])
    const { responseStatus: _, ...unanswered } = failure
    expect((await list())[0].lastFailure).to.deep.equal({ ...unanswered, brokenSince: '2026-01-15T09:00:00.000Z' })
    await pool.query('update channel_health set last_at = null where channel_id = $1', [id])
    expect((await list())[0]).to.not.have.property('lastFailure')
  })

  it('are written down when they change, without what is secret', async () => {
    const { id } = await make(chat())
    await org.send('PUT', `${path}/${id}`, { name: 'Money' })
    await org.send('POST', `${path}/${id}/signing-secret`)
    await org.send('DELETE', `${path}/${id}`)
    const { items } = (await org.get('/security-events?type=channel_changed')).body.data
    const changes = ['deleted', 'secret_renewed', 'changed', 'created']
    expect(items.map(({ detail }: any) => detail)).to.deep.equal(changes.map((change) => ({ channelID: id, change })))
  })

  describe('by the test button', () => {
    let chatRoom: Receiver
    before(async () => void (chatRoom = await receiver()))
    after(() => chatRoom.end())
    const press = async (id: string, key?: string) => {
      const headers = { Authorization: `Bearer ${org.token}`, ...(key && { 'Idempotency-Key': key }) }
      const response = await fetch(`${org.url}${path}/${id}/test`, { method: 'POST', headers })
      return ((await response.json()) as any).data
    }

    it('send one marked event now and say what came of it, once under an Idempotency-Key [NOTIF-56]', async () => {
      const { id } = await make(chat({ config: { webhookURL: chatRoom.url } }))
      const key = randomUUID()
      const first = await press(id, key)
      expect(first).to.deep.equal({ delivered: true, status: 200, message: '', deliveryID: first.deliveryID })
      expect(await press(id, key)).to.deep.equal(first)
      expect(chatRoom.posts.map(({ path: at, headers }) => [at, headers['x-tidemark-delivery']])).to.deep.equal([
        ['/hooks/T0/secret', first.deliveryID],
      ])
      expect(chatRoom.posts[0]!.body).to.include('Test of the channel #costs')
      chatRoom.status = 404
      const refused = await press(id)
      expect(refused).to.include({ delivered: false, status: 404 })
      expect(refused.message).to.not.include('127.0.0.1')
    })

    it('reach the recipient of a mail channel [NOTIF-56]', async () => {
      const email = `${randomUUID()}@example.com`
      const { id } = await make(mail({ config: { email } }))
      await agreed(id)
      expect(await press(id)).to.include({ delivered: true, status: 0 })
      const mails = async () => (await org.get(`/internal/sim/mails?to=${email}`)).body.data
      await until('the mail, after the one that asks', async () => (await mails()).length === 2)
      expect((await mails()).map(({ subject }: any) => subject)).to.include('Test of the channel FinOps')
    })
  })
})
