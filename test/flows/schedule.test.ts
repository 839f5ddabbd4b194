/** Schedules and overrides from outside, by the clock. */
import { expect } from 'chai'
import {
  atRest,
  callsOf,
  eventsOf,
  expectSound,
  fleetAt,
  historyOf,
  spelled,
  statusOf,
  told,
} from '#test/harness/control.ts'
import type { Fleet } from '#test/harness/fleet.ts'
import { setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

interface Rule {
  action: 'start' | 'stop'
  cron: string
}

describe('schedules from outside', () => {
  let f: Fleet
  afterEach(async () => {
    try {
      await atRest(f)
      await expectSound(f)
    } finally {
      await f.end()
    }
  })

  const clock = (at: string) => setClock(new Date(at), f.orgId)
  const made = async (path: string, body: object) => {
    const answer = await f.send('POST', path, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }
  const schedule = (fields: object = {}) =>
    made('/schedules', {
      name: 'Night',
      timezone: 'Europe/Berlin',
      rules: [{ action: 'stop', cron: '0 20 * * 1-5' }],
      resourceUIDs: ['vm'],
      ...fields,
    })
  const override = (fields: object) =>
    made('/overrides', { scopeType: 'resource', scopeID: 'vm', desiredState: 'running', ...fields })
  const group = async (...uids: string[]) =>
    (await made('/resource-groups', { name: uids.join(), members: uids.map((resourceUID) => ({ resourceUID })) }))
      .id as string
  const events = async () =>
    (await f.get('/events?limit=100')).body.data.map(
      (one: any) => `${one.triggeredAt.slice(0, 16)} ${one.action} ${one.status}`,
    ) as string[]
  /** Until there are so many events of fires, and what they led to is over; newest first. */
  const fired = async (count: number) => {
    await until(`${count} events`, async () => (await events()).length >= count)
    await atRest(f)
    await until('their ends', async () => !(await events()).some((one) => one.endsWith('triggered')))
    return events()
  }
  const changes = async (query = '') =>
    (await historyOf(f, query)).map((one) => `${one.state} ${one.changedBy.split(':')[0]}`)

  /** Begins with a schedule that stops the machine at 19:00 UTC, and goes there; the id of the schedule. */
  const night = async (): Promise<string> => {
    f = await fleetAt('2030-01-07T18:00:00Z')
    await f.discover(['vm'])
    const { id, nextRunAt } = await schedule()
    expect(nextRunAt).to.equal('2030-01-07T19:00:00.000Z')
    await clock('2030-01-07T19:00:00Z')
    expect(await fired(1)).to.deep.equal(['2030-01-07T19:00 stop completed'])
    return id
  }

  it('stop a night, and say so in events, history and action [S-27] [ACT-13] [ACT-14] [ACT-16] [HIST-03] [HIST-07]', async () => {
    const id = await night()
    const [event] = (await f.get(`/events?schedule_id=${id}`)).body.data
    expect(event).to.deep.equal({
      id: event.id,
      scheduleID: id,
      action: 'stop',
      triggeredAt: '2030-01-07T19:00:00.000Z',
      resources: ['vm'],
      status: 'completed',
    })
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
    const [row, ...others] = await historyOf(f)
    expect(others).to.deep.equal([])
    expect(row).to.deep.include({
      resourceUid: 'vm',
      state: 'stopped',
      changedBy: `schedule:Night:${id}`,
      scheduleId: id,
      executionState: { step: 'done', status: 'succeeded' },
      errorMessage: null,
    })
    expect(Date.parse(row!.changedAt) - Date.parse('2030-01-07T19:00:00Z')).to.be.within(0, 180_000)
    const action = (await f.get(`/actions/${row!.id}`)).body.data
    expect([action.action, action.reason, action.status]).to.deep.equal(['stop', 'schedule Night', 'succeeded'])
    expect(await told(f)).to.deep.equal(['resource.stopped vm'])
    expect(await statusOf(f, 'vm')).to.equal('stopped')
    const shown = (await f.get(`/schedules/${id}`)).body.data
    expect([shown.lastRunAt, shown.nextRunAt]).to.deep.equal(['2030-01-07T19:00:00.000Z', '2030-01-08T19:00:00.000Z'])
  })

  deepIt('do nothing before their time', async () => {
    f = await fleetAt('2030-01-07T18:00:00Z')
    await f.discover(['vm'])
    await schedule()
    await clock('2030-01-07T18:50:00Z')
    await atRest(f)
    expect([await events(), await callsOf(f)]).to.deep.equal([[], []])
  })

  deepIt('make an exception of a night, and come back to it [S-27] [HIST-04] [G-22]', async () => {
    await night()
    await clock('2030-01-08T18:00:00Z')
    const { id: overrideId } = await override({ expiresAt: '2030-01-08T22:00:00Z', reason: 'Load test' })
    await until('it runs', async () => (await statusOf(f, 'vm')) === 'running')
    await clock('2030-01-08T19:00:00Z')
    expect(await fired(2)).to.deep.equal(['2030-01-08T19:00 stop completed', '2030-01-07T19:00 stop completed'])
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm', 'start vm'])
    await clock('2030-01-08T22:00:00Z')
    await until('it is stopped again', async () => (await callsOf(f)).length === 3)
    await atRest(f)
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm', 'start vm', 'stop vm'])
    expect(await statusOf(f, 'vm')).to.equal('stopped')
    const expired = await historyOf(f, '&changed_by_type=override_expired')
    expect(expired.map(({ state, changedBy, scheduleId }) => [state, changedBy, scheduleId])).to.deep.equal([
      ['stopped', `override_expired:${overrideId}`, null],
    ])
    expect(await changes()).to.deep.equal(['stopped override_expired', 'running override', 'stopped schedule'])
    const all = ['override', 'started', 'stopped', 'stopped'].map((what) => `resource.${what} vm`)
    expect(await told(f)).to.deep.equal(all)
    const [of] = (await eventsOf(f)).filter(({ type }) => type === 'resource.override')
    expect(of!.data.data).to.deep.include({
      overrideID: overrideId,
      desiredState: 'running',
      expiresAt: '2030-01-08T22:00:00.000Z',
      reason: 'Load test',
    })
    expect((await f.get('/overrides')).body.data[0]).to.include({ status: 'expired' })
  })

  /** Fires of a zone: the clock goes to each time, and stops ten minutes before as well. */
  const zones: [string, string, Rule[], string[]][] = [
    [
      'Europe/Berlin, whose clock jumps over 02:30',
      '2030-03-30T12:00:00Z',
      [{ action: 'stop', cron: '30 2 * * *' }],
      ['2030-03-31T01:00', '2030-04-01T00:30'],
    ],
    [
      'Europe/Berlin, whose clock jumps over four quarters',
      '2030-03-30T12:00:00Z',
      [{ action: 'stop', cron: '*/15 2 * * *' }],
      ['2030-03-31T01:00', '2030-04-01T00:00'],
    ],
    [
      'Europe/Berlin, whose clock shows 02:30 twice',
      '2030-10-26T12:00:00Z',
      [{ action: 'stop', cron: '30 2 * * *' }],
      ['2030-10-27T00:30', '2030-10-28T01:30'],
    ],
    [
      'Europe/Berlin in summer',
      '2030-07-08T12:00:00Z',
      [{ action: 'stop', cron: '0 20 * * 1-5' }],
      ['2030-07-08T18:00', '2030-07-09T18:00'],
    ],
    [
      'Asia/Kolkata',
      '2030-01-07T12:00:00Z',
      [{ action: 'stop', cron: '0 20 * * 1-5' }],
      ['2030-01-07T14:30', '2030-01-08T14:30'],
    ],
    [
      'Australia/Lord_Howe, whose clock jumps half an hour over 02:15',
      '2030-10-05T12:00:00Z',
      [{ action: 'stop', cron: '15 2 * * *' }],
      ['2030-10-05T15:30', '2030-10-06T15:15'],
    ],
  ]
  for (const [about, from, rules, fires] of zones)
    deepIt(`fire once where and when they say: ${about} [G-21]`, async () => {
      f = await fleetAt(from)
      await f.discover(['vm'], 'stopped')
      const { id } = await schedule({ timezone: about.split(/[, ]/)[0], rules })
      const next = (await f.get(`/schedules/${id}/next-runs?count=2`)).body.data.map(({ at }: any) => at.slice(0, 16))
      expect(next).to.deep.equal(fires)
      for (const [n, at] of fires.entries()) {
        await clock(new Date(Date.parse(`${at}:00Z`) - 600_000).toISOString())
        await atRest(f)
        expect((await events()).length, `before ${at}`).to.equal(n)
        await clock(`${at}:00Z`)
        await fired(n + 1)
        // The hour behind the first has the same times again, or none.
        if (n > 0) continue
        await clock(new Date(Date.parse(`${at}:00Z`) + 61 * 60_000).toISOString())
        await atRest(f)
      }
      expect((await events()).toReversed()).to.deep.equal(fires.map((at) => `${at} stop completed`))
      expect(await callsOf(f)).to.deep.equal([])
    })

  deepIt('run ten minutes late, and miss what is forty minutes old [G-21]', async () => {
    f = await fleetAt('2030-01-07T18:00:00Z')
    await f.discover(['vm', 'late'])
    const { id } = await schedule()
    const other = await schedule({
      name: 'Forty',
      rules: [{ action: 'stop', cron: '30 19 * * *' }],
      resourceUIDs: ['late'],
    })
    await clock('2030-01-07T19:10:00Z')
    expect(await fired(2)).to.deep.equal(['2030-01-07T19:00 stop completed', '2030-01-07T18:30 stop missed'])
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
    const runs = async (of: string) => {
      const { lastRunAt, nextRunAt } = (await f.get(`/schedules/${of}`)).body.data
      return [lastRunAt, nextRunAt]
    }
    expect(await runs(id)).to.deep.equal(['2030-01-07T19:00:00.000Z', '2030-01-08T19:00:00.000Z'])
    expect(await runs(other.id)).to.deep.equal([null, '2030-01-08T18:30:00.000Z'])
    expect(await told(f)).to.deep.equal(['resource.stopped vm'])
    expect((await f.get(`/events?schedule_id=${other.id}`)).body.data[0].resources).to.deep.equal(['late'])
  })

  deepIt('fire at what they were changed to, and not at what they were [G-21]', async () => {
    f = await fleetAt('2030-01-07T18:00:00Z')
    await f.discover(['vm'])
    const { id } = await schedule()
    await clock('2030-01-07T18:59:00Z')
    const patched = (await f.send('PATCH', `/schedules/${id}`, { rules: [{ action: 'stop', cron: '15 20 * * *' }] }))
      .body
    expect(patched.data.nextRunAt).to.equal('2030-01-07T19:15:00.000Z')
    await clock('2030-01-07T19:01:00Z')
    await atRest(f)
    expect(await events()).to.deep.equal([])
    // Behind the time of a rule: what was missed is not made up for.
    await f.send('PATCH', `/schedules/${id}`, { rules: [{ action: 'stop', cron: '0 20 * * *' }] })
    await clock('2030-01-07T19:20:00Z')
    await atRest(f)
    expect(await events()).to.deep.equal([])
    await f.send('PATCH', `/schedules/${id}`, { rules: [{ action: 'stop', cron: '25 20 * * *' }], enabled: false })
    await clock('2030-01-07T19:26:00Z')
    await atRest(f)
    expect(await events()).to.deep.equal([])
    await f.send('PATCH', `/schedules/${id}`, { enabled: true, rules: [{ action: 'stop', cron: '27 20 * * *' }] })
    await clock('2030-01-07T19:27:00Z')
    expect(await fired(1)).to.deep.equal(['2030-01-07T19:27 stop completed'])
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
    expect((await f.send('DELETE', `/schedules/${id}`)).status).to.equal(204)
    await clock('2030-01-08T19:27:00Z')
    await atRest(f)
    expect((await events()).length).to.equal(1)
  })

  deepIt(
    'go by groups tier by tier beside single resources, each once, and say what came of it [G-23] [ACT-18]',
    async () => {
      f = await fleetAt('2030-01-07T18:00:00Z')
      await f.discover(['vm', 'front', 'back'], 'running')
      const members = [
        { resourceUID: 'front', tier: 2 },
        { resourceUID: 'back', tier: 1 },
        { resourceUID: 'vm', tier: 3 },
        { resourceUID: 'nowhere', tier: 3 },
      ]
      const { id } = await made('/resource-groups', { name: 'Shop', members })
      await schedule({ resourceGroupIDs: [id] })
      await f.fail([{ call: 'stop', resourceUid: 'back', error: 'access_denied' }])
      await clock('2030-01-07T19:00:00Z')
      expect(await fired(1)).to.deep.equal(['2030-01-07T19:00 stop partial'])
      const [event] = (await f.get('/events')).body.data
      expect(event.resources.toSorted()).to.deep.equal(['back', 'front', 'nowhere', 'vm'])
      const calls = spelled(await callsOf(f))
      expect(calls.filter((call) => call !== 'stop vm')).to.deep.equal(['stop front', 'stop back'])
      expect(calls.length).to.equal(3)
      expect(await changes('&changed_by_type=schedule')).to.have.members([
        'stopped schedule',
        'stopped schedule',
        'failed schedule',
      ])
      expect((await f.get('/actions/bulk/latest')).status).to.equal(404)
    },
  )

  deepIt('leave alone what an override of a group holds, until it is deleted [G-22]', async () => {
    f = await fleetAt('2030-01-07T18:00:00Z')
    await f.discover(['vm', 'db'], 'stopped')
    await f.discover(['free'], 'running')
    const { id: scheduleId } = await schedule({ resourceUIDs: ['vm', 'db', 'free'] })
    const scopeID = await group('vm', 'db')
    const { id } = await override({ scopeType: 'resource_group', scopeID, expiresAt: '2030-01-08T18:00:00Z' })
    await until('both run', async () => (await callsOf(f)).length === 2)
    await atRest(f)
    await clock('2030-01-07T19:00:00Z')
    expect(await fired(1)).to.deep.equal(['2030-01-07T19:00 stop completed'])
    expect(spelled(await callsOf(f)).slice(2)).to.deep.equal(['stop free'])
    // A person may still do as they like.
    expect((await f.act('db', 'stop')).status).to.equal('succeeded')
    expect((await f.send('DELETE', `/overrides/${id}`)).status).to.equal(204)
    await until('vm is stopped', async () => (await callsOf(f)).length === 5)
    await atRest(f)
    expect(spelled(await callsOf(f)).slice(3)).to.deep.equal(['stop db', 'stop vm'])
    expect(await changes('&resource_uid=vm')).to.deep.equal(['stopped override_expired', 'running override'])
    expect(await changes('&resource_uid=db')).to.deep.equal(['stopped manual', 'running override'])
    const [by] = await historyOf(f, '&resource_uid=free')
    expect(by!.changedBy).to.equal(`schedule:Night:${scheduleId}`)
    expect((await told(f)).filter((one) => one.startsWith('resource.override'))).to.deep.equal([
      `resource.override ${scopeID}`,
    ])
    expect((await f.get('/overrides')).body.data[0].status).to.equal('cancelled')
  })

  deepIt('of two overrides the newest holds, and behind it the other [G-22]', async () => {
    f = await fleetAt('2030-01-07T18:00:00Z')
    await f.discover(['vm'], 'running')
    await schedule({ rules: [{ action: 'start', cron: '0 20 * * *' }] })
    await override({ desiredState: 'stopped', expiresAt: '2030-01-07T22:00:00Z' })
    await until('it is stopped', async () => (await statusOf(f, 'vm')) === 'stopped')
    await clock('2030-01-07T18:10:00Z')
    await override({ desiredState: 'running', expiresAt: '2030-01-07T20:00:00Z' })
    await until('it runs', async () => (await statusOf(f, 'vm')) === 'running')
    await clock('2030-01-07T19:00:00Z')
    expect(await fired(1)).to.deep.equal(['2030-01-07T19:00 start completed'])
    await clock('2030-01-07T20:00:00Z')
    await until('it is stopped for the first', async () => (await statusOf(f, 'vm')) === 'stopped')
    await atRest(f)
    expect((await f.get('/overrides')).body.data.map(({ status }: any) => status)).to.deep.equal(['expired', 'active'])
    await clock('2030-01-07T22:00:00Z')
    await until('it runs as its schedule demands', async () => (await statusOf(f, 'vm')) === 'running')
    await atRest(f)
    expect(await changes()).to.deep.equal([
      'running override_expired',
      'stopped override',
      'running override',
      'stopped override',
    ])
    expect(spelled(await callsOf(f))).to.deep.equal(['stop vm', 'start vm', 'stop vm', 'start vm'])
  })

  deepIt(
    'let an action of a person pass during an override, and undo it at the end alone [G-22] [HIST-04] [HIST-05]',
    async () => {
      f = await fleetAt('2030-01-07T18:00:00Z')
      await f.discover(['vm'], 'running')
      await schedule({ rules: [{ action: 'start', cron: '0 20 * * *' }] })
      const { id } = await override({ desiredState: 'running', expiresAt: '2030-01-07T22:00:00Z' })
      await until('it is told', async () => (await told(f)).includes('resource.override vm'))
      expect(await callsOf(f)).to.deep.equal([])
      expect((await f.act('vm', 'stop')).status).to.equal('succeeded')
      await clock('2030-01-07T19:00:00Z')
      await fired(1)
      expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
      await clock('2030-01-07T22:00:00Z')
      await until('it runs', async () => (await callsOf(f)).length === 2)
      await atRest(f)
      expect(await changes()).to.deep.equal(['running override_expired', 'stopped manual'])
      const expired = await historyOf(f, '&changed_by_type=override_expired')
      expect(expired.map(({ state, changedBy, scheduleId }) => [state, changedBy, scheduleId])).to.deep.equal([
        ['running', `override_expired:${id}`, null],
      ])
    },
  )
})
