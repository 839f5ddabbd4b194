import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { sweepRetention } from '#config/upkeep/retention/sweep.ts'
import { node, pod } from '#test/analytics/kubernetes-world.ts'
import { dayCosts, deliver } from '#test/harness/delivery.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

/** When the sweeps here are: in the middle of a month, as months that go by move what is deleted. */
const sweptAt = Date.parse('2026-07-15T12:00:00Z')
const monthsTo = (year: number): number => (2026 - year) * 12 + 6
const daysTo = (date: string): number => Math.floor((sweptAt - Date.parse(date)) / 86_400_000)
/** So long that no other test has older data: what is from before 2001-01-01 goes. */
const keep = monthsTo(2001)

/** A sweep so many hours after then that keeps everything but what is said. */
async function swept({ connections }: Tenant, kept: object, hours = 0) {
  const { clock, settings } = connections
  const none = Object.fromEntries(
    Object.keys(settings)
      .filter((name) => name.endsWith('Keep') && !(name in kept))
      .map((name) => [name, 0]),
  )
  const later = Object.assign(Object.create(clock) as typeof clock, { now: () => sweptAt + hours * 3_600_000 })
  const failures: unknown[] = []
  const report = { ...connections.report, warn: (what: { err: unknown }) => failures.push(what.err) } as never
  const found = await sweepRetention({
    ...connections,
    settings: { ...settings, ...none, ...kept },
    clock: later,
    report,
  })
  expect(failures).to.deep.equal([])
  return found!.map(({ table, rows }) => `${table} ${rows}`)
}

