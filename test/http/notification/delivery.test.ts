import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { notificationDeliveryTable } from '#analytics/notification/tables.ts'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { addressMark, linkToken, type LinkClaim } from '#streams/notification/link.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'
import { agreed } from '#test/harness/chat.ts'
import { testProduct } from '#test/harness/product.ts'

const hourMs = 3_600_000
/** Rows of long ago go by themselves. */
const began = Math.floor(Date.now() / hourMs) * hourMs - 48 * hourMs
/** Whole hours behind it. */
const at = (hours: number) => new Date(began + hours * hourMs)

const event = (orgID: string, fields: Partial<NotificationEvent> = {}): NotificationEvent => ({
  id: 'e-1',
  eventType: 'budget.exceeded',
  name: 'Budget Exceeded',
  category: 'budget',
  orgID,
  occurredAt: at(0).toISOString(),
  title: 'The budget of team Payments is exceeded',
  summary: 'Spend of 2026-01 is 1020 of 1000 USD (102%).',
  scope: { type: 'team', id: 't-1' },
  data: { month: '2026-01', currentSpendUSD: 1020, monthlyBudgetUSD: 1000 },
  ...fields,
})

/** A row as the delivery actor appends it, so many hours behind the first. */
const row = (told: NotificationEvent, id: string, hours: number, fields: object = {}) => ({
  org_id: told.orgID,
  created_at: at(hours).toISOString().slice(0, -1),
  id,
  channel_id: 'c-1',
  kind: 'event',
  event_id: told.id,
  event_type: told.eventType,
  category: told.category,
  severity: told.severity ?? '',
  title: told.title,
  scope_type: told.scope.type,
  scope_id: told.scope.id,
  status: 'delivered',
  hold: '',
  tries: 1,
  response_status: 200,
  message: '',
  next_try_at: null,
  ended_at: at(hours).toISOString().slice(0, -1),
  folded_into: '',
  event: JSON.stringify(told),
  x_Version: '1',
  ...fields,
})

const kept = async (...values: object[]) => {
  const { clickhouse } = (await testProduct()).connections
  await clickhouse.insert({ table: notificationDeliveryTable.name, values, format: 'JSONEachRow' })
}

