import { expect } from 'chai'
import { addDays } from '#engine/value/day.ts'
import { reportWorld } from '#test/http/report/world.ts'
import { deepIt } from '#test/harness/tier.ts'

const day = '2026-01-16'
/** The day so many days before that of the anomaly. */
const back = (days: number) => addDays(day, -days)

describe('one anomaly', () => {
  const world = reportWorld()
  const { line, planted, data, insert } = world

  const anomaly = (type: string, key: string, more: object = {}) => ({
    org_id: world.org,
    date: day,
    anomaly_type: type,
    anomaly_key: key,
    id: `${type}-${key === world.org ? 'own' : key}`,
    severity: 'critical',
    method: 'percent',
    actual_usd: 170,
    expected_usd: 100,
    deviation_percent: 70,
    root_cause: 'Instance resize',
    explained: '[]',
    top_resources: '[]',
    created_at: '2026-01-17 04:30:00.000',
    x_Version: '1',
    ...more,
  })
  const storyRowOf = ({ id, anomalyType, anomalyKey, label, severity, excessUsd, deviationPercent }: any) => ({
    id,
    anomalyType,
    anomalyKey,
    label,
    severity,
    excessUsd,
    deviationPercent,
  })
  const of = (id: string) => data(`/reports/anomalies/${id}`)

  let lines = 0
  const on = (x_Day: string, cost: number, ResourceId: string, x_CloudAccountId = 'acct-1') =>
    line(String(++lines), cost, { x_Day, ResourceId, x_CloudAccountId, ResourceType: 'aws-ec2' })
  /** r1 cost 80 and 120 by turns on the 14 days before and 170 then; r2 of another account 10 on each of seven, and 15. */
  const costs = planted(() => [
    ...Array.from({ length: 14 }, (_, at) => on(back(14 - at), at % 2 === 0 ? 80 : 120, 'r1')),
    on(day, 170, 'r1'),
    ...Array.from({ length: 7 }, (_, at) => on(back(7 - at), 10, 'r2', 'acct-2')),
    on(day, 15, 'r2', 'acct-2'),
  ])

  it('shows thirty days of its costs, each with its baseline and from where on it is how bad', async () => {
    costs()
    await insert('anomaly_state', [
      anomaly('resource', 'r2', { cloud_account_id: 'acct-2' }),
      anomaly('cloud_account', 'acct-1', { cloud_account_id: 'acct-1' }),
    ])
    const steady = (await of('resource-r2')).series
    const at = (actualUsd: number | null, expectedUsd: number | null, ...bounds: (number | null)[]) => {
      const [warningUsd = null, criticalUsd = null, emergencyUsd = null] = bounds
      return { actualUsd, expectedUsd, warningUsd, criticalUsd, emergencyUsd }
    }
    // Four days make a baseline; fewer than fourteen say nothing of how much they vary.
    expect(steady).to.deep.equal([
      ...Array.from({ length: 22 }, (_, n) => ({ date: back(29 - n), ...at(null, null) })),
      ...[7, 6, 5, 4].map((n) => ({ date: back(n), ...at(10, null) })),
      ...[3, 2, 1].map((n) => ({ date: back(n), ...at(10, 10, 13, 20, 60) })),
      { date: day, ...at(15, 10, 13, 20, 60) },
    ])
    // 4 of 120 and 3 of 80 in the week; mean 100 and deviation sqrt(14 * 400 / 13) = 20.75498 in the fourteen days.
    const uneven = (await of('cloud_account-acct-1')).series
    expect(uneven.length).to.equal(30)
    expect(uneven.at(-1)).to.deep.equal({ date: day, ...at(170, 102.86, 133.71, 162.26, 203.77) })
    // The day before has thirteen days only: 4 of 80 and 3 of 120.
    expect(uneven.at(-2)).to.deep.equal({ date: back(1), ...at(120, 97.14, 126.29, 194.29, 582.86) })
  })

  deepIt('shows the costs of whatever it was found in', async () => {
    costs()
    await world.discovered('r2', { cloud_account_id: 'acct-2' })
    await world.team('t1', 'Core')
    await world.assign('t1', 'r2')
    const member = { org_id: world.org, group_id: 'g1', added_at: '2026-01-01 00:00:00.000', x_Version: '1' }
    await insert('resource_group_member', [
      { ...member, resource_uid: 'r2' },
      { ...member, resource_uid: 'r1', removed: 1 },
    ])
    await insert('anomaly_state', [
      anomaly('org', world.org),
      anomaly('cloud_account', 'acct-2', { cloud_account_id: 'acct-2' }),
      anomaly('resource_group', 'g1'),
      anomaly('team', 't1', { team_id: 't1' }),
      anomaly('resource', 'r1', { cloud_account_id: 'acct-1' }),
    ])
    const last = async (id: string) => {
      const { actualUsd, expectedUsd } = (await of(id)).series.at(-1)
      return [actualUsd, expectedUsd]
    }
    expect(await last('org-own')).to.deep.equal([185, 112.86])
    expect(await last('cloud_account-acct-2')).to.deep.equal([15, 10])
    expect(await last('resource_group-g1')).to.deep.equal([15, 10])
    expect(await last('team-t1')).to.deep.equal([15, 10])
    expect(await last('resource-r1')).to.deep.equal([170, 102.86])
  })

  it('shows its record with what explains it, and what happened to its resources that day and the day before', async () => {
    const explained = [
      { cause: 'Schedule failure: schedule nights did not stop web (r1), which kept running', usd: 70.005 },
    ]
    const top = [{ resourceUid: 'r1', resourceName: 'web', costUSD: 170.001, deltaUSD: 70.004 }]
    const stored = { explained: JSON.stringify(explained), top_resources: JSON.stringify(top), label: 'Production' }
    await insert('anomaly_state', [anomaly('cloud_account', 'acct-1', { ...stored, cloud_account_id: 'acct-1' })])
    const change = (at: string, resource_uid: string) => ({
      org_id: world.org,
      resource_uid,
      at: `${at} 10:00:00.000`,
      change_id: `${resource_uid} ${at}`,
      cloud_account_id: 'acct-1',
      kind: 'configuration_change',
      actor: 'discovery',
      details: '{"instanceType":{"from":"m5.large","to":"m5.xlarge"}}',
      x_Version: '1',
    })
    await insert('resource_change', [
      change(back(1), 'r1'),
      change(back(2), 'r1'),
      change(addDays(day, 1), 'r1'),
      change(day, 'r2'),
    ])
    const stop = { org_id: world.org, resource_uid: 'r1', action: 'stop', event_id: 'e1', x_Version: '1' }
    const failed = { ...stop, triggered_at: `${back(1)} 20:00:00.000`, schedule_id: 'nights', status: 'failed' }
    await insert('scheduler_event', [failed, { ...failed, resource_uid: 'r2' }])
    const { series: _, activity, ...record } = await of('cloud_account-acct-1')
    const [listed] = (await data(`/reports/anomalies?from=${day}&to=${day}`)).items
    expect(record).to.deep.equal({
      ...listed,
      cost: 'billed',
      explained: [{ ...explained[0], usd: 70.01 }],
      topResources: [{ ...top[0], costUSD: 170, deltaUSD: 70 }],
      // 70 less 70.004.
      restUsd: 0,
      story: [storyRowOf(listed)],
      schedules: [{ resourceUid: 'r1', scheduleID: 'nights' }],
      told: [],
    })
    expect(activity.map(({ at, kind, resourceUid }: any) => `${at} ${kind} ${resourceUid}`)).to.deep.equal([
      `${back(1)}T20:00:00.000Z scheduler_event r1`,
      `${back(1)}T10:00:00.000Z configuration_change r1`,
    ])
  })

  it('says what its top resources leave of the excess, exactly', async () => {
    const top = (...rises: number[]) =>
      JSON.stringify(
        rises.map((deltaUSD, at) => ({ resourceUid: `r${at}`, resourceName: '', costUSD: deltaUSD, deltaUSD })),
      )
    await insert('anomaly_state', [
      // 70.3 - 0.1 - 0.2 is 70 as decimals alone.
      anomaly('org', world.org, { actual_usd: 170.3, top_resources: top(0.1, 0.2) }),
      anomaly('cloud_account', 'acct-1', { cloud_account_id: 'acct-1', top_resources: top(90.5, 3.25) }),
      anomaly('team', 't1', { team_id: 't1' }),
    ])
    const rest = async (id: string) => (await of(id)).restUsd
    expect(await rest('org-own')).to.equal(70)
    expect(await rest('cloud_account-acct-1')).to.equal(-23.75)
    expect(await rest('team-t1')).to.equal(70)
  })

  deepIt('shows the rows that tell of the same, whichever of them is looked at', async () => {
    const r1 = JSON.stringify([{ resourceUid: 'r1', resourceName: 'web', costUSD: 170, deltaUSD: 60 }])
    const told = { top_resources: r1, deviation_percent: 70 }
    await insert('anomaly_state', [
      anomaly('org', world.org, { ...told, label: 'Example Ltd' }),
      anomaly('cloud_account', 'acct-1', { ...told, cloud_account_id: 'acct-1', severity: 'warning' }),
      anomaly('resource', 'r1', { ...told, cloud_account_id: 'acct-1', actual_usd: 160 }),
      anomaly('resource', 'r2', { cloud_account_id: 'acct-1' }),
      anomaly('resource', 'r1', { ...told, cloud_account_id: 'acct-1', date: back(1), id: 'the day before' }),
    ])
    const row = (anomalyType: string, anomalyKey: string, severity: string, excess: number, label = anomalyKey) => ({
      id: `${anomalyType}-${anomalyKey === world.org ? 'own' : anomalyKey}`,
      anomalyType,
      anomalyKey,
      label,
      severity,
      excessUsd: excess,
      deviationPercent: 70,
    })
    const story = [
      row('resource', 'r1', 'critical', 60),
      row('cloud_account', 'acct-1', 'warning', 70),
      row('org', world.org, 'critical', 70, 'Example Ltd'),
    ]
    expect((await of('org-own')).story).to.deep.equal(story)
    expect((await of('resource-r1')).story).to.deep.equal(story)
    expect((await of('resource-r2')).story).to.deep.equal([row('resource', 'r2', 'critical', 70)])
  })

  it('says nothing of other resources where it has none', async () => {
    await insert('anomaly_state', [anomaly('org', world.org, { explained: '' })])
    const stop = { org_id: world.org, resource_uid: 'r1', action: 'stop', event_id: 'e1', x_Version: '1' }
    await insert('scheduler_event', [
      { ...stop, triggered_at: `${day} 20:00:00.000`, schedule_id: 'nights', status: 'failed' },
    ])
    const { explained, topResources, schedules, activity } = await of('org-own')
    expect([explained, topResources, schedules, activity]).to.deep.equal([[], [], [], []])
  })

  deepIt('shows the messages that tell of it, alone or among others, but no mails of other people', async () => {
    await insert('anomaly_state', [
      anomaly('org', world.org),
      anomaly('resource', 'r1', { cloud_account_id: 'acct-1' }),
    ])
    // What was told is kept for 90 days by the real clock.
    const delivery = (id: string, minutes: number, event: object, more: object = {}) => ({
      org_id: world.org,
      id,
      created_at: new Date(Date.now() - minutes * 60_000).toISOString().slice(0, -1),
      channel_id: 'c-1',
      kind: 'event',
      category: 'cost_anomaly',
      scope_type: 'org',
      status: 'delivered',
      event: JSON.stringify(event),
      x_Version: '1',
      ...more,
    })
    const tells = (...anomalyIDs: string[]) => {
      const events = anomalyIDs.map((anomalyID) => ({ data: { date: day, anomalyID } }))
      return events.length === 1 ? events[0]! : { data: { events } }
    }
    await insert('notification_delivery', [
      delivery('alone', 1, tells('org-own')),
      delivery('digest', 2, tells('resource-r1', 'org-own'), { kind: 'digest', category: 'budget' }),
      delivery('mine', 3, tells('org-own'), { channel_id: 'mail:ana', status: 'failed' }),
      delivery('theirs', 4, tells('org-own'), { channel_id: 'mail:bob' }),
      delivery('other', 5, tells('resource-r1'), { scope_type: 'resource', scope_id: 'r1' }),
      delivery('named', 6, { title: 'org-own' }),
    ])
    const told = async (id: string) => (await of(id)).told.map((one: any) => `${one.id} ${one.status}`)
    expect(await told('org-own')).to.deep.equal(['alone delivered', 'digest delivered', 'mine failed'])
    expect(await told('resource-r1')).to.deep.equal(['digest delivered', 'other delivered'])
    world.seeOnly({ cloudAccountIDs: ['acct-1'] })
    expect(await told('resource-r1')).to.deep.equal([])
  })

  it('is not there for those who may not see it, and where there is none', async () => {
    costs()
    await insert('anomaly_state', [
      anomaly('org', world.org),
      anomaly('resource', 'r2', { cloud_account_id: 'acct-2' }),
      anomaly('resource', 'gone', { withdrawn: 1 }),
    ])
    expect(await world.missing('/reports/anomalies/none')).to.equal('not_found')
    expect(await world.missing('/reports/anomalies/resource-gone')).to.equal('not_found')
    world.seeOnly({ cloudAccountIDs: ['acct-1'] })
    expect(await world.missing('/reports/anomalies/org-own')).to.equal('not_found')
    expect(await world.missing('/reports/anomalies/resource-r2')).to.equal('not_found')
    world.seeOnly({ cloudAccountIDs: ['acct-2'] })
    const { series } = await of('resource-r2')
    expect([series.at(-1).actualUsd, series.at(-1).expectedUsd]).to.deep.equal([15, 10])
  })
})
