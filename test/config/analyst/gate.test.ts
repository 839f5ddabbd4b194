/** The port of analysts: who is let in, by which credentials, to what, and until when. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import path from 'node:path'
import { createClient, type ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { Limiter } from '#http/edge/limit/limit.ts'
import { AnalystDatabases } from '#config/analyst/database.ts'
import { openGate, type GateOptions } from '#config/analyst/gate.ts'
import { upstreamAt } from '#config/analyst/upstream.ts'
import { socketOf } from '#config/embedded/clickhouse/address.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { askAt, basic, type Asked } from '#test/harness/door.ts'
import { advance, ask as rest, colleague, resetClock, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'

function serving(ch: ClickHouseClient, url: string): Pick<GateOptions, 'serverOf' | 'disconnect'> {
  const server = { databases: new AnalystDatabases(ch), upstream: upstreamAt(url) }
  return { serverOf: async () => server, disconnect: () => server.upstream.close() }
}

const tokensPath = '/settings/personal-access-tokens'

describe('the port of analysts', () => {
  let org: Tenant
  let owner: Founder
  let token: string

  before(async () => {
    org = await tenant()
    owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
    token = await make(owner)
    const values = [{ org_id: org.orgId, team_id: 't-1', name: 'ours', x_Version: '1' }]
    await org.connections.clickhouse.insert({ table: 'team_state', values, format: 'JSONEachRow' })
    const event = { org_id: org.orgId, at: '2026-01-01 00:00:00.000', type: 'login', event_id: org.orgId }
    await org.connections.clickhouse.insert({ table: 'security_event', values: [event], format: 'JSONEachRow' })
  })
  after(resetClock)

  /** A token of theirs, by the API. */
  const make = async (who: Founder, body: object = {}): Promise<string> => {
    const made = await rest('POST', tokensPath, {
      token: who.accessToken,
      body: { name: 'bi', scope: 'analyst', ...body },
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.token
  }
  const sql = 'SELECT name FROM team_state'
  const asked = async (how: Asked): Promise<[number, string]> => {
    const answer = await askAt(org.analystsUrl, { body: sql, ...how })
    return [answer.status, await answer.text()]
  }
  const by = (given: string, body = sql) => asked({ body, headers: basic(given) })
  const letIn: [number, string] = [200, 'ours\n']

  it('takes the token in every way in which a client of ClickHouse says a password', async () => {
    const ways: Asked[] = [
      { headers: basic(token) },
      { headers: basic(token, 'default') },
      { headers: basic(token, '') },
      { headers: { 'X-ClickHouse-Key': token } },
      { headers: { 'X-ClickHouse-Key': token, 'X-ClickHouse-User': 'grafana' } },
      { headers: { Authorization: `Bearer ${token}` } },
      { headers: { authorization: `bearer ${token}` } },
      { params: { password: token } },
      { params: { user: 'default', password: token } },
      { method: 'GET', params: { user: 'x', password: token, query: sql } },
    ]
    for (const how of ways) expect(await asked(how), JSON.stringify(how)).to.deep.equal(letIn)
    const client = createClient({ url: org.analystsUrl, username: 'any', password: token })
    expect(await (await client.query({ query: sql, format: 'JSONEachRow' })).json()).to.deep.equal([{ name: 'ours' }])
    await client.close()
  })

  it('refuses who has none, as ClickHouse does, and says nothing of what was sent', async () => {
    const wrong = `svc_pat_${'x'.repeat(43)}`
    const ways: Asked[] = [
      {},
      { headers: basic('') },
      { headers: basic(wrong) },
      { headers: { 'X-ClickHouse-Key': wrong } },
      { headers: { Authorization: `Bearer ${wrong}` } },
      { params: { user: 'default', password: wrong } },
      { params: { password: 'tidemark' } },
      { headers: basic(org.token) },
      { headers: { Authorization: `Bearer ${owner.accessToken}` } },
    ]
    for (const how of ways) {
      const answer = await askAt(org.analystsUrl, { body: sql, ...how })
      const text = await answer.text()
      expect(answer.status, JSON.stringify(how)).to.equal(401)
      expect(answer.headers.get('x-clickhouse-exception-code')).to.equal('516')
      expect(answer.headers.get('www-authenticate')).to.match(/^Basic /)
      expect(text).to.match(/^Code: 516\. DB::Exception: Authentication failed: .*\(AUTHENTICATION_FAILED\)\n$/)
      for (const secret of [wrong, org.token, 'tidemark', sql]) expect(text).to.not.include(secret)
    }
    expect((await askAt(org.analystsUrl, { headers: basic(org.token) })).status).to.equal(401)
    expect(await (await fetch(`${org.analystsUrl}/ping`)).text()).to.equal('Ok.\n')
    expect((await fetch(`${org.analystsUrl}/readonly`)).status).to.equal(404)
    expect((await fetch(`${org.analystsUrl}/analyst`)).status).to.equal(404)
  })

  it('keeps scopes apart: the API refuses a token of analysts, and this port one of the API', async () => {
    const answer = await rest('GET', '/reports/summary', { token })
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'wrong_scope'])
    const api = await rest('POST', tokensPath, { token: owner.accessToken, body: { name: 'ci' } })
    expect(api.body.data.scope).to.equal('api')
    const [status, text] = await by(api.body.data.token)
    expect([status, text]).to.deep.equal([
      401,
      'Code: 516. DB::Exception: Authentication failed: This token is only for the API or for SCIM. Create one with scope analyst. (AUTHENTICATION_FAILED)\n',
    ])
    const odd = await rest('POST', tokensPath, { token: owner.accessToken, body: { name: 'ci', scope: 'all' } })
    expect(odd.status).to.equal(400)
    const listed = await rest('GET', tokensPath, { token: owner.accessToken })
    expect(listed.body.data.map((one: any) => [one.name, one.scope])).to.deep.equal([
      ['ci', 'api'],
      ['bi', 'analyst'],
    ])
  })

  it('lets nobody in within five seconds of a revocation, an expiry, or the end of a membership', async () => {
    const [kept, list] = [await make(owner), await rest('GET', tokensPath, { token: owner.accessToken })]
    expect(await by(kept)).to.deep.equal(letIn)
    await rest('DELETE', `${tokensPath}/${list.body.data[0].id}`, { token: owner.accessToken })
    expect((await by(kept))[0]).to.equal(401)

    const ben = await colleague(owner, 'editor')
    const bens = await make(ben)
    expect(await by(bens)).to.deep.equal(letIn)
    await rest('DELETE', `/members/${ben.userId}`, { token: owner.accessToken })
    expect((await by(bens))[0]).to.equal(401)

    const brief = await make(owner, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await by(brief)).to.deep.equal(letIn)
    await advance(3_660, org.orgId)
    expect((await by(brief))[0]).to.equal(401)
    await resetClock()

    // Behind the back of this process: what it keeps is five seconds old at most.
    const quiet = await make(owner)
    expect(await by(quiet)).to.deep.equal(letIn)
    const end = `update personal_access_token set revoked_at = now() where org_id = $1 and last_four = $2`
    await org.connections.store.pool.query(end, [org.orgId, quiet.slice(-4)])
    await advance(5, org.orgId)
    expect((await by(quiet))[0]).to.equal(401)
    await resetClock()
  })

  it('shows the whole organization, so nothing to those whose reports are narrowed, whenever that is', async () => {
    const scope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] }
    const role = await rest('POST', '/roles', {
      token: owner.accessToken,
      body: { name: 'narrow', permissions: ['service.view'], reportScope: scope },
    })
    expect(role.status, JSON.stringify(role.body)).to.equal(201)
    const eve = await colleague(owner, 'viewer')
    const eves = await make(eve)
    expect(await by(eves)).to.deep.equal(letIn)
    const change = { token: owner.accessToken, body: { roleID: role.body.data.id } }
    expect((await rest('PATCH', `/members/${eve.userId}`, change)).status).to.equal(200)
    const [status, text] = await by(eves)
    expect(status).to.equal(403)
    expect(text).to.match(/^Code: 497\. DB::Exception: Your role sees only part of the costs.*\(ACCESS_DENIED\)\n$/)
  })

  it('shows security events to those who may see them, and to nobody else', async () => {
    const events = 'SELECT type FROM security_events WHERE event_id = {own:String}'
    const see = async (given: string, body: string) =>
      (await asked({ body, headers: basic(given), params: { param_own: org.orgId } }))[1].replace(
        /^(Code: \d+).*\n/s,
        '$1',
      )
    const viewers = await make(await colleague(owner, 'viewer'))
    const machine = await org.tokenFor('admin', 'analyst')
    for (const given of [token, machine]) expect(await see(given, events)).to.equal('login\n')
    expect(await see(viewers, events)).to.equal('Code: 60')
    const database = `org_${org.orgId}_security`
    expect(await see(viewers, events.replace('FROM ', `FROM "${database}".`))).to.equal('Code: 81')
    expect(await see(viewers, 'SHOW TABLES')).to.not.include('security')
    // Nor does the engine itself show them, were the name let through.
    const { clickhouse } = await testStores()
    const body = `SELECT count() FROM "${database}".security_events`
    const inner = await askAt(clickhouse.url, { path: '/analyst', params: { database: `org_${org.orgId}` }, body })
    expect(await inner.text()).to.equal('0\n')
  })

  it('makes the databases of an organization anew where ClickHouse has lost them, as by a start of its own', async () => {
    expect(await by(token)).to.deep.equal(letIn)
    const { clickhouse } = org.connections
    const lost = [`org_${org.orgId}`, `org_${org.orgId}_security`]
    for (const name of lost)
      await clickhouse.command({ query: 'DROP DATABASE IF EXISTS {name:Identifier}', query_params: { name } })
    expect(await by(token)).to.deep.equal(letIn)
  })

  deepIt('answers after ClickHouse was started anew, whose databases of organizations were in memory', async () => {
    expect(await by(token)).to.deep.equal(letIn)
    const { clickhouse } = await testStores()
    const pid = clickhouse.pid()!
    process.kill(pid, 'SIGKILL')
    await until('ClickHouse is back', async () => ![undefined, pid].includes(clickhouse.pid()))
    expect(await by(token)).to.deep.equal(letIn)
  })

  it('refuses pages in browsers, whatever they know', async () => {
    for (const headers of [{ Origin: 'http://example.com' }, { 'Sec-Fetch-Site': 'cross-site' }] as Record<
      string,
      string
    >[])
      expect((await asked({ headers: { ...basic(token), ...headers } }))[0]).to.equal(403)
  })

  it('takes statements by GET and POST alone, and lets nobody keep what it answers', async () => {
    const headers = basic(token)
    for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS'])
      expect((await askAt(org.analystsUrl, { method, headers, params: { query: sql } })).status, method).to.equal(405)
    const answer = await askAt(org.analystsUrl, { method: 'GET', headers, params: { query: sql } })
    const guards = ['cache-control', 'x-content-type-options'].map((name) => answer.headers.get(name))
    expect([answer.status, ...guards]).to.deep.equal([200, 'no-store', 'nosniff'])
  })

  it('answers a mistake of the caller with 400, as ClickHouse does', async () => {
    const wrong = { headers: basic(token), params: { param_a: 'x' }, body: 'SELECT {a:UInt8}' }
    const refusedAnswer = await askAt(org.analystsUrl, wrong)
    expect([refusedAnswer.status, (await refusedAnswer.text()).slice(0, 9)]).to.deep.equal([400, 'Code: 457'])
    expect((await by(token, "SELECT name FROM team_state WHERE name = 'a\0b'"))[0]).to.be.oneOf([200, 400])
  })

  it('counts questions by how they ended', async () => {
    const { registry } = org.product.get(tokens.meter)
    const count = async (outcome: string) => {
      const { values } = (await registry.getSingleMetric('tidemark_analyst_questions_total')!.get()) as any
      return values.find((one: any) => one.labels.outcome === outcome)?.value ?? 0
    }
    const asking: [string, () => Promise<unknown>][] = [
      ['answered', () => by(token)],
      ['failed', () => by(token, 'SELECT nothing')],
      ['refused', () => by(token, 'DROP TABLE x')],
      ['unauthenticated', () => by('x')],
    ]
    for (const [outcome, question] of asking) {
      const before = await count(outcome)
      await question()
      await until(`one more ${outcome}`, async () => (await count(outcome)) === before + 1)
    }
  })

  it('lets an address try a few wrong tokens a minute, and still lets in who brings a good one', async () => {
    const { clickhouse } = await testStores()
    let now = 0
    const gate = await openGate({
      host: '127.0.0.1',
      port: 0,
      callerOf: async (given) => {
        if (!['good', 'new', 'newer'].includes(given)) throw Fault.unauthenticated('invalid_token', 'No.')
        return { orgId: org.orgId, isAdmin: false, permissions: new Set(['service.view']) } as any
      },
      isWhole: () => true,
      ...serving(org.connections.clickhouse, clickhouse.url),
      note: () => {},
      limiter: new Limiter(() => now),
      refused: { name: 'test', perMinute: 3, burst: 3 },
    })
    const status = async (given: string) =>
      (await askAt(gate.url, { body: 'SELECT 1', headers: { 'X-ClickHouse-Key': given } })).status
    expect(await status('good')).to.equal(200)
    for (let i = 0; i < 3; i++) expect(await status(`bad ${i}`)).to.equal(401)
    expect([await status('bad'), await status('new'), await status('good'), await status('bad 0')]).to.deep.equal([
      503, 200, 200, 503,
    ])
    const crowd = await Promise.all(['bad 1', 'bad 2', 'newer', 'bad 3'].map(status))
    expect(crowd).to.deep.equal([503, 503, 200, 503])
    now += 20_000
    expect(await status('bad')).to.equal(401)
    await gate.close()
  })

  it('counts wrong tokens by network, and by the address that the proxy in front saw', async () => {
    const gate = await openGate({
      host: '127.0.0.1',
      port: 0,
      callerOf: async () => {
        throw Fault.unauthenticated('invalid_token', 'No.')
      },
      isWhole: () => true,
      ...serving(org.connections.clickhouse, 'http://127.0.0.1:1'),
      note: () => {},
      limiter: new Limiter(() => 0),
      refused: { name: 'test', perMinute: 2, burst: 2 },
      trustedProxies: 1,
    })
    const status = async (seen: string) =>
      (await askAt(gate.url, { headers: { 'X-ClickHouse-Key': 'bad', 'X-Forwarded-For': seen } })).status
    const tried = ['2001:db8::1', '2001:db8::2', '9.9.9.9, 2001:db8::3', '2001:db8:0:1::1', '10.0.0.1']
    const found: number[] = []
    for (const seen of tried) found.push(await status(seen))
    expect(found).to.deep.equal([401, 401, 503, 401, 401])
    await gate.close()
  })

  it('answers a path that is none with 404', async () => {
    const answer = await askAt(org.analystsUrl, { method: 'GET', path: '//' })
    expect([answer.status, await answer.text()]).to.deep.equal([404, 'Not found.\n'])
  })

  it('works out on disk what is more than its share of the memory, and refuses what cannot be', async function () {
    this.timeout(180_000)
    const asked = (body: string) => askAt(org.analystsUrl, { body, headers: basic(token) })
    const groups = 'SELECT count() FROM (SELECT toString(number) AS n FROM numbers(3000000) GROUP BY n)'
    expect(await (await asked(groups)).text()).to.equal('3000000\n')
    const held = await asked('SELECT length(groupArray(toString(number))) FROM numbers(20000000)')
    expect(await held.text()).to.match(/^Code: 241\./)
  })

  it('is before a socket to which another user of the machine cannot connect', async function () {
    const { clickhouse } = await testStores()
    const socket = socketOf(clickhouse.url)!
    expect(statSync(path.dirname(socket)).mode & 0o777).to.equal(0o700)
    expect(statSync(socket).mode & 0o777).to.equal(0o600)
    if (process.getuid?.() !== 0) return this.skip()
    const script = `require('net').connect(process.argv[1]).on('error', (e) => console.log(e.code)).on('connect', () => { console.log('in'); process.exit() })`
    const tried = async (uid: number) => {
      const child = spawn(process.execPath, ['-e', script, socket], {
        uid,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      return line.toString().trim()
    }
    expect(await tried(0)).to.equal('in')
    expect(await tried(65534)).to.equal('EACCES')
    // Nor does the process listen on any port.
    const listening = execFileSync(
      'sh',
      ['-c', `ls -l /proc/${clickhouse.pid()}/fd; cat /proc/net/tcp /proc/net/tcp6`],
      { encoding: 'utf8' },
    )
    const inodes = new Set([...listening.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode!))
    const ports = listening.split('\n').filter((line) => / 0A /.test(line) && inodes.has(line.trim().split(/\s+/)[9]!))
    expect(ports).to.deep.equal([])
  })
})
