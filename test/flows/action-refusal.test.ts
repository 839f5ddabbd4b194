/** What is refused of actions, schedules and overrides, and that nothing of another organization is to be reached by them. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { resourceDeleted } from '#streams/resource/messages.ts'
import { atRest, callsOf, expectSound, historyOf, spelled, statusOf, told } from '#test/harness/control.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { advance, ask, resetClock, setClock } from '#test/harness/people.ts'
import { until, type Answer } from '#test/harness/product.ts'
import { deepDescribe, deepIt, sample } from '#test/harness/tier.ts'

const refusal = ({ status, body }: Answer) => [status, body.code, ...(body.errors ?? []).map(({ name }: any) => name)]
const inADay = () => new Date(Date.now() + 86_400_000).toISOString()
const night = { name: 'Night', timezone: 'Europe/Berlin', rules: [{ action: 'stop', cron: '0 20 * * *' }] }

describe('actions, schedules and overrides that cannot be', () => {
  let f: Fleet
  before(async () => {
    f = await fleet()
    await f.discover(['vm', 'gone'])
    await f.discover(['fixed'], 'running', { schedulable: false })
    await f.publish(resourceDeleted, [{ provider: 'aws', cloudAccountId: f.accountId, resourceUid: 'gone' }])
  })
  after(async () => {
    await atRest(f)
    expect([await callsOf(f), await told(f), await historyOf(f)]).to.deep.equal([[], [], []])
    await expectSound(f)
    await f.end()
  })
  const act = async (fields: object, uid = 'vm') =>
    refusal(await f.send('POST', '/actions', { ...f.of(uid, 'stop'), ...fields }))

  it('are not found: resources that are unknown, gone, or in another account', async () => {
    const missing = [404, 'not_found']
    expect(await act({}, 'nowhere')).to.deep.equal(missing)
    expect(await act({}, 'gone')).to.deep.equal(missing)
    expect(await act({ cloudAccountID: 'acct-9' })).to.deep.equal(missing)
    expect(refusal(await f.get(`/actions/${randomUUID()}`))).to.deep.equal(missing)
    expect(refusal(await f.get(`/actions/bulk/${randomUUID()}`))).to.deep.equal(missing)
    expect(refusal(await f.send('POST', '/actions/bulk', { type: 'stop', groupID: randomUUID() }))).to.deep.equal(
      missing,
    )
    const override = { scopeType: 'resource', scopeID: 'gone', desiredState: 'stopped', expiresAt: inADay() }
    expect(refusal(await f.send('POST', '/overrides', override))).to.deep.equal(missing)
  })

  it('are of what is started and stopped at all [G-60]', async () => {
    expect(await act({}, 'fixed')).to.deep.equal([422, 'not_schedulable'])
  })

  it('say what the inventory says, or are told where they do not [ACT-06]', async () => {
    const invalid = (...names: string[]) => [400, 'validation_failed', ...names]
    expect(await act({ provider: 'gcp' })).to.deep.equal(invalid('/provider'))
    expect(await act({ resourceType: 'aws-rds' })).to.deep.equal(invalid('/resourceType'))
    expect(await act({ region: '' })).to.deep.equal(invalid('/region'))
    expect(await act({ provider: 'azure', resourceType: 'azure-vm', region: 'x' })).to.deep.equal(
      invalid('/provider', '/resourceType', '/region'),
    )
    for (const type of ['reboot', 'STOP', '', null, 1]) expect(await act({ type })).to.deep.equal(invalid('/type'))
    expect(await act({ resourceUID: '' })).to.deep.equal(invalid('/resourceUID'))
    expect(await act({ resourceUID: 'a\0b' })).to.deep.equal(invalid('/resourceUID'))
    expect((await act({ force: true })).slice(0, 2)).to.deep.equal([400, 'invalid_parameter'])
    expect((await act({ region: undefined })).slice(0, 2)).to.deep.equal(invalid())
  })

  it('have rules that fire, in zones that there are [G-21]', async () => {
    const rule = async (cron: string) =>
      refusal(await f.send('POST', '/schedules', { ...night, rules: [night.rules[0], { action: 'start', cron }] }))
    const never = ['0 0 30 2 *', '0 0 31 4,6,9,11 *', '0 0 31 FEB *']
    const none = [
      '',
      '* * * *',
      '* * * * * *',
      '@daily',
      '60 * * * *',
      '0 24 * * *',
      '0 0 0 * *',
      '0 0 * 13 *',
      '0 0 * * 8',
    ]
    const odd = [
      '*/0 * * * *',
      '5-1 * * * *',
      '0 0 L * *',
      '0 0 * * 1#2',
      '0 0 15W * *',
      '1,,2 * * * *',
      '-1 * * * *',
      'a b c d e',
    ]
    // test/streams/cron.test.ts has them all.
    for (const cron of [...sample(never), ...sample(none), ...sample(odd)])
      expect(await rule(cron), cron).to.deep.equal([400, 'validation_failed', '/rules/1/cron'])
    const zones = ['Europe/Munich', 'Mars/Olympus', '../../etc/passwd', 'Europe/Berlin ', '+25:00', 'local', '<b>']
    for (const timezone of sample(zones))
      expect(refusal(await f.send('POST', '/schedules', { ...night, timezone })), timezone).to.deep.equal([
        400,
        'validation_failed',
        '/timezone',
      ])
    expect((await f.get('/schedules')).body.data.total).to.equal(0)
  })
})

