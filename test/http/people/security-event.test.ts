import { expect } from 'chai'
import { forgetSecurityEvents } from '#analytics/security/delete-old-events.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { pruneIdentity } from '#http/identity/index.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { securityEventTypes } from '#streams/security.ts'
import { tokens } from '#config/wiring/tokens.ts'
import {
  active,
  address,
  advance,
  ask,
  codeFor,
  colleague,
  founded,
  invited,
  login,
  mailsTo,
  password,
  resetClock,
  type Founder,
} from '#test/harness/people.ts'
import { decidedProvisioning } from '#test/harness/catalog-edge.ts'
import { givenLink } from '#test/harness/browser-session.ts'
import { answer, challenged, shownBy, withDevice } from '#test/harness/device.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import { dnsRecords, testProduct, until } from '#test/harness/product.ts'
import { providerTold } from '#test/harness/scim.ts'
import { decidedRecommendation } from '#test/harness/recommendation.ts'
import { decidedPlans } from '#test/harness/decided-plan.ts'
import { decidedSources } from '#test/harness/decided-source.ts'
import { decidedTags } from '#test/harness/tagged.ts'
import { deepIt, sample } from '#test/harness/tier.ts'
import { decidedWorkflows } from '#test/harness/workflow.ts'
import { addStreamUser, revokeStreamUser } from '#http/identity/token/stream-user.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'

const settings = '/settings/personal-access-tokens'

interface Event {
  id: string
  type: string
  at: string
  userID: string | null
  principal: string
  email: string | null
  ip: string
  userAgent: string
  requestID: string
  detail: Record<string, string>
}

/** One request that says where it comes from. */
const send = (who: { accessToken: string }, method: string, path: string, body?: unknown, requestId = 'r-probe') =>
  ask(method, path, {
    token: who.accessToken,
    headers: { 'User-Agent': 'probe/1', 'X-Request-Id': requestId },
    ...(body !== undefined && { body }),
  })
const eventsOf = async (who: { accessToken: string }, query = ''): Promise<Event[]> =>
  (await ask('GET', `/security-events?limit=200${query}`, { token: who.accessToken })).body.data.items
const typesOf = async (who: { accessToken: string }, query = '') => (await eventsOf(who, query)).map(({ type }) => type)
const refusalsOf = (who: { accessToken: string }) => eventsOf(who, '&type=access_refused')