describe('the log of deliveries', () => {
  let ana: Founder
  before(async () => void (ana = await founder()))
  const get = (path = '', who = ana) => ask('GET', `/notifications/deliveries${path}`, { token: who.accessToken })
  const ids = async (query: string, who = ana): Promise<string[]> =>
    (await get(query, who)).body.data.items.map(({ id }: { id: string }) => id)

  it('holds exactly these fields, as they stand last, and the whole event where one is asked for', async () => {
    const told = event(ana.orgId)
    const waiting = { status: 'pending', tries: 0, response_status: 0, ended_at: null }
    await kept(row(told, 'd-1', 0, waiting), row(told, 'd-1', 0, { x_Version: '2' }))
    const anomaly = event(ana.orgId, {
      id: 'e-2',
      eventType: 'cost.anomaly.critical',
      category: 'cost_anomaly',
      severity: 'critical',
      title: 'Costs are twice as high',
      scope: { type: 'org', id: '' },
    })
    const again = at(3).toISOString().slice(0, -1)
    const held = {
      ...waiting,
      status: 'held',
      hold: 'circuit',
      tries: 2,
      response_status: 503,
      message: 'The server returned HTTP 503.',
    }
    await kept(row(anomaly, 'd-2', 1, { ...held, next_try_at: again, channel_id: 'c-2' }))
    await kept(row(anomaly, 'd-3', 2, { status: 'folded', folded_into: 'd-2', response_status: 0, tries: 0 }))
    const { items, ...page } = (await get()).body.data
    expect(page).to.deep.equal({ total: 3, page: 1, limit: 50, hasMore: false })
    const first = {
      id: 'd-1',
      channelID: 'c-1',
      kind: 'event',
      eventID: 'e-1',
      eventType: 'budget.exceeded',
      category: 'budget',
      title: told.title,
      scope: { type: 'team', id: 't-1' },
      status: 'delivered',
      tries: 1,
      responseStatus: 200,
      createdAt: at(0).toISOString(),
      endedAt: at(0).toISOString(),
    }
    const spike = {
      kind: 'event',
      eventID: 'e-2',
      eventType: 'cost.anomaly.critical',
      category: 'cost_anomaly',
      severity: 'critical',
      title: anomaly.title,
      scope: { type: 'org', id: '' },
    }
    expect(items).to.deep.equal([
      {
        ...spike,
        id: 'd-3',
        channelID: 'c-1',
        status: 'folded',
        tries: 0,
        createdAt: at(2).toISOString(),
        endedAt: at(2).toISOString(),
        foldedInto: 'd-2',
      },
      {
        ...spike,
        id: 'd-2',
        channelID: 'c-2',
        status: 'held',
        hold: 'circuit',
        tries: 2,
        responseStatus: 503,
        message: 'The server returned HTTP 503.',
        createdAt: at(1).toISOString(),
        nextTryAt: at(3).toISOString(),
      },
      first,
    ])
    expect((await get('/d-1')).body.data).to.deep.equal({ ...first, event: told })
    const none = await get('/nobody')
    expect([none.status, none.body.code]).to.deep.equal([404, 'not_found'])
  })

  it('is narrowed by channel, event type, status and time, and read a page at a time', async () => {
    for (const [query, ...expected] of [
      ['?channel_id=c-2', 'd-2'],
      ['?channel_id=c-1,c-2', 'd-3', 'd-2', 'd-1'],
      ['?event_type=budget.exceeded', 'd-1'],
      ['?event_type=test'],
      ['?status=held,folded', 'd-3', 'd-2'],
      ['?status=delivered&channel_id=c-2'],
      [`?from=${at(1).toISOString()}&to=${at(2).toISOString()}`, 'd-2'],
      [`?from=${at(1).toISOString()}`, 'd-3', 'd-2'],
      ['?limit=1&page=2', 'd-2'],
    ] as const)
      expect(await ids(query), query).to.deep.equal(expected)
    const { items: _, ...beyond } = (await get('?limit=2&page=3')).body.data
    expect(beyond).to.deep.equal({ total: 3, page: 3, limit: 2, hasMore: false })
    expect((await get('?limit=1000')).body.data.limit).to.equal(200)
    for (const query of ['?status=sent', '?event_type=budget', '?limit=0'])
      expect((await get(query)).status, query).to.equal(400)
  })

  it('shows built-in mails to whoever gets them, and to admins', async () => {
    const own = await founder()
    const [ben, cem] = [await colleague(own, 'editor'), await colleague(own, 'admin')]
    const told = event(own.orgId)
    await kept(row(told, 'd-ben', 1, { channel_id: `mail:${ben.userId}` }), row(told, 'd-chat', 0))
    await kept(row(told, 'd-ana', 2, { channel_id: `mail:${own.userId}` }))
    expect(await ids('', own)).to.deep.equal(['d-ana', 'd-ben', 'd-chat'])
    expect(await ids('', cem)).to.deep.equal(['d-ana', 'd-ben', 'd-chat'])
    expect(await ids('', ben)).to.deep.equal(['d-ben', 'd-chat'])
    expect(await Promise.all(['d-ben', 'd-ana'].map(async (id) => (await get(`/${id}`, ben)).status))).to.deep.equal([
      200, 404,
    ])
  })

  it('shows of costs only what is of their accounts and teams, to those whose role is narrowed', async () => {
    const own = await founder()
    const permissions = ['service.view']
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: ['t-1'] }
    const role = await ask('POST', '/roles', {
      token: own.accessToken,
      body: { name: 'Some', permissions, reportScope },
    })
    expect(role.status, JSON.stringify(role.body)).to.equal(201)
    const ben = await colleague(own, role.body.data.id)
    const of = (type: NotificationEvent['scope']['type'], id: string, fields: object = {}) =>
      event(own.orgId, { scope: { type, id }, ...fields })
    await kept(
      ...[
        of('team', 't-1'),
        of('team', 't-2'),
        of('team', 'acct-1'),
        of('cloud_account', 'acct-1', { category: 'cost_anomaly' }),
        of('cloud_account', 't-1'),
        of('org', ''),
        of('resource', 'i-1', { category: 'cost_anomaly' }),
        of('resource', 'i-1', { category: 'resource', eventType: 'resource.started' }),
      ].map((told, n) => row(told, `d-${n}`, n)),
      row(of('team', 't-1'), 'd-8', 8, { kind: 'digest' }),
    )
    expect(await ids('', own)).to.have.length(9)
    expect(await ids('', ben)).to.deep.equal(['d-7', 'd-3', 'd-0'])
    expect((await get('/d-1', ben)).status).to.equal(404)
  })
})