describe('the retention sweep', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const insert = (table: string, values: object[]) =>
    org.connections.clickhouse.insert({ table, values, format: 'JSONEachRow' })

  it('deletes facts older than their setting, by partition and by row, and keeps the others', async () => {
    const of = { org_id: org.orgId, cloud_account_id: 'a', resource_uid: 'u', metric: 'cpu_percent', x_Version: '1' }
    await insert('metric_sample', [
      { ...of, ts: '2000-11-30 23:59:59.000', value: 1 },
      { ...of, ts: '2000-12-31 23:59:59.999', value: 2 },
      { ...of, ts: '2001-01-01 00:00:00.000', value: 3 },
    ])
    const change = { org_id: org.orgId, resource_uid: 'u', kind: 'state_transition', details: '{}', x_Version: '1' }
    await insert('resource_change', [
      { ...change, at: '2000-12-31 23:59:59.999', change_id: '1' },
      { ...change, at: '2001-01-01 00:00:00.000', change_id: '2' },
    ])
    expect(await swept(org, { metricHoursKeep: keep, resourceChangesKeep: keep })).to.deep.equal([
      'metric_sample 2',
      'resource_change 1',
    ])
    expect(await org.facts('SELECT value FROM metric_sample WHERE org_id = {org:String}')).to.deep.equal([{ value: 3 }])
    expect(await org.facts('SELECT change_id FROM resource_change WHERE org_id = {org:String}')).to.deep.equal([
      { change_id: '2' },
    ])
    expect(await swept(org, { metricHoursKeep: keep, resourceChangesKeep: keep }), 'again').to.deep.equal([])
  })

  it('replaces samples of past months by hours, which count as often as their samples did', async () => {
    const of = { org_id: org.orgId, cloud_account_id: 'a', resource_uid: 'u', metric: 'cpu_percent', x_Version: '1' }
    const samples = [
      ['2001-05-07 10:00:00.000', 10, 30],
      ['2001-05-07 10:30:00.000', 20, null],
      ['2001-05-07 11:00:00.000', 60, null],
    ] as const
    await insert(
      'metric_sample',
      samples.map(([ts, value, max]) => ({ ...of, ts, value, max })),
    )
    const rows = () =>
      org.facts(
        `SELECT toString(ts) AS ts, value, max, sum, samples FROM metric_samples WHERE org_id = {org:String} ORDER BY ts`,
      )
    await swept(org, { metricSamplesKeep: daysTo('2001-05-31Z') })
    expect(
      (await rows()).map((row: any) => row.samples),
      'the month is not over for that long',
    ).to.deep.equal([0, 0, 0])
    await swept(org, { metricSamplesKeep: daysTo('2001-06-02Z') })
    const hours = [
      { ts: '2001-05-07 10:00:00.001', value: 15, max: 30, sum: 30, samples: 2 },
      { ts: '2001-05-07 11:00:00.001', value: 60, max: 60, sum: 60, samples: 1 },
    ]
    expect(await rows()).to.deep.equal(hours)
    const { body } = await org.get('/reports/metrics?from=2001-05-07&to=2001-05-08')
    expect(body.meta.hourlyBefore >= '2001-06-01', body.meta.hourlyBefore).to.equal(true)
    // The mean of 10, 20 and 60.
    expect(body.data.cpu).to.include({ avgPercent: 30, maxPercent: 60, samples: 3 })
    // A sample of then that comes late joins its hour: (15 + 15 + 45) / 3.
    await insert('metric_sample', [{ ...of, ts: '2001-05-07 10:15:00.000', value: 45, max: null }])
    await swept(org, { metricSamplesKeep: daysTo('2001-06-02Z') })
    expect(await rows()).to.deep.equal([{ ...hours[0], value: 25, max: 45, sum: 75, samples: 3 }, hours[1]])
  })

  it('folds usage of clusters of past months by day, and deletes what is folded and then what is too old', async () => {
    const of = { org_id: org.orgId, day: '2001-05-07', from: '2001-05-07 10:00:00' }
    await insert('kubernetes_node', [node(org.orgId, 10, of)])
    await insert('kubernetes_pod', [pod(org.orgId, 10, of), pod(org.orgId, 11, { ...of, from: '2001-05-07 11:00:00' })])
    const pods = () => org.facts('SELECT `hours.hour` AS hours FROM kubernetes_pod_day WHERE org_id = {org:String}')
    expect(await swept(org, { kubernetesHoursKeep: daysTo('2001-05-31Z') }), 'not over for that long').to.deep.equal([])
    expect(await pods()).to.deep.equal([])
    const keepHours = { kubernetesHoursKeep: daysTo('2001-06-02Z') }
    expect(await swept(org, keepHours), 'folded').to.deep.equal([])
    expect(await pods()).to.deep.equal([{ hours: [10, 11] }])
    expect(await swept(org, keepHours)).to.deep.equal(['kubernetes_node 1', 'kubernetes_pod 2'])
    expect(await swept(org, keepHours), 'nothing more').to.deep.equal([])
    expect(await swept(org, { ...keepHours, kubernetesDaysKeep: monthsTo(2001) - 5 })).to.deep.equal([
      'kubernetes_node_day 1',
      'kubernetes_pod_day 1',
    ])
  })

  it('deletes ended overrides, repeated webhooks and finished plans, and nothing that is still needed', async () => {
    const { pool } = org.connections.store
    const override = (id: string, ended: string | null) =>
      pool.query(
        `insert into override (org_id, id, scope_type, scope_id, desired_state, status, expires_at, user_id, members, created_at, updated_at, ended_at)
         values ($1, $2, 'resource', 'u', 'running', 'expired', '2000-01-01Z', 'p', '[]', '2000-01-01Z', '2000-01-01Z', $3)`,
        [org.orgId, id, ended],
      )
    await override('ended', '2000-12-31T23:59:59Z')
    await override('later', '2001-01-01T00:00:00Z')
    await override('active', null)
    const installation = randomUUID()
    for (const [id, at] of [
      ['first', '2000-01-01Z'],
      ['second', '2000-06-01Z'],
      ['new', '2001-06-01Z'],
    ])
      await pool.query('insert into source_delivery (org_id, installation_id, id, heard_at) values ($1, $2, $3, $4)', [
        '',
        installation,
        id,
        at,
      ])
    expect(await swept(org, { overridesKeep: keep, sourceDeliveriesKeep: daysTo('2001-01-01Z') })).to.deep.equal([
      'override 1',
      'source_delivery 1',
    ])
    const ids = async (sql: string, id: string) => (await pool.query(sql, [id])).rows.map((row) => row.id)
    expect(await ids('select id from override where org_id = $1 order by id', org.orgId)).to.deep.equal([
      'active',
      'later',
    ])
    expect(
      await ids('select id from source_delivery where installation_id = $1 order by id', installation),
    ).to.deep.equal(['first', 'new'])
  })

  it('deletes bill lines an hour after the cut is recorded; sums stay, receipts say so, and a repeated bill changes nothing', async () => {
    const month = (id: string, cost: number) => ({
      id,
      at: `2001-02-0${id}T00:00:00Z`,
      items: [
        ['2000-12-31', 'i-1', cost],
        ['2001-01-01', 'i-1', 7],
      ] as const,
    })
    await deliver(org, month('1', 40))
    const costs = () => dayCosts(org, '2000-12-31', '2001-01-01')
    const before = { '2000-12-31': 40, '2001-01-01': 7 }
    expect(await costs()).to.deep.equal(before)
    expect(await swept(org, { costLinesKeep: keep }), 'recorded only').to.deep.equal([])
    expect(await swept(org, { costLinesKeep: keep }, 1)).to.include('bill_line 1')
    expect(await costs()).to.deep.equal(before)
    const receipt = async (from: string) =>
      (await org.get(`/reports/receipt?from=${from}&to=2001-01-01`)).body.data as Record<string, unknown>
    expect(await receipt('2000-12-31')).to.deep.include({
      totalUSD: '47',
      total: 1,
      linesDropped: true,
      linesKeptFrom: '2001-01-01',
    })
    expect(await receipt('2001-01-01'))
      .to.deep.include({ totalUSD: '7', total: 1 })
      .and.not.have.property('linesDropped')
    await deliver(org, month('2', 50))
    expect(await costs()).to.deep.equal(before)
    expect(await swept(org, { costLinesKeep: keep + 600 }, 2), 'more to keep').to.deep.equal([])
    expect((await receipt('2000-12-31'))['linesKeptFrom'], 'nothing comes back').to.equal('2001-01-01')
  })
})