deepDescribe('an action that is asked for twice', () => {
  let f: Fleet
  beforeEach(async () => {
    f = await fleet()
    await f.discover(['vm'])
  })
  afterEach(async () => {
    await atRest(f)
    await expectSound(f)
    await f.end()
    await resetClock()
  })
  const submit = (headers: Record<string, string> = {}) =>
    ask('POST', '/actions', { token: f.token, body: f.of('vm', 'stop'), headers })

  it('under one Idempotency-Key is one action, also at once [G-09]', async () => {
    const key = { 'Idempotency-Key': randomUUID() }
    const both = await Promise.all([submit(key), submit(key)])
    const taken = both.filter(({ status }) => status === 202)
    expect(taken.length).to.be.at.least(1)
    const { actionID } = taken[0]!.body.data
    await f.ended(`/actions/${actionID}`)
    for (const answer of [...taken, await submit(key)])
      expect([answer.status, answer.body.data]).to.deep.equal([202, { actionID, status: 'queued' }])
    await atRest(f)
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
    expect(await told(f)).to.deep.equal(['resource.stopped vm'])
  })

  it('at once is one action and a refusal, of however many [G-60]', async () => {
    await f.fail([{ call: 'stop', settleSeconds: 60 }])
    const answers = await Promise.all(Array.from({ length: 6 }, () => submit()))
    expect(answers.map(({ status }) => status)).to.have.members([202, 409, 409, 409, 409, 409])
    const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body.code)
    expect(new Set(refused)).to.deep.equal(new Set(['action_in_progress']))
    const { actionID } = answers.find(({ status }) => status === 202)!.body.data
    await until('it is under way', async () => (await statusOf(f, 'vm')) === 'stopping')
    await until('the call', async () => (await callsOf(f)).length === 1)
    await advance(61, f.orgId)
    expect((await f.ended(`/actions/${actionID}`)).status).to.equal('succeeded')
    await atRest(f)
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
  })
})

