import { expect } from 'chai'
import { advance, ask, resetClock } from '#test/harness/people.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { tenant, until, type Answer } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const codeOf = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer
  return `${status} ${body.code}`
}

describe('actions', () => {
  let f: Fleet
  before(async () => {
    f = await fleet()
    await Promise.all([
      f.discover(['i-stop', 'i-so', 'i-off', 'i-said', 'i-once', 'i-seen', 'i-own']),
      f.discover(['i-full', 'i-busy'], 'stopped'),
      f.discover(['i-fixed'], 'running', { schedulable: false }),
    ])
  })
  after(() => f.end())
  afterEach(() => f.fail([]))
  const statusOf = async (uid: string) => (await f.get(`/resources?search=${uid}`)).body.data[0].status

  it('stop a resource: queued, then shown to their end with exactly these fields [ACT-01] [ACT-03] [ACT-07] [ACT-09] [ACT-13] [ACT-15]', async () => {
    const { status, body } = await f.send('POST', '/actions', f.of('i-stop', 'stop'))
    expect([status, body]).to.deep.equal([202, { data: { actionID: body.data.actionID, status: 'queued' } }])
    const first = await f.get(`/actions/${body.data.actionID}`)
    expect(first.status).to.equal(200)
    expect(first.body.data.status).to.be.oneOf(['pending', 'running', 'succeeded'])
    const { startedAt, completedAt, createdAt, ...rest } = await f.ended(`/actions/${body.data.actionID}`)
    expect(rest).to.deep.equal({
      id: body.data.actionID,
      resourceUID: 'i-stop',
      provider: 'aws',
      cloudAccountID: f.accountId,
      region: 'us-east-1',
      action: 'stop',
      reason: null,
      status: 'succeeded',
    })
    expect([createdAt <= startedAt, startedAt <= completedAt]).to.deep.equal([true, true])
    expect(f.calls()).to.deep.equal(['stop i-stop'])
    await until('it shows stopped', async () => (await statusOf('i-stop')) === 'stopped')
    await until('somebody was told', () => f.events.some(({ data }) => data.scope.id === 'i-stop'))
    const told = f.events.filter(({ data }) => data.scope.id === 'i-stop')
    expect(told.map(({ type, data }) => [type, data.title])).to.deep.equal([
      ['resource.stopped', 'name of i-stop was stopped'],
    ])
    await until('its own record is kept', async () => {
      const rows = await f.connections.store.pool.query('select status from action where org_id = $1 and id = $2', [
        f.orgId,
        body.data.actionID,
      ])
      return rows.rows[0]?.status === 'succeeded'
    })
  })

  it('succeed without a call where the resource is so already, and are found at once [G-60]', async () => {
    const before = f.calls()
    const { body } = await f.send('POST', '/actions', f.of('i-so', 'start'))
    const { status, startedAt, completedAt } = (await f.get(`/actions/${body.data.actionID}`)).body.data
    expect([status, startedAt, typeof completedAt, f.calls()]).to.deep.equal(['succeeded', null, 'string', before])
    expect((await f.get('/state-history?resource_uid=i-so')).body.data.total).to.equal(0)
  })

  deepIt('know what the one before came to, however soon they follow', async () => {
    await f.discover(['i-turn'])
    for (const type of ['stop', 'start', 'stop'] as const)
      expect((await f.act('i-turn', type)).status).to.equal('succeeded')
    expect(f.calls().filter((call) => call.endsWith('i-turn'))).to.deep.equal([
      'stop i-turn',
      'start i-turn',
      'stop i-turn',
    ])
  })

  it('show why they failed, and leave it in the history [ACT-08] [HIST-06]', async () => {
    await f.fail([{ call: 'start', resourceUid: 'i-full', error: 'quota_exceeded' }])
    const action = await f.act('i-full', 'start')
    expect([action.status, action.errorMessage]).to.deep.equal(['failed', 'Simulated fault: quota_exceeded.'])
    const [{ id, state, executionState, errorMessage }] = (await f.get('/state-history?resource_uid=i-full')).body.data
      .items
    expect([id, state, executionState, errorMessage]).to.deep.equal([
      action.id,
      'failed',
      { step: 'cloud_call', status: 'failed' },
      'Simulated fault: quota_exceeded.',
    ])
    await until('it shows what was seen', async () => (await statusOf('i-full')) === 'stopped')
  })

  it('are tried three times while the cloud says that another may help, and no other is taken meanwhile; then told twice [G-60] [S-26]', async () => {
    await f.fail([{ call: 'start', resourceUid: 'i-busy', error: 'throttled', times: 3 }])
    const { body } = await f.send('POST', '/actions', f.of('i-busy', 'start'))
    const path = `/actions/${body.data.actionID}`
    const pausedSql = `select live -> 'record' ->> 'nextAttemptAt' as next from power where org_id = $1
      and live_id = $2 and (live -> 'record' ->> 'attempt')::int = $3`
    const isPaused = async (attempt: number) => {
      const values = [f.orgId, body.data.actionID, attempt]
      const { rows } = await f.connections.store.pool.query<{ next: string | null }>(pausedSql, values)
      return typeof rows[0]?.next === 'string' && (await f.get(path)).body.data.status === 'pending'
    }
    const tries = (count: number) => f.calls().filter((call) => call === 'start i-busy').length === count
    try {
      for (const [n, pause] of [30, 120].entries()) {
        await until(`the pause after try ${n + 1}`, () => isPaused(n + 1))
        const another = f.send('POST', '/actions', f.of('i-busy', 'stop'))
        expect(await codeOf(another), 'meanwhile').to.equal('409 action_in_progress')
        await advance(pause + 1, f.orgId)
      }
      const { status, errorMessage } = await f.ended(path)
      expect([status, errorMessage, tries(3)]).to.deep.equal(['failed', 'Simulated fault: throttled.', true])
      const heard = () => f.events.filter(({ data }) => data.scope.id === 'i-busy').map(({ type }) => type)
      await until('both are told', () => heard().length >= 2)
      expect(heard().toSorted()).to.deep.equal(['resource.failed', 'resource.retry_exhausted'])
    } finally {
      await resetClock()
    }
  })

  it('refuse what cannot be: unknown, never started, an account that is disabled [G-60]', async () => {
    expect(await codeOf(f.send('POST', '/actions', f.of('i-none', 'stop')))).to.equal('404 not_found')
    expect(await codeOf(f.send('POST', '/actions', f.of('i-fixed', 'stop')))).to.equal('422 not_schedulable')
    const path = `/cloud-accounts/${f.accountId}`
    await f.send('PATCH', path, { enabled: false })
    expect(await codeOf(f.send('POST', '/actions', f.of('i-off', 'stop')))).to.equal('422 capability_missing')
    await f.send('PATCH', path, { enabled: true })
    await f.fail([{ call: 'verify', error: 'read_only' }])
    await f.send('POST', `${path}/verify`)
    expect(await codeOf(f.send('POST', '/actions', f.of('i-off', 'stop')))).to.equal('422 capability_missing')
    await f.send('POST', `${path}/verify`)
    expect((await f.act('i-off', 'stop')).status).to.equal('succeeded')
  })

  it('name the field that says otherwise than the inventory; stand-ins are names too [ACT-01] [ACT-06]', async () => {
    const named = async (fields: object) => {
      const { status, body } = await f.send('POST', '/actions', { ...f.of('i-said', 'stop'), ...fields })
      return [status, ...(body.errors ?? []).map(({ name }: { name: string }) => name)]
    }
    expect(await named({ resourceType: 'aws-rds' })).to.deep.equal([400, '/resourceType'])
    expect(await named({ provider: 'gcp' })).to.deep.equal([400, '/provider'])
    expect(await named({ region: 'eu-west-1' })).to.deep.equal([400, '/region'])
    expect(await named({ type: 'reboot' })).to.deep.equal([400, '/type'])
    expect(await named({ cloudAccountID: 'acct-0' })).to.deep.equal([404])
    expect(f.calls().filter((call) => call.endsWith('i-said'))).to.deep.equal([])
    expect(await named({ provider: 'cloud-a', resourceType: 'cloud-a-ec2' })).to.deep.equal([202])
  })

  it('are asked for once under one Idempotency-Key [G-09]', async () => {
    const asked = () =>
      ask('POST', '/actions', {
        token: f.token,
        body: f.of('i-once', 'stop'),
        headers: { 'Idempotency-Key': 'stop-i-once' },
      })
    const [one, two] = [await asked(), await asked()]
    expect(two.body).to.deep.equal(one.body)
    await f.ended(`/actions/${one.body.data.actionID}`)
    expect(f.calls().filter((call) => call.endsWith('i-once'))).to.deep.equal(['stop i-once'])
  })

  it('are written down with who asked, and stand in what happened to the resource [REP-20]', async () => {
    const { id } = await f.act('i-seen', 'stop')
    const { items } = (await f.get('/security-events')).body.data
    const detail = { actionID: id, action: 'stop', resourceUID: 'i-seen', cloudAccountID: f.accountId }
    expect(
      items.find((one: any) => one.type === 'action_submitted' && one.detail.actionID === id).detail,
    ).to.deep.equal(detail)
    const happened = async () =>
      (await f.get('/reports/resources/activity?resource_uid=i-seen')).body.data.items.map((item: any) => [
        item.kind,
        item.actor.replace(/^(manual):.*/, '$1'),
        item.details,
      ])
    await until('it shows stopped', async () => (await happened()).length >= 4)
    expect(await happened()).to.have.deep.members([
      ['action_submission', 'manual', { actionID: id, action: 'stop' }],
      ['state_transition', 'action', { from: 'running', to: 'stopping' }],
      ['state_transition', 'action', { from: 'stopping', to: 'stopped' }],
      ['state_transition', 'discovery', { from: '', to: 'running' }],
    ])
  })

  it('are for those who may, each organization its own', async () => {
    const other = await tenant()
    const { id } = await f.act('i-own', 'stop')
    expect(await codeOf(other.get(`/actions/${id}`))).to.equal('404 not_found')
    expect(await codeOf(other.send('POST', '/actions', f.of('i-own', 'start')))).to.equal('404 not_found')
    const viewer = await f.tokenFor('viewer')
    const asked = ask('POST', '/actions', { token: viewer, body: f.of('i-own', 'start') })
    expect(await codeOf(asked)).to.equal('403 forbidden')
    expect((await ask('GET', `/actions/${id}`, { token: viewer })).status).to.equal(200)
    expect(await codeOf(f.get('/actions/none'))).to.equal('404 not_found')
  })
})
