/** What clouds do to actions, and what people do between two tries of one: seen from outside, by the clock. */
import { expect } from 'chai'
import { resourceDeleted } from '#streams/resource/messages.ts'
import { atRest, callsOf, eventsOf, expectSound, historyOf, spelled, statusOf, told } from '#test/harness/control.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt, sample } from '#test/harness/tier.ts'

describe('actions of clouds that fail', () => {
  let f: Fleet
  beforeEach(async () => {
    f = await fleet()
    await f.discover(['vm'])
  })
  afterEach(async () => {
    try {
      await atRest(f)
      await expectSound(f)
    } finally {
      await f.end()
      await resetClock()
    }
  })

  const submit = async (type: 'start' | 'stop' = 'stop', uid = 'vm') => {
    const { status, body } = await f.send('POST', '/actions', f.of(uid, type))
    expect(status, JSON.stringify(body)).to.equal(202)
    return `/actions/${body.data.actionID}`
  }
  const shown = async (path: string) => {
    const { status, errorMessage } = (await f.get(path)).body.data
    return [status, errorMessage]
  }
  const tries = (count: number) => until(`${count} calls`, async () => (await callsOf(f)).length === count)
  /** Until a try has failed and waits for the next. */
  const paused = (path: string) =>
    until('a pause', async () => {
      const sql = `select 1 from power where org_id = $1 and live -> 'record' ->> 'nextAttemptAt' is not null`
      return (
        (await f.connections.store.pool.query(sql, [f.orgId])).rows.length > 0 && (await shown(path))[0] === 'pending'
      )
    })
  /** The cloud has taken it and is not done. */
  const underWay = () =>
    until('it is under way', async () => {
      const sql = `select 1 from power where org_id = $1 and live ->> 'isTaken' = 'true'`
      return (await f.connections.store.pool.query(sql, [f.orgId])).rows.length > 0
    })
  const outcomes = async () => (await callsOf(f)).map(({ outcome }) => outcome)
  const rows = async () =>
    (await historyOf(f)).map(({ state, executionState: { step, status }, errorMessage }) => [
      state,
      step,
      status,
      errorMessage,
    ])
  const minutes = 60

  const refusals = [
    ['user_action: The machine has a lock.', 'The machine has a lock.'],
    ['access_denied', 'Simulated fault: access_denied.'],
    ['unsupported_call', 'Simulated fault: unsupported_call.'],
    ['The cloud has no idea.', 'The cloud has no idea.'],
  ] as const
  for (const [error, message] of sample(refusals, 1))
    it(`are not tried again where that cannot help: ${error} [G-60] [ACT-08]`, async () => {
      await f.fail([{ call: 'stop', error, times: 9 }])
      const path = await submit()
      expect((await f.ended(path)).errorMessage).to.equal(message)
      await advance(10 * minutes, f.orgId)
      await atRest(f)
      expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
      expect(await rows()).to.deep.equal([['failed', 'cloud_call', 'failed', message]])
      expect(await told(f)).to.deep.equal(['resource.failed vm'])
      expect(await statusOf(f, 'vm')).to.equal('running')
    })

  it('succeed by the third try, and tell of that alone [G-60]', async () => {
    await f.fail([{ call: 'stop', error: 'throttled', times: 2 }])
    const path = await submit()
    for (const [n, pause] of [31, 121].entries()) {
      await tries(n + 1)
      await paused(path)
      await advance(pause, f.orgId)
    }
    expect((await f.ended(path)).status).to.equal('succeeded')
    await atRest(f)
    expect(await outcomes()).to.deep.equal(['transient', 'transient', 'ok'])
    expect(await rows()).to.deep.equal([['stopped', 'done', 'succeeded', null]])
    const [event, ...others] = await eventsOf(f)
    expect([event!.type, event!.data.data.attempts, others]).to.deep.equal(['resource.stopped', 3, []])
  })

  deepIt('fail while a cloud is gone for an hour, and can be asked for again behind it [G-60]', async () => {
    await f.fail([{ call: '*', error: 'unavailable', times: 1000 }])
    const path = await submit()
    for (const [n, pause] of [31, 121].entries()) {
      await tries(n + 1)
      await paused(path)
      await advance(pause, f.orgId)
    }
    expect((await f.ended(path)).errorMessage).to.equal('Simulated fault: unavailable.')
    await advance(60 * minutes, f.orgId)
    await atRest(f)
    expect(await outcomes()).to.deep.equal(['transient', 'transient', 'transient'])
    await f.fail([])
    expect((await f.act('vm', 'stop')).status).to.equal('succeeded')
    await atRest(f)
    expect((await rows()).map(([state]) => state)).to.deep.equal(['stopped', 'failed'])
    expect(await told(f)).to.deep.equal(['resource.failed vm', 'resource.retry_exhausted vm', 'resource.stopped vm'])
  })

  deepIt(
    'are tried again under another id when the cloud does not answer for a minute, though it does it all the same',
    async () => {
      const { clock } = f.connections
      const sleep = clock.sleep.bind(clock)
      // A minute takes a second and a half; no wait of anything else is that long.
      clock.sleep = (ms, signal) => sleep(ms >= 60_000 ? ms / 40 : ms, signal)
      try {
        await f.fail([{ call: 'stop', delaySeconds: 70 }])
        const path = await submit()
        await paused(path)
        expect(await callsOf(f)).to.deep.equal([])
        await tries(1)
        await advance(31, f.orgId)
        expect((await f.ended(path)).status).to.equal('succeeded')
        await atRest(f)
      } finally {
        clock.sleep = sleep
      }
      const [first, second, ...others] = await callsOf(f)
      expect([first!.outcome, second!.outcome, others]).to.deep.equal(['ok', 'ok', []])
      expect(first!.id).to.not.equal(second!.id)
      expect(await rows()).to.deep.equal([['stopped', 'done', 'succeeded', null]])
      expect(await told(f)).to.deep.equal(['resource.stopped vm'])
      expect(await statusOf(f, 'vm')).to.equal('stopped')
    },
  )

  deepIt('have ten minutes a try: what is done behind that is found by the next [G-31] [G-60]', async () => {
    await f.fail([{ call: 'stop', settleSeconds: 900, times: 3 }])
    const path = await submit()
    await underWay()
    await until('it shows', async () => (await statusOf(f, 'vm')) === 'stopping')
    await advance(9 * minutes, f.orgId)
    await atRestButLooking()
    expect([await shown(path), (await callsOf(f)).length]).to.deep.equal([['running', undefined], 1])
    await advance(1 * minutes + 1, f.orgId)
    await paused(path)
    expect(await statusOf(f, 'vm')).to.equal('stopping')
    await advance(31, f.orgId)
    await tries(2)
    await underWay()
    // Fifteen minutes and a little behind the first call.
    await advance(4 * minutes + 40, f.orgId)
    expect((await f.ended(path)).status).to.equal('succeeded')
    await atRest(f)
    expect(await outcomes()).to.deep.equal(['ok', 'ok'])
    expect(await rows()).to.deep.equal([['stopped', 'done', 'succeeded', null]])
    expect(await told(f)).to.deep.equal(['resource.stopped vm'])
    expect(await statusOf(f, 'vm')).to.equal('stopped')
  })

  /** Nothing on its way but what the cloud is at. */
  const atRestButLooking = () =>
    until('nothing to do', async () => {
      const { rows: left } = await f.connections.store.pool.query(
        `select 1 from effect where org_id = $1
         union all select 1 from outbox where subject like '%.' || $1 || '.%'
         union all select 1 from reminder where org_id = $1 and kind = 'power' and name = 'look' and due < $2`,
        [f.orgId, new Date(f.connections.clock.now())],
      )
      return left.length === 0
    })

  deepIt('fail when three tries of ten minutes have come to nothing, naming that [G-60] [HIST-06]', async () => {
    await f.fail([{ call: 'stop', settleSeconds: 86_400, times: 3 }])
    const path = await submit()
    for (const [n, pause] of [31, 121, 0].entries()) {
      await tries(n + 1)
      await underWay()
      await advance(10 * minutes + 1, f.orgId)
      if (pause === 0) break
      await paused(path)
      await advance(pause, f.orgId)
    }
    expect((await f.ended(path)).errorMessage).to.equal('no result in 10 minutes')
    await atRest(f)
    expect(await outcomes()).to.deep.equal(['ok', 'ok', 'ok'])
    expect(await rows()).to.deep.equal([['failed', 'wait_state', 'failed', 'no result in 10 minutes']])
    expect(await told(f)).to.deep.equal(['resource.failed vm', 'resource.retry_exhausted vm'])
    expect(await statusOf(f, 'vm')).to.equal('running')
  })

  const goings: [string, string, () => Promise<unknown>][] = [
    [
      'the resource is deleted',
      'the resource no longer exists',
      () => f.publish(resourceDeleted, [{ provider: 'aws', cloudAccountId: f.accountId, resourceUid: 'vm' }]),
    ],
    [
      'the account is disabled',
      'the account is disabled',
      () => f.send('PATCH', `/cloud-accounts/${f.accountId}`, { enabled: false }),
    ],
  ]
  // In memory: test/actors/power-try.test.ts.
  for (const [what, message, go] of goings)
    deepIt(`fail without another call when ${what} between two tries [G-60] [HIST-06]`, async () => {
      await f.fail([{ call: 'stop', error: 'throttled', times: 3 }])
      const path = await submit()
      await paused(path)
      await go()
      await advance(31, f.orgId)
      expect((await f.ended(path)).errorMessage).to.equal(message)
      await atRest(f)
      expect(await outcomes()).to.deep.equal(['transient'])
      expect(await rows()).to.deep.equal([['failed', 'queued', 'failed', message]])
      expect(await told(f)).to.deep.equal(['resource.failed vm'])
    })

  deepIt('end when their account is deleted between two tries, without another call', async () => {
    await f.fail([{ call: 'stop', error: 'throttled', times: 3 }])
    const path = await submit()
    await paused(path)
    expect((await f.send('DELETE', `/cloud-accounts/${f.accountId}`)).status).to.equal(204)
    await advance(31, f.orgId)
    const { status, errorMessage } = await f.ended(path)
    expect([status, errorMessage]).to.deep.equal(['failed', 'the resource no longer exists'])
    expect(await outcomes()).to.deep.equal(['transient'])
    expect((await f.send('POST', '/actions', f.of('vm', 'stop'))).status).to.equal(404)
  })

  it('with credentials that are refused blind the account, until it is verified and seen again [G-113]', async () => {
    const provider = 'aws'
    const connecting = { name: 'Analytics', provider, externalID: 'sim-aws-analytics' }
    const id = (await f.send('POST', '/cloud-accounts', connecting)).body.data.id as string
    const account = async () => (await f.get(`/cloud-accounts/${id}`)).body.data
    type Shown = Record<'cloudAccountID' | 'uid' | 'type' | 'status' | 'region', string>
    const inventory = async () =>
      ((await f.get('/resources?limit=100')).body.data as Shown[]).filter((one) => one.cloudAccountID === id)
    await until('its first scan', async () => (await account()).lastSyncedAt !== null)
    const all = await inventory()
    const vm = all.find(({ type, status }) => type === 'aws-ec2' && status === 'running')!
    const body = {
      type: 'stop',
      resourceUID: vm.uid,
      provider,
      resourceType: vm.type,
      cloudAccountID: id,
      region: vm.region,
    }
    await f.send('POST', '/internal/sim/faults', {
      faults: [{ call: 'stop', cloudAccountId: id, error: 'credentials_refused', times: 1 }],
    })
    const asked = await f.send('POST', '/actions', body)
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202)
    const ended = await f.ended(`/actions/${asked.body.data.actionID}`)
    expect([ended.status, ended.errorMessage]).to.deep.equal(['failed', 'Simulated fault: credentials_refused.'])
    await until('the account tells', async () => (await account()).status === 'error')
    expect((await account()).message).to.include('credentials_refused')
    await until('nobody knows', async () => (await inventory()).every(({ status }) => status === 'pending'))
    const again = await f.send('POST', '/actions', body)
    expect([again.status, again.body.code]).to.deep.equal([422, 'capability_missing'])
    expect((await f.send('POST', `/cloud-accounts/${id}/verify`)).body.data.status).to.equal('connected')
    await until('all is seen again', async () => (await inventory()).every(({ status }) => status !== 'pending'))
    const states = (list: typeof all) => list.map(({ uid, status }) => `${uid} ${status}`).toSorted()
    expect(states(await inventory())).to.deep.equal(states(all))
    const last = await f.send('POST', '/actions', body)
    expect((await f.ended(`/actions/${last.body.data.actionID}`)).status).to.equal('succeeded')
    await atRest(f, [f.accountId, id])
    expect((await callsOf(f, [id])).map(({ outcome }) => outcome)).to.deep.equal(['user_action', 'ok'])
    expect(await told(f)).to.deep.equal([`resource.failed ${vm.uid}`, `resource.stopped ${vm.uid}`])
  })
})