describe('security events', () => {
  afterEach(resetClock)
  let ana: Founder, ben: Founder, eve: Founder
  before(async () => {
    ;[eve, ana] = [await founded('Other'), await founded('Watched')]
    ben = await invited(ana, 'viewer')
  })
  const path = () => `/members/${ben.userId}`

  it('begin with who made the organization, and tell of each change who made it, from where', async () => {
    const role = (await send(ana, 'POST', '/roles', { name: 'Readers', permissions: ['space.view'] })).body.data
    await send(ana, 'PATCH', `/roles/${role.id}`, { permissions: [] })
    await send(ana, 'DELETE', `/roles/${role.id}`)
    const token = (await send(ana, 'POST', settings, { name: 'ci' })).body.data
    await send(ana, 'DELETE', `${settings}/${token.id}`)
    const saml = `/organisations/${ana.orgId}/saml`
    const domain = `${ana.orgId}.example`
    const connection = { entityID: 'idp', ssoURL: 'https://idp.example', certificatePEM, emailDomains: [domain] }
    const { record } = (await send(ana, 'PUT', saml, connection)).body.data.domains[0]
    dnsRecords.set(record.name, [record.value])
    await send(ana, 'POST', `${saml}/domains/${domain}/verify`)
    await send(ana, 'DELETE', saml)
    const told = await providerTold(ana, domain, ben.userId, send)
    const credentials = { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x' }
    const account = { name: 'Own', provider: 'aws', externalID: `own-${ana.orgId}` }
    const { id: cloudAccountID } = (await send(ana, 'POST', '/cloud-accounts', account)).body.data
    const accountPath = `/cloud-accounts/${cloudAccountID}`
    for (const body of [{ credentials }, { name: 'No credentials' }, { credentials }])
      await send(ana, 'PATCH', accountPath, body)
    for (const gone of [`${accountPath}/bills`, accountPath]) await send(ana, 'DELETE', gone)
    const report = { report: 'budgets', format: 'csv', from: '2026-01-01', to: '2026-01-31' }
    const { downloadURL } = (await send(ana, 'POST', '/reports/export', report)).body.data
    const exportID = new URL(downloadURL).pathname.split('/').at(-1)!
    const file = { exportID, name: 'budgets_2026-01-01_2026-01-31.csv' }
    expect((await fetch(downloadURL)).status).to.equal(200)
    const [got] = await eventsOf(ana, '&type=export_downloaded')
    expect([got!.userID, got!.principal, got!.detail]).to.deep.equal([null, '', file])
    await send(ana, 'PATCH', path(), { roleID: 'editor' })
    const expected = [
      ['organization_created', null, {}],
      ['member_invited', ben.email, { roleID: 'viewer' }],
      ['role_created', null, { roleID: role.id, name: 'Readers', permissions: 'space.view' }],
      ['role_changed', null, { roleID: role.id, name: 'Readers', permissions: '' }],
      ['role_deleted', null, { roleID: role.id, name: 'Readers' }],
      ['token_created', null, { tokenID: token.id, name: 'ci' }],
      ['token_revoked', null, { tokenID: token.id, name: 'ci' }],
      ['saml_changed', null, { entityID: 'idp', emailDomains: domain, enabled: 'true' }],
      ['saml_domain_verified', null, { domain }],
      ['saml_removed', null, {}],
      ...told,
      ['credentials_changed', null, { cloudAccountID, change: 'given' }],
      ['credentials_changed', null, { cloudAccountID, change: 'replaced' }],
      ['bill_removed', null, { cloudAccountID, exportID: 'all', periods: '', billedUSD: '0' }],
      ['credentials_changed', null, { cloudAccountID, change: 'removed' }],
      ['export_requested', null, { ...file, rows: '0' }],
      ['member_changed', null, { member: ben.userId, from: 'viewer', to: 'editor' }],
    ]
    const own = (await eventsOf(ana, `&user_id=${ana.userId}`)).toReversed()
    expect(own.map(({ type, email, detail }) => [type, email, detail])).to.deep.equal(expected)
    const principal = new Set(own.map((event) => event.principal))
    expect([...principal].every((name) => /^session:[0-9a-f-]{36}$/.test(name))).to.equal(true)
    for (const { ip, userAgent, requestID } of own.slice(2))
      expect([ip, userAgent, requestID]).to.deep.equal(['127.0.0.1', 'probe/1', 'r-probe'])
  })

  it('tell of signing in, failing to, signing out and a token that came back', async () => {
    const before = (await eventsOf(ana, `&user_id=${ben.userId}`)).length
    const wrong = { provider: 'email', email: ben.email, password: 'not this one' }
    expect((await ask('POST', '/auth/login', { body: wrong })).status).to.equal(401)
    const first = await login(ben.email)
    expect((await send(first, 'POST', '/auth/logout')).status).to.equal(204)
    const second = await login(ben.email)
    await active(second, ana.orgId)
    await advance(11)
    const reused = await ask('POST', '/auth/refresh', { body: { refreshToken: second.refreshToken } })
    expect(reused.status).to.equal(401)
    await resetClock()
    await ask('POST', '/auth/password/forget', { body: { email: ben.email } })
    const otp = await codeFor(ben.email, Math.max((await mailsTo(ben.email)).length, 2))
    const reset = { email: ben.email, otp, newPassword: password }
    expect((await ask('PATCH', '/auth/password/reset', { body: reset })).status).to.equal(200)
    const told = await eventsOf(ana, `&user_id=${ben.userId}`)
    const fresh = told.slice(0, told.length - before)
    expect(fresh.map(({ type }) => type)).to.have.members([
      'login_failed',
      'login',
      'logout',
      'login',
      'refresh_reused',
      'password_reset',
    ])
    const failed = fresh.find(({ type }) => type === 'login_failed')!
    expect([failed.email, failed.principal, failed.detail]).to.deep.equal([ben.email, '', { method: 'email' }])
    expect(JSON.stringify(told)).to.not.contain('not this one')
  })

  it('tell of second factors, own sessions ended, passwords changed and settings', async () => {
    const before = new Set((await eventsOf(ana)).map(({ id }) => id))
    const other = await login(ana.email)
    const sessions = (await ask('GET', '/auth/sessions', { token: other.accessToken })).body.data as any[]
    const { id } = sessions.find(({ current }) => current)
    expect((await send(ana, 'DELETE', `/auth/sessions/${id}`)).status).to.equal(204)
    const device = await withDevice(ana)
    expect((await answer(await challenged(ana.email), device.recoveryCodes[0]!)).status).to.equal(200)
    const settingsPath = `/organisations/${ana.orgId}/settings`
    expect((await send(ana, 'PATCH', settingsPath, { requireSecondFactor: false })).status).to.equal(200)
    const given = { password, code: await shownBy(device) }
    expect((await send(ana, 'POST', '/auth/second-factor/disable', given)).status).to.equal(204)
    const change = { currentPassword: password, newPassword: 'another good password' }
    expect((await send(ana, 'POST', '/auth/password/change', change)).status).to.equal(200)
    const told = (await eventsOf(ana)).filter((event) => !before.has(event.id))
    expect(told.map(({ type, userID, detail }) => [type, userID, detail])).to.have.deep.members([
      ['login', ana.userId, { method: 'email' }],
      ['session_ended', ana.userId, { sessionID: id }],
      ['second_factor_enabled', ana.userId, {}],
      ['recovery_code_used', ana.userId, {}],
      ['login', ana.userId, { method: 'email' }],
      ['settings_changed', ana.userId, { requireSecondFactor: 'false' }],
      ['second_factor_disabled', ana.userId, {}],
      ['password_changed', ana.userId, {}],
    ])
    const text = JSON.stringify(told)
    for (const secret of [device.secret, device.recoveryCodes[0]!, given.code, password, change.newPassword])
      expect(text).to.not.contain(secret)
  })

  it('tell of refused access once a minute for each caller and route [RBAC-03]', async () => {
    const cyd = await colleague(ana, 'viewer')
    const dan = await colleague(ana, 'viewer')
    const before = (await refusalsOf(ana)).length
    /** Those of this test, once so many of them are told. */
    const refusals = async (expected: number) => {
      await until(`${expected} refusals`, async () => (await refusalsOf(ana)).length - before >= expected)
      return (await refusalsOf(ana)).slice(0, -before || undefined)
    }
    for (let i = 0; i < 3; i++) expect((await send(cyd, 'GET', '/members')).status).to.equal(403)
    const [one] = await refusals(1)
    expect([one!.userID, one!.ip, one!.userAgent, one!.requestID, one!.detail]).to.deep.equal([
      cyd.userId,
      '127.0.0.1',
      'probe/1',
      'r-probe',
      { route: 'GET /members', code: 'forbidden' },
    ])
    const foreign = { token: cyd.accessToken, orgId: eve.orgId }
    expect((await ask('GET', '/resources/count', foreign)).body.code).to.equal('not_a_member')
    await send(cyd, 'PATCH', `/members/${ana.userId}`, { roleID: 'viewer' })
    await send(cyd, 'PATCH', `/members/${dan.userId}`, { roleID: 'viewer' })
    await send(dan, 'GET', '/members')
    // The last is told: those before it are, however many they are.
    await until('that of dan', async () => (await refusalsOf(ana)).some(({ userID }) => userID === dan.userId))
    expect((await refusals(4)).map(({ detail }) => `${detail['route']} ${detail['code']}`)).to.have.members([
      'GET /members forbidden',
      'GET /members forbidden',
      'GET /resources/count not_a_member',
      'PATCH /members/:userID forbidden',
    ])
    await advance(61)
    await send(cyd, 'GET', '/members')
    expect(await refusals(5)).to.have.length(5)
  })

  it('are for admins to read, newest first, by type, person, page and time', async () => {
    const pat = (await send(ana, 'POST', settings, { name: 'watch' })).body.data.token as string
    expect((await ask('GET', '/security-events', { token: pat })).status).to.equal(200)
    const viewer = await colleague(ana, 'viewer')
    expect((await ask('GET', '/security-events', { token: viewer.accessToken })).status).to.equal(403)
    const isTold = (event: Event) => event.userID === viewer.userId
    await until('the refusal', async () => (await refusalsOf(ana)).some(isTold))
    const all = await eventsOf(ana)
    expect(all.length).to.be.above(15)
    expect(all.map(({ at }) => at)).to.deep.equal(
      all.map(({ at }) => at).toSorted((x, y) => (x < y ? 1 : x > y ? -1 : 0)),
    )
    expect(new Set(await typesOf(ana, '&type=login,token_created'))).to.deep.equal(new Set(['login', 'token_created']))
    const { items, total } = (await ask('GET', '/security-events?page=2&limit=5', { token: pat })).body.data
    expect([items.map(({ id }: Event) => id), total]).to.deep.equal([all.slice(5, 10).map(({ id }) => id), all.length])
    expect(await eventsOf(ana, '&from=2020-01-01&to=2020-01-31')).to.deep.equal([])
    for (const query of ['type=nothing', 'limit=0', 'from=2026-02-30', 'page=x'])
      expect((await ask('GET', `/security-events?${query}`, { token: pat })).status, query).to.equal(400)
  })

  it('are of their organization alone [GEN-10]', async () => {
    const theirs = await eventsOf(eve)
    expect(theirs.map(({ type }) => type)).to.deep.equal(['organization_created'])
    const own = new Set((await eventsOf(ana)).map(({ id }) => id))
    expect(theirs.filter(({ id }) => own.has(id))).to.deep.equal([])
    expect(await eventsOf(eve, `&user_id=${ben.userId}`)).to.deep.equal([])
    await ask('POST', '/auth/login', { body: { provider: 'email', email: address(), password } })
    expect(await eventsOf(eve)).to.deep.equal(theirs)
  })

  it('tell of a domain that another organization has proved', async () => {
    const domain = `${ana.orgId}.lost.example`
    const claim = async (who: Founder) => {
      const path = `/organisations/${who.orgId}/saml`
      const body = { entityID: 'idp', ssoURL: 'https://idp.example', certificatePEM, emailDomains: [domain] }
      const { record } = (await send(who, 'PUT', path, body)).body.data.domains[0]
      dnsRecords.set(record.name, [record.value])
      expect((await send(who, 'POST', `${path}/domains/${domain}/verify`)).status).to.equal(200)
    }
    await claim(ana)
    await claim(await founded('Third'))
    const [lost] = await eventsOf(ana, '&type=saml_domain_lost')
    expect([lost!.userID, lost!.principal, lost!.detail]).to.deep.equal([null, '', { domain }])
  })

  it('tell of sign-ins by others that were refused, in the organization whose provider was asked', async () => {
    const answer = new URLSearchParams({ SAMLResponse: Buffer.from('<x/>').toString('base64'), RelayState: ana.orgId })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const before = (await eventsOf(ana, '&type=login_failed')).length
    expect((await ask('POST', '/auth/saml/acs', { body: answer.toString(), headers })).status).to.equal(401)
    await until('the refusal', async () => (await eventsOf(ana, '&type=login_failed')).length > before)
    const [failed] = await eventsOf(ana, '&type=login_failed')
    expect(failed!.detail).to.deep.equal({ method: 'saml', reason: 'another version' })
    const { store } = (await testProduct()).connections
    const others = async () =>
      (await store.pool.query(`select detail from security_event where org_id = '' and type = 'login_failed'`)).rows
    await ask('POST', '/auth/login', { body: { provider: 'saml', token: 'x' } })
    await until('the code', async () => (await others()).some((row) => row.detail.reason === 'the code is not good'))
  })

  it('tell of users of the stream that an operator made and took back', async () => {
    const { orm } = (await testProduct()).connections
    await orm.em.fork().transactional(async (em) => {
      const request = { kind: 'producer', orgId: ana.orgId, name: 'exporter', hash: 'x' } as const
      const { id } = await addStreamUser(em, request, new Date())
      const detail = { streamUserID: id, name: 'exporter' }
      await recordOfOperator(em, { type: 'stream_user_created', orgId: ana.orgId, detail }, new Date())
      await revokeStreamUser(em, 'producer', id, new Date())
      await recordOfOperator(em, { type: 'stream_user_revoked', orgId: ana.orgId, detail }, new Date())
    })
    const told = await eventsOf(ana, '&type=stream_user_created,stream_user_revoked')
    expect(told.map(({ principal }) => principal)).to.deep.equal(['operator', 'operator'])
  })

  it('tell of schedules and overrides', async () => {
    const rules = [{ action: 'stop', cron: '0 20 * * *' }]
    const schedule = { name: 'Night', timezone: 'UTC', rules, enabled: false }
    const { id: scheduleID } = (await send(ana, 'POST', '/schedules', schedule)).body.data
    await send(ana, 'DELETE', `/schedules/${scheduleID}`)
    const { id: scopeID } = (await send(ana, 'POST', '/resource-groups', { name: 'Held' })).body.data
    const scope = { scopeType: 'resource_group', scopeID, desiredState: 'running' }
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { id: overrideID } = (await send(ana, 'POST', '/overrides', { ...scope, expiresAt })).body.data
    await send(ana, 'DELETE', `/overrides/${overrideID}`)
    const told = await eventsOf(ana, '&type=schedule_changed,override_created,override_cancelled')
    expect(told.toReversed().map(({ type, userID, detail }) => [type, userID, detail])).to.deep.equal([
      ['schedule_changed', ana.userId, { scheduleID, change: 'created' }],
      ['schedule_changed', ana.userId, { scheduleID, change: 'deleted' }],
      ['override_created', ana.userId, { overrideID, ...scope }],
      ['override_cancelled', ana.userId, { overrideID, ...scope }],
    ])
  })

  it('tell of channels by which people are told', async () => {
    const body = { type: 'email', name: 'FinOps', config: { email: 'fin@example.com' } }
    const { id: channelID } = (await send(ana, 'POST', '/notifications/channels', body)).body.data
    await send(ana, 'PUT', `/notifications/channels/${channelID}`, { name: 'Money' })
    await send(ana, 'DELETE', `/notifications/channels/${channelID}`)
    const told = await eventsOf(ana, '&type=channel_changed')
    expect(told.toReversed().map(({ userID, detail }) => [userID, detail])).to.deep.equal(
      ['created', 'changed', 'deleted'].map((change) => [ana.userId, { channelID, change }]),
    )
  })

  it('tell of actions that people ask for', async () => {
    const { product } = await testProduct()
    const place = { cloudAccountId: 'acct-told', region: 'us-east-1', provider: 'aws' } as const
    const data = { ...place, resourceUid: 'i-told', name: 'web', type: 'aws-ec2', status: 'running' as const }
    await product.get(tokens.publisher).publish({ subject: resourceDiscovered, orgId: ana.orgId, data })
    const at = { provider: 'aws', resourceType: 'aws-ec2', cloudAccountID: 'acct-told', region: 'us-east-1' }
    const asked = { type: 'stop', resourceUID: 'i-told', ...at }
    const submitted = async () => (await send(ana, 'POST', '/actions', asked)).status
    await until('the resource', async () => (await submitted()) === 202)
    expect((await eventsOf(ana, '&type=action_submitted'))[0]!.userID).to.equal(ana.userId)
  })

  const decisions = {
    'links that an operator makes for people': givenLink,
    'policies, and of what people decide about tags': decidedTags,
    'what people decide about recommendations': async (who: Founder) =>
      [['recommendation_decided', await decidedRecommendation(who)]] as const,
    'workflows that people begin, approve, reject and cancel': decidedWorkflows,
    'spaces, and of what people provision': decidedProvisioning,
    'policies of autoscalers that people make and apply, and plans of readiness': decidedPlans,
    'deployments, and of installations that people link': decidedSources,
  }
  for (const [what, decided] of sample(Object.entries(decisions)))
    it(`tell of ${what}`, async () => {
      const expected = await decided(ana)
      const told = await eventsOf(ana, `&type=${[...new Set(expected.map(([type]) => type))].join()}`)
      expect(told.toReversed().map(({ type, userID, detail }) => [type, userID, detail])).to.deep.equal(
        expected.map(([type, detail]) => [type, ana.userId, detail]),
      )
    })

  it('end with who was removed', async () => {
    expect((await send(ana, 'DELETE', path())).status).to.equal(204)
    const [last] = await eventsOf(ana, '&type=member_removed')
    expect([last!.userID, last!.detail]).to.deep.equal([ana.userId, { member: ben.userId, roleID: 'editor' }])
  })

  deepIt('were of every type once at least', async () => {
    const types = [...(await typesOf(ana)), ...(await typesOf(ana, '&page=2'))]
    expect(new Set(types)).to.deep.equal(new Set(securityEventTypes))
  })

  it('are the same in ClickHouse, each once, and nobody else’s', async () => {
    const { connections } = await testProduct()
    const rows = async (orgId: string) => {
      const query = 'SELECT * FROM security_events WHERE org_id = {org:String} ORDER BY at DESC, event_id'
      const found = await connections.clickhouse.query({ query, query_params: { org: orgId }, format: 'JSONEachRow' })
      return (await found.json<any>()).map((row: any): Event & { org: string } => ({
        org: row.org_id,
        id: row.event_id,
        type: row.type,
        at: `${row.at.replace(' ', 'T')}Z`,
        userID: row.user_id || null,
        principal: row.principal,
        email: row.email || null,
        ip: row.ip,
        userAgent: row.user_agent,
        requestID: row.request_id,
        detail: row.detail,
      }))
    }
    for (const who of [ana, eve]) {
      const expected = (await eventsOf(who)).map((event) => ({ org: who.orgId, ...event }))
      await until('the events to be told', async () => (await rows(who.orgId)).length >= expected.length)
      expect(await rows(who.orgId)).to.have.deep.members(expected)
    }
  })
  it('are kept as long as the setting says, at the edge and for analysts', async () => {
    const { connections } = await testProduct()
    const { orm, clickhouse, store } = connections
    const days = (n: number) => new Date(Date.now() - n * 86_400_000)
    const own = await founded('Kept')
    const client = { ip: '', userAgent: '', requestId: '' }
    const at = [days(731), days(729)]
    await orm.em.fork().transactional(async (em) => {
      for (const one of at) await recordEvent(em, { type: 'logout', orgId: own.orgId }, client, one)
    })
    const left = async () => {
      const query = `SELECT toUnixTimestamp64Milli(at) AS at FROM security_events WHERE org_id = {org:String} AND type = 'logout' ORDER BY at`
      const found = await clickhouse.query({ query, query_params: { org: own.orgId }, format: 'JSONEachRow' })
      const sql = `select at from security_event where org_id = $1 and type = 'logout' order by at`
      const { rows } = await store.pool.query<{ at: Date }>(sql, [own.orgId])
      return [(await found.json<{ at: string }>()).map((row) => Number(row.at)), rows.map((row) => row.at.getTime())]
    }
    const ms = at.map((one) => one.getTime())
    await until('both to be told', async () => (await left())[0]!.length === 2)
    expect(await left()).to.deep.equal([ms, ms])
    await pruneIdentity(orm.em.fork(), new Date(), days(730))
    expect(await forgetSecurityEvents(clickhouse, days(730))).to.equal(1)
    expect(await left()).to.deep.equal([ms.slice(1), ms.slice(1)])
    expect(await forgetSecurityEvents(clickhouse, days(730))).to.equal(0)
  })
})