describe('links of messages', () => {
  const secret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'notification-link')
  let ana: Founder
  before(async () => void (ana = await founder()))
  /** As a browser that nobody signed in with. */
  const open = async (what: 'view' | 'unsubscribe', token: string, init: RequestInit = {}) => {
    const { url } = await testProduct()
    return fetch(`${url}/notifications/${what}?token=${encodeURIComponent(token)}`, init)
  }
  const viewed = (fields: object = {}) =>
    linkToken({ what: 'event', orgId: ana.orgId, deliveryId: 'd-1', createdAt: at(0).toISOString(), ...fields }, secret)
  const stop = (channelId: string, eventType = 'budget.warning', orgId = ana.orgId, email = 'Fin@example.com') =>
    linkToken({ what: 'unsubscribe', orgId, channelId, eventType, to: addressMark(email) }, secret)
  /** Changed by a hand that has no key. */
  const changed = (token: string, fields: Partial<LinkClaim>) => {
    const [payload, signature] = token.split('.')
    const claim = { ...JSON.parse(Buffer.from(payload!, 'base64url').toString()), ...fields }
    return `${Buffer.from(JSON.stringify(claim)).toString('base64url')}.${signature}`
  }

  it('show what one delivery told, escaped, on a page that loads nothing and is kept by nobody', async () => {
    const told = event(ana.orgId, {
      title: 'Costs of <script>alert(1)</script> & "more"',
      link: 'https://tidemark.example/budgets/b-1',
      data: {
        month: '2026-01',
        currentSpendUSD: 1020.5,
        rootCause: 'A <b>new</b> resource',
        tags: ['hidden'],
        none: '',
      },
    })
    await kept(row(told, 'd-1', 0))
    const response = await open('view', viewed())
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const header = (name: string) => response.headers.get(name)
    expect(['cache-control', 'referrer-policy', 'x-robots-tag'].map(header)).to.deep.equal([
      'no-store',
      'no-referrer',
      'noindex, nofollow',
    ])
    const policy = header('content-security-policy')!.split('; ')
    expect(policy).to.include.members(["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
    expect(policy.some((rule) => rule.includes('script') || rule.includes('unsafe'))).to.equal(false)
    expect(html).to.include('<h1>Costs of &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;</h1>')
    expect(html).to.not.match(/<script|<b>|src=|href=|hidden/)
    const { url } = await testProduct()
    for (const part of [
      '<p>Spend of 2026-01 is 1020 of 1000 USD (102%).</p>',
      `<p>Budget Exceeded, ${at(0).toISOString().slice(0, 16).replace('T', ' ')} UTC</p>`,
      '<dl><dt>Of</dt><dd>team t-1</dd><dt>Month</dt><dd>2026-01</dd><dt>Spend</dt><dd>1020.50 US dollars</dd></dl>',
      '<h2>Cause</h2><p>A &lt;b&gt;new&lt;/b&gt; resource</p>',
      `<code>GET ${url}/notifications/deliveries/d-1</code>`,
      '<code>GET https://tidemark.example/budgets/b-1</code>',
    ])
      expect(html).to.include(part)
  })

  it('list the events that one message told of together, 20 of them by name', async () => {
    const events = Array.from({ length: 22 }, (_, n) => event(ana.orgId, { title: `Part ${n}` }))
    await kept(row(event(ana.orgId, { data: { events } }), 'd-many', 0, { kind: 'digest' }))
    const html = await (await open('view', viewed({ deliveryId: 'd-many' }))).text()
    const line = `Budget Exceeded · ${at(0).toISOString().slice(0, 16).replace('T', ' ')} UTC · ${events[0]!.summary}`
    const names = Array.from({ length: 20 }, (_, n) => `<li>Part ${n}<br>${line}</li>`).join('')
    expect(html).to.include(`<h2>22 events</h2><ul>${names}</ul><p>and 2 more</p>`)
  })

  it('end after 30 days, and open for nobody who changed them', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * hourMs).toISOString()
    const statusOf = async (token: string) => (await open('view', token)).status
    const created_at = daysAgo(29.9).slice(0, -1)
    await kept(row(event(ana.orgId), 'd-old', 0, { created_at }))
    expect(await statusOf(viewed({ deliveryId: 'd-old', createdAt: daysAgo(29.9) }))).to.equal(200)
    expect(await statusOf(viewed({ createdAt: daysAgo(30.1) }))).to.equal(410)
    const other = await founder()
    for (const token of [
      'x',
      '',
      viewed().slice(0, -2),
      `${viewed()}.x`,
      changed(viewed(), { orgId: other.orgId }),
      viewed({ orgId: other.orgId }),
      viewed({ deliveryId: 'nobody' }),
      linkToken(JSON.parse(Buffer.from(viewed().split('.')[0]!, 'base64url').toString()), Buffer.alloc(32)),
      stop(`mail:${ana.userId}`),
    ])
      expect(await statusOf(token), token).to.equal(404)
    expect(await (await open('view', 'x')).text()).to.include('<h1>This link does not work</h1>')
  })

  it('are of a channel that is tested thirty times an hour at most', async () => {
    const body = { type: 'email', name: 'A', config: { email: 'fin@example.com' } }
    const { id } = (await ask('POST', '/notifications/channels', { token: ana.accessToken, body })).body.data
    await agreed(id)
    const press = () => ask('POST', `/notifications/channels/${id}/test`, { token: ana.accessToken })
    const pressed = (n: number, minutes: number) => {
      const fields = { channel_id: id, kind: 'test', event_type: 'test' }
      const created_at = new Date(Date.now() - minutes * 60_000).toISOString().slice(0, -1)
      return row(event(ana.orgId), `d-test-${n}`, 0, { ...fields, created_at })
    }
    await kept(...Array.from({ length: 29 }, (_, n) => pressed(n, 59)), pressed(29, 61))
    expect((await press()).status).to.equal(200)
    await kept(pressed(30, 1))
    const { status, headers, body: problem } = await press()
    expect([status, problem.code, headers.get('retry-after')]).to.deep.equal([429, 'rate_limited', '600'])
  })

  describe('to get no more mails', () => {
    const preference = async () =>
      (await ask('GET', '/notifications/email-preferences/budget.warning', { token: ana.accessToken })).body.data
        .enabled
    const allow = () =>
      ask('PUT', '/notifications/email-preferences/budget.warning', { token: ana.accessToken, body: { enabled: true } })
    const form = (type: string, body: string): RequestInit => ({
      method: 'POST',
      body,
      headers: { 'Content-Type': type },
    })
    const multipart = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'

    it('show a page with a button, and change nothing by being opened', async () => {
      const response = await open('unsubscribe', stop(`mail:${ana.userId}`))
      const html = await response.text()
      expect([response.status, response.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
      expect(html).to.include('<p>You will no longer receive emails about Budget Warning.</p>')
      expect(html).to.include('<form method="post"><button type="submit">')
      expect(await preference()).to.equal(true)
    })

    for (const [name, how] of [
      ['the button of the page', form('application/x-www-form-urlencoded', '')],
      ['a mail program, by one form', form('application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click')],
      ['a mail program, by the other form', form('multipart/form-data; boundary=b', multipart)],
      ['a request without a body', { method: 'POST' }],
    ] as const)
      it(`switch off the built-in mails of one event type for one person: ${name}`, async () => {
        await allow()
        const response = await open('unsubscribe', stop(`mail:${ana.userId}`), how)
        expect(response.status).to.equal(200)
        expect(await response.text()).to.include('<h1>Done</h1>')
        expect(await preference()).to.equal(false)
        const { body } = await ask('GET', '/notifications/email-preferences/budget.exceeded', {
          token: ana.accessToken,
        })
        expect(body.data.enabled).to.equal(true)
      })

    it('silence a channel of mail, once, and write it down', async () => {
      const config = { email: 'fin@example.com' }
      const body = { type: 'email', name: 'A', config }
      const make = () => ask('POST', '/notifications/channels', { token: ana.accessToken, body })
      const { id: same } = (await make()).body.data
      const { id } = (await make()).body.data
      const { pool } = (await testProduct()).connections.store
      const sql = 'select unsubscribed_at from notification_channel where id = $1'
      // Of a mail that went to whom the channel told before.
      const old = stop(id, '', ana.orgId, 'before@example.com')
      expect((await open('unsubscribe', old, { method: 'POST' })).status).to.equal(200)
      expect((await pool.query(sql, [id])).rows[0].unsubscribed_at).to.equal(null)
      for (const _ of [1, 2]) expect((await open('unsubscribe', stop(id), { method: 'POST' })).status).to.equal(200)
      for (const one of [id, same])
        expect((await pool.query(sql, [one])).rows[0].unsubscribed_at).to.be.instanceOf(Date)
      const events = await ask('GET', '/security-events?type=channel_changed', { token: ana.accessToken })
      const own = events.body.data.items.filter(({ detail }: any) => [id, same].includes(detail.channelID))
      expect(own.map(({ detail }: any) => [detail.channelID, detail.change])).to.deep.equal([
        [id, 'unsubscribed'],
        [id, 'created'],
        [same, 'created'],
      ])
      expect([own[0].principal, own[1].principal === '']).to.deep.equal(['', false])
    })

    it('do nothing where they were changed, are of another organization, or of no event type', async () => {
      await allow()
      const other = await founder()
      const own = stop(`mail:${ana.userId}`)
      const statusOf = async (token: string) => (await open('unsubscribe', token, { method: 'POST' })).status
      expect(await statusOf(changed(stop(`mail:${other.userId}`), { channelId: `mail:${ana.userId}` }))).to.equal(404)
      expect(await statusOf(changed(own, { eventType: 'budget.exceeded' }))).to.equal(404)
      expect(await statusOf(stop(`mail:${ana.userId}`, 'budget'))).to.equal(404)
      expect(await statusOf(viewed())).to.equal(404)
      expect(await statusOf(stop(`mail:${ana.userId}`, 'budget.warning', other.orgId))).to.equal(200)
      expect(await preference()).to.equal(true)
      expect((await open('unsubscribe', `x${randomUUID()}`)).status).to.equal(404)
    })
  })
})
