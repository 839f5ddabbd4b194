import { expect } from 'chai'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const night = (fields: object = {}) => ({
  name: 'Night',
  timezone: 'Europe/Berlin',
  rules: [
    { action: 'stop', cron: '0 20 * * 1-5' },
    { action: 'start', cron: '0 7 * * MON-FRI' },
  ],
  resourceUIDs: ['i-1', 'i-2', 'i-1'],
  ...fields,
})
const minuteMs = 60_000

describe('schedules', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  const make = async (fields: object = {}) => (await org.send('POST', '/schedules', night(fields))).body.data
  const group = async (...uids: string[]) => {
    const body = { name: `g ${uids.join()}`, members: uids.map((resourceUID) => ({ resourceUID })) }
    return (await org.send('POST', '/resource-groups', body)).body.data.id as string
  }

  it('are made, read, changed and deleted, with exactly these fields [G-21]', async () => {
    const made = await org.send(
      'POST',
      '/schedules',
      night({ name: ' Night ', skipDates: ['2030-12-26', '2030-12-25'] }),
    )
    expect(made.status).to.equal(201)
    const { id, nextRunAt, createdAt, updatedAt, ...rest } = made.body.data
    expect(made.headers.get('location')).to.equal(`/schedules/${id}`)
    expect(rest).to.deep.equal({
      orgID: org.orgId,
      ...night(),
      resourceUIDs: ['i-1', 'i-2'],
      resourceGroupIDs: [],
      skipDates: ['2030-12-25', '2030-12-26'],
      enabled: true,
      lastRunAt: null,
    })
    expect(Date.parse(nextRunAt)).to.be.above(Date.parse(createdAt))
    expect(updatedAt).to.equal(createdAt)
    expect((await org.get(`/schedules/${id}`)).body.data).to.deep.equal(made.body.data)

    const groupId = await group('i-7')
    const change = { description: 'Nobody works then', resourceUIDs: [], resourceGroupIDs: [groupId], enabled: false }
    const changed = (await org.send('PATCH', `/schedules/${id}`, change)).body.data
    const expected = { ...made.body.data, ...change, nextRunAt: null, updatedAt: changed.updatedAt }
    expect(changed).to.deep.equal(expected)
    const { description: _, ...undescribed } = expected
    const again = (await org.send('PATCH', `/schedules/${id}`, { description: null })).body.data
    expect(again).to.deep.equal({ ...undescribed, updatedAt: again.updatedAt })

    expect((await org.send('DELETE', `/schedules/${id}`)).status).to.equal(204)
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/next-runs'],
    ])
      expect((await org.send(method!, `/schedules/${id}${path}`, method === 'PATCH' ? {} : undefined)).status).to.equal(
        404,
      )
  })

  it('say when they would fire before they are made, and are refused as they would be then', async () => {
    const asked = { timezone: 'Europe/Berlin', rules: [{ action: 'stop', cron: '0 0 29 2 *' }], count: 2 }
    const { status, body } = await org.send('POST', '/schedules/next-runs', asked)
    const first = Date.parse(body.data[0].at)
    expect([status, body.data.map(({ action }: any) => action)]).to.deep.equal([200, ['stop', 'stop']])
    expect([first > Date.now(), new Date(first).toISOString().slice(4)]).to.deep.equal([true, '-02-28T23:00:00.000Z'])
    const wrong = await org.send('POST', '/schedules/next-runs', {
      timezone: 'Mars',
      rules: [{ action: 'stop', cron: '61 * * * *' }],
    })
    expect([wrong.status, ...wrong.body.errors.map(({ name, code }: any) => `${name} ${code}`)]).to.deep.equal([
      400,
      '/timezone zone_unknown',
      '/rules/0/cron cron_invalid',
    ])
    expect((await org.get('/schedules')).body.data.total).to.equal(0)
  })

  it('are refused with the place of everything that is wrong [G-21]', async () => {
    const known = await group('i-1')
    const wrong = await org.send('POST', '/schedules', {
      ...night({ timezone: 'Europe/Munich', resourceGroupIDs: [known, known, 'nobody'], skipDates: ['2030-02-30'] }),
      rules: [
        { action: 'stop', cron: '0 20 * * *' },
        { action: 'stop', cron: '61 20 * * *' },
        { action: 'start', cron: '0 0 30 2 *' },
      ],
    })
    expect(wrong.status).to.equal(400)
    expect(wrong.body.errors.map(({ in: where, name, code }: any) => [where, name, code])).to.deep.equal([
      ['body', '/timezone', 'zone_unknown'],
      ['body', '/rules/1/cron', 'cron_invalid'],
      ['body', '/rules/2/cron', 'cron_never'],
      ['body', '/skipDates', 'format'],
      ['body', '/resourceGroupIDs/2', 'unknown'],
    ])
    const many = (count: number, item: (i: number) => unknown) => Array.from({ length: count }, (_, i) => item(i))
    const rule = { action: 'stop', cron: '0 20 * * *' }
    for (const [fields, name] of [
      [{ rules: [] }, '/rules'],
      [{ rules: many(21, () => rule) }, '/rules'],
      [{ resourceUIDs: many(2001, (i) => `i-${i}`) }, '/resourceUIDs'],
      [{ resourceGroupIDs: many(101, (i) => `g-${i}`) }, '/resourceGroupIDs'],
      [{ skipDates: many(401, () => '2030-01-01') }, '/skipDates'],
      [{ skipDates: ['1.1.2030'] }, '/skipDates/0'],
      [{ name: ' ' }, '/name'],
      [{ rules: [{ ...rule, action: 'restart' }] }, '/rules/0/action'],
    ] as const) {
      const { status, body } = await org.send('POST', '/schedules', night(fields))
      expect([status, body.errors?.[0]?.name], JSON.stringify(fields).slice(0, 60)).to.deep.equal([400, name])
    }
    const { id } = await make({ rules: many(20, () => rule) })
    const { status, body } = await org.send('PATCH', `/schedules/${id}`, {
      rules: [{ action: 'stop', cron: '@daily' }],
    })
    expect([status, body.errors[0].name]).to.deep.equal([400, '/rules/0/cron'])
  })

  it('are listed by name, narrowed by text, by being enabled and by a resource they name or have in a group', async () => {
    const groupId = await group('i-3', 'i-4')
    await make({ name: 'C', resourceUIDs: ['i-3'], enabled: false })
    await make({ name: 'B night', resourceUIDs: [], resourceGroupIDs: [groupId] })
    await make({ name: 'A Night', resourceUIDs: ['i-1', 'i-3'], resourceGroupIDs: [groupId] })
    const names = async (query: string) => {
      const { items, total, page, limit, hasMore } = (await org.get(`/schedules?${query}`)).body.data
      return [items.map(({ name }: any) => name), total, page, limit, hasMore]
    }
    expect(await names('')).to.deep.equal([['A Night', 'B night', 'C'], 3, 1, 20, false])
    expect(await names('search=NIGHT&limit=1')).to.deep.equal([['A Night'], 2, 1, 1, true])
    expect(await names('enabled=false')).to.deep.equal([['C'], 1, 1, 20, false])
    expect(await names('resource_uid=i-3')).to.deep.equal([['A Night', 'B night', 'C'], 3, 1, 20, false])
    expect(await names('resource_uid=i-4&enabled=true')).to.deep.equal([['A Night', 'B night'], 2, 1, 20, false])
    expect((await names('resource_uid=i-9'))[0]).to.deep.equal([])
    expect((await (await tenant()).get('/schedules')).body.data.total).to.equal(0)
  })

  it('tell their next runs while they are enabled', async () => {
    const { id, nextRunAt } = await make({ rules: [{ action: 'start', cron: '15 3 1 1 *' }], timezone: 'UTC' })
    const runs = async (query = '') => (await org.get(`/schedules/${id}/next-runs${query}`)).body.data
    const year = new Date().getUTCFullYear()
    const next = Date.now() < Date.UTC(year, 0, 1, 3, 15) ? year : year + 1
    const run = (after: number) => ({ action: 'start', at: `${next + after}-01-01T03:15:00.000Z` })
    expect(await runs()).to.deep.equal([0, 1, 2, 3, 4].map(run))
    expect(await runs('?count=2')).to.deep.equal([run(0), run(1)])
    expect(nextRunAt).to.equal(run(0).at)
    for (const count of ['0', '101', 'x'])
      expect((await org.get(`/schedules/${id}/next-runs?count=${count}`)).status, count).to.equal(400)
    await org.send('PATCH', `/schedules/${id}`, { enabled: false })
    expect(await runs()).to.deep.equal([])
  })

  it('fire at their time: one event, with what each account has of what they name [G-21] [ACT-16]', async () => {
    const found = (cloudAccountId: string, resourceUid: string) => ({
      cloudAccountId,
      resourceUid,
      name: resourceUid,
      type: 'aws-ec2',
      provider: 'aws' as const,
      region: 'us-east-1',
      status: 'running' as const,
    })
    await org.publish(resourceDiscovered, [found('acct-1', 'i-1'), found('acct-2', 'i-1'), found('acct-1', 'i-2')])
    const other = await tenant()
    await other.publish(resourceDiscovered, [found('acct-3', 'i-9')])
    const fire = new Date(Math.ceil(Date.now() / minuteMs) * minuteMs + 2 * minuteMs)
    const cron = `${fire.getUTCMinutes()} ${fire.getUTCHours()} * * *`
    const rules = [{ action: 'stop', cron }]
    const { id } = await make({ timezone: 'UTC', rules, resourceUIDs: ['i-1', 'i-2', 'i-9'] })
    const idle = await make({ timezone: 'UTC', rules, enabled: false })
    const unknown = await make({ name: 'Unknown', timezone: 'UTC', rules, resourceUIDs: ['i-9'] })
    const events = async () => (await org.get('/events')).body.data as any[]
    try {
      await setClock(new Date(fire.getTime() + 200), org.orgId)
      await until('both events', async () => (await events()).length === 2)
      const [event, failed] = [id, unknown.id].map((one) =>
        events().then((all) => all.find((e) => e.scheduleID === one)),
      )
      const { id: eventId, status, ...shown } = await event
      expect(shown).to.deep.equal({
        scheduleID: id,
        action: 'stop',
        triggeredAt: fire.toISOString(),
        resources: ['i-1', 'i-2', 'i-9'],
      })
      // Three of four can be stopped, and are soon.
      expect(status).to.be.oneOf(['triggered', 'partial'])
      await until('its end', async () => (await events()).find((e) => e.id === eventId).status === 'partial')
      expect((await failed).status).to.equal('failed')
      const { rows } = await org.connections.store.pool.query(
        'select wanted, failed from scheduler_event where org_id = $1 and id = $2',
        [org.orgId, eventId],
      )
      expect(rows).to.deep.equal([{ wanted: 4, failed: 1 }])
      const schedule = (await org.get(`/schedules/${id}`)).body.data
      const nextDay = new Date(fire.getTime() + 1440 * minuteMs).toISOString()
      expect([schedule.lastRunAt, schedule.nextRunAt]).to.deep.equal([fire.toISOString(), nextDay])
      expect((await org.get(`/schedules/${idle.id}`)).body.data.lastRunAt).to.equal(null)
    } finally {
      await resetClock()
    }
  })

  it('are written down among the security events with who changed them', async () => {
    const { id } = await make()
    await org.send('PATCH', `/schedules/${id}`, { name: 'Day' })
    await org.send('DELETE', `/schedules/${id}`)
    const { items } = (await org.get('/security-events?type=schedule_changed')).body.data
    expect(items.map(({ detail }: any) => detail).toReversed()).to.deep.equal([
      { scheduleID: id, change: 'created' },
      { scheduleID: id, change: 'changed' },
      { scheduleID: id, change: 'deleted' },
    ])
  })
})