describe('what an organization starts and stops, and another one that has resources of the same uids [GEN-10]', () => {
  let a: Fleet
  let b: Fleet
  const ids: Record<string, string> = {}
  before(async () => {
    const made = async (path: string, body: object) => {
      const answer = await b.send('POST', path, body)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      return answer.body.data.id as string
    }
    a = await fleet()
    b = await fleet()
    for (const one of [a, b]) await one.discover(['vm', 'db'])
    ids['group'] = await made('/resource-groups', {
      name: 'All',
      members: [{ resourceUID: 'vm' }, { resourceUID: 'only' }],
    })
    await b.discover(['only'])
    ids['bulk'] = (
      await b.send('POST', '/actions/bulk', { type: 'stop', groupID: ids['group'] })
    ).body.data.bulkActionID
    await b.ended(`/actions/bulk/${ids['bulk']}`)
    ids['action'] = (await historyOf(b))[0]!.id
    // Not so soon that it may have passed before the schedule is there.
    const fire = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000)
    const cron = `${fire.getUTCMinutes()} ${fire.getUTCHours()} * * *`
    ids['schedule'] = await made('/schedules', {
      name: 'B',
      timezone: 'UTC',
      rules: [{ action: 'stop', cron }],
      resourceUIDs: ['db'],
    })
    await setClock(fire, b.orgId)
    await until('a fire', async () => (await b.get('/events')).body.data[0]?.status === 'completed')
    const expiresAt = new Date(fire.getTime() + 86_400_000).toISOString()
    const override = { scopeType: 'resource', scopeID: 'only', desiredState: 'stopped', expiresAt }
    ids['override'] = await made('/overrides', override)
    await atRest(b)
    const row = { day: '2026-01-15', cloud_account_id: 'x', resource_uid: 'vm', source: 'schedule', source_id: 's' }
    const dimensions = { provider: 'aws', region: '', service_name: '', resource_type: '', purchase_type: '' }
    await b.connections.clickhouse.insert({
      table: 'saving_daily',
      values: [{ org_id: b.orgId, ...row, ...dimensions, saved: '1', x_Version: '1' }],
      format: 'JSONEachRow',
    })
  })
  after(async () => {
    for (const one of [a, b]) {
      await atRest(one)
      await expectSound(one)
      await one.end()
    }
    await resetClock()
  })
  const everything = async (of: Fleet) =>
    Promise.all(
      ['/schedules', '/overrides', '/events', '/state-history', '/resource-groups', '/actions/bulk/latest'].map(
        async (path) => (await of.get(path)).body,
      ),
    )

  it('is not there for the other one, by no id and in no list', async () => {
    const untouched = await everything(b)
    const { action, bulk, schedule, override, group } = ids as Record<string, string>
    const scope = { desiredState: 'running', expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
    const asked: [string, string, object?][] = [
      ['GET', `/actions/${action}`],
      ['GET', `/actions/bulk/${bulk}`],
      ['GET', '/actions/bulk/latest'],
      ['POST', '/actions/bulk', { type: 'start', groupID: group }],
      ['POST', '/actions', b.of('vm', 'start')],
      ['POST', '/actions', b.of('only', 'start')],
      ['GET', `/schedules/${schedule}`],
      ['GET', `/schedules/${schedule}/next-runs`],
      ['PATCH', `/schedules/${schedule}`, { enabled: false }],
      ['DELETE', `/schedules/${schedule}`],
      ['DELETE', `/overrides/${override}`],
      ['POST', '/overrides', { ...scope, scopeType: 'resource', scopeID: 'only' }],
      ['POST', '/overrides', { ...scope, scopeType: 'resource_group', scopeID: group }],
    ]
    for (const [method, path, body] of asked)
      expect(refusal(await a.send(method, path, body)), `${method} ${path}`).to.deep.equal([404, 'not_found'])
    expect(refusal(await a.send('POST', '/schedules', { ...night, resourceGroupIDs: [group] }))).to.deep.equal([
      400,
      'validation_failed',
      '/resourceGroupIDs/0',
    ])
    for (const path of ['/schedules', '/overrides', '/events', '/state-history', `/events?schedule_id=${schedule}`]) {
      const { data } = (await a.get(path)).body
      expect(data.items ?? data, path).to.deep.equal([])
    }
    expect(await everything(b)).to.deep.equal(untouched)
    expect([await callsOf(a), await told(a)]).to.deep.equal([[], []])
  })

  it('does nothing to those of the same uid', async () => {
    expect([await statusOf(a, 'vm'), await statusOf(a, 'db')]).to.deep.equal(['running', 'running'])
    expect((await a.act('vm', 'stop')).status).to.equal('succeeded')
    await atRest(a)
    expect((await historyOf(a)).map(({ resourceUid }) => resourceUid)).to.deep.equal(['vm'])
    expect(spelled(await callsOf(a))).to.deep.equal(['stop vm'])
    expect(spelled(await callsOf(b)).toSorted()).to.deep.equal(['stop db', 'stop only', 'stop vm'])
    expect((await b.get('/state-history?resource_uid=vm')).body.data.total).to.equal(1)
  })

  deepIt('is not seen over the port of analysts, by no name of its tables [STREAM-05]', async () => {
    const rows = async (of: Fleet, token: string, sql: string) => {
      const answer = await askAt(of.analystsUrl, { body: `${sql} FORMAT TSV`, headers: basic(token) })
      return [answer.status, (await answer.text()).trim()]
    }
    const [ofA, ofB] = [await a.tokenFor('viewer', 'analyst'), await b.tokenFor('viewer', 'analyst')]
    for (const [table, mine, others] of [
      ['state_history', 1, 3],
      ['action_submission', 1, 3],
      ['scheduler_event', 0, 1],
    ] as const) {
      expect(await rows(a, ofA, `SELECT count() FROM ${table}`), table).to.deep.equal([200, String(mine)])
      expect(await rows(b, ofB, `SELECT count() FROM ${table}`), table).to.deep.equal([200, String(others)])
      expect(await rows(a, ofA, `SELECT count() FROM ${table} WHERE org_id != '${a.orgId}'`)).to.deep.equal([200, '0'])
    }
    for (const table of ['state_history', 'action_submission', 'scheduler_event', 'saving_daily'])
      for (const database of ['tidemark', `org_${b.orgId}`]) {
        const [status, text] = await rows(a, ofA, `SELECT count() FROM \`${database}\`.${table}`)
        expect([status === 200 && text !== '0', text], `${database}.${table}`).to.include(false)
      }
    const [status, text] = await rows(a, ofA, 'SELECT count() FROM saving_daily')
    expect(status === 200 ? text : '0').to.equal('0')
  })
})
