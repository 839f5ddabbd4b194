/** What is asked of the load of targets and of what their policies did, against rows worked out by hand. */
import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { fleetUsage, policyEventPage, recordedLoad } from '#analytics/autoscaling/questions.ts'
import { run } from '#analytics/store/query.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'

const since = '2026-01-02 00:00:00.000'
const until = '2026-01-16 00:00:00.000'

describe('the load of a target', () => {
  let ch: ClickHouseClient
  let org: string
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = randomUUID()))

  const measured = (...list: [metric: string, ts: string, value: number, more?: object][]) =>
    ch.insert({
      table: 'metric_sample',
      format: 'JSONEachRow',
      values: list.map(([metric, ts, value, more]) => ({
        org_id: org,
        resource_uid: 'asg-1',
        metric,
        ts: `2026-01-${ts}`,
        value,
        cloud_account_id: 'acct-1',
        x_Version: '1',
        ...more,
      })),
    })
  const target = (uid = 'asg-1', account = 'acct-1') => ({ org, account, uid, since, until })

  it('is the 95th percentile of hourly means, interpolated, and the most units [ASC-01] [ASC-21] [G-78]', async () => {
    // Hours of 10, 20 and 60: rank 0.95 x 2 = 1.9 lies nine tenths from 20 to 60.
    await measured(
      ['cpu_percent', '05 00:00:00.000', 10],
      ['cpu_percent', '05 01:00:00.000', 10],
      ['cpu_percent', '05 01:59:59.999', 30],
      ['cpu_percent', '06 00:00:00.000', 60],
      ['instance_count', '05 00:00:00.000', 3],
      ['instances', '06 00:00:00.000', 5],
      ['capacity', '07 00:00:00.000', 4],
      ['replicas', '07 00:00:00.000', 2],
      ['memory_percent', '07 00:00:00.000', 99],
    )
    expect(await run(ch, fleetUsage, target())).to.deep.equal([{ p95_cpu_percent: 56, peak_units: 5 }])
  })

  it('takes the highest of an interval for the most units, and the newest word on a moment', async () => {
    await measured(
      ['instance_count', '05 00:00:00.000', 3, { max: 9 }],
      ['instance_count', '06 00:00:00.000', 20],
      ['instance_count', '06 00:00:00.000', 4, { x_Version: '2' }],
    )
    expect(await run(ch, fleetUsage, target())).to.deep.equal([{ p95_cpu_percent: null, peak_units: 9 }])
  })

  it('begins with the first moment of the window, and ends before the last; others are others [ASC-21]', async () => {
    await measured(
      ['cpu_percent', '01 23:59:59.999', 90],
      ['cpu_percent', '02 00:00:00.000', 40],
      ['cpu_percent', '15 23:59:59.999', 40],
      ['cpu_percent', '16 00:00:00.000', 90],
      ['instance_count', '01 12:00:00.000', 9],
      ['cpu_percent', '05 00:00:00.000', 80, { resource_uid: 'asg-2' }],
      ['cpu_percent', '05 00:00:00.000', 80, { org_id: randomUUID() }],
    )
    expect(await run(ch, fleetUsage, target())).to.deep.equal([{ p95_cpu_percent: 40, peak_units: null }])
    expect(await run(ch, fleetUsage, target('asg-1', 'acct-2'))).to.deep.equal([
      { p95_cpu_percent: null, peak_units: null },
    ])
  })

  it('is recorded minute by minute, null for what a minute has no sample of', async () => {
    await measured(
      ['cpu_percent', '05 00:00:10.000', 40],
      ['cpu_percent', '05 00:00:50.000', 60],
      ['instance_count', '05 00:00:10.000', 4],
      ['instance_count', '05 00:00:50.000', 5],
      ['cpu_percent', '05 00:02:00.000', 70],
      ['capacity', '05 00:01:00.000', 6],
      ['cpu_percent', '16 00:00:00.000', 1],
    )
    const at = Date.parse('2026-01-05T00:00:00Z')
    expect(await run(ch, recordedLoad, target())).to.deep.equal([
      { at_ms: at, cpu_percent: 50, units: 5 },
      { at_ms: at + 60_000, cpu_percent: null, units: 6 },
      { at_ms: at + 120_000, cpu_percent: 70, units: null },
    ])
  })

  it('has what a policy did in order, a page at a time, with how much there is [ASC-11]', async () => {
    const values = [3, 1, 2].map((n) => ({
      org_id: org,
      policy_id: 'p-1',
      n,
      event_id: `e-${n}`,
      at: `2030-01-07 13:00:0${n}.000`,
      kind: n === 2 ? 'pause' : 'write',
      ...(n !== 2 && { from_min: 2, from_max: 10, to_min: 6, to_max: 10 }),
      reason: 'Load.',
      x_Version: '1',
    }))
    const others = [
      { ...values[0], policy_id: 'p-2' },
      { ...values[0], org_id: randomUUID() },
      { ...values[1], x_Version: '2', reason: 'The same once more.' },
    ]
    await ch.insert({ table: 'policy_event', values: [...values, ...others], format: 'JSONEachRow' })
    const page = (limit: number, offset: number) => run(ch, policyEventPage, { org, policy: 'p-1', limit, offset })
    expect((await page(20, 0)).map(({ event_id, reason, total }) => [event_id, reason, total])).to.deep.equal([
      ['e-1', 'The same once more.', 3],
      ['e-2', 'Load.', 3],
      ['e-3', 'Load.', 3],
    ])
    expect(await page(1, 1)).to.deep.equal([
      {
        event_id: 'e-2',
        kind: 'pause',
        from_min: null,
        from_max: null,
        to_min: null,
        to_max: null,
        reason: 'Load.',
        applied_by: '',
        at_ms: Date.parse('2030-01-07T13:00:02Z'),
        total: 3,
      },
    ])
    expect(await page(20, 3)).to.deep.equal([])
  })
})
