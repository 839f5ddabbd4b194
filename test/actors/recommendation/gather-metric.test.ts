import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { gatherMetrics } from '#actors/recommendation/sweep/gather/metric.ts'
import type { Collector, GatherAbout, GatherResource } from '#actors/recommendation/sweep/gather/context.ts'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { run } from '#analytics/store/query.ts'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { deepIt } from '#test/harness/tier.ts'

const now = new Date('2026-04-06T09:30:00Z')
const hourMs = 3_600_000
/** The beginning of today. */
const until = Date.parse('2026-04-06T00:00:00Z')

const resource = (uid: string, type: string): GatherResource => ({
  uid,
  type,
  status: 'running',
  parentUid: '',
  region: 'r',
  unitCount: null,
  hourlyRateUsd: null,
  specs: {},
  createdAt: new Date('2026-01-01T00:00:00Z'),
})

describe('what metrics say of resources', () => {
  let ch: ClickHouseClient
  let org: string
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = `org-${randomUUID()}`))

  interface Series {
    uid?: string
    metric?: string
    /** Days before today that it begins, and how many samples. */
    daysAgo: number
    count: number
    stepMs?: number
    value?: (n: number) => number
    more?: object
  }
  const sample = (...series: Series[]) =>
    ch.insert({
      table: 'metric_sample',
      format: 'JSONEachRow',
      values: series.flatMap(
        ({ uid = 'i-1', metric = 'cpu_percent', daysAgo, count, stepMs = hourMs, value = () => 1, more }) =>
          Array.from({ length: count }, (_, n) => ({
            org_id: org,
            resource_uid: uid,
            metric,
            ts: new Date(until - daysAgo * 24 * hourMs + n * stepMs).toISOString().replace('T', ' ').slice(0, -1),
            value: value(n),
            cloud_account_id: 'acct-1',
            x_Version: '1',
            ...more,
          })),
      ),
    })
  const about = (type: string, paths: string[], more: Partial<GatherAbout> = {}): GatherAbout => ({
    orgId: org,
    account: 'acct-1',
    now,
    cost: 'billed_cost',
    reads: new Map([[type, paths]]),
    governance: governanceDefaults,
    collector: undefined,
    isInventoryComplete: true,
    holds: () => true,
    ...more,
  })
  const gather = async (type: string, paths: string[], more: Partial<GatherAbout> = {}, uid = 'i-1') => {
    const tools = { reads: undefined as never, ask: ((q: never, params: never) => run(ch, q, params)) as never }
    const found = await gatherMetrics(tools, [resource(uid, type)], about(type, paths, more))
    return { facts: found.facts.get(uid), measured: found.measured.get(uid), firstAt: found.firstAt.get(uid) }
  }

  it('is exact over hourly samples, which are whole with 24 a day, today left out', async () => {
    // 0 to 167: a week of hours; today has one of 1,000.
    await sample({ daysAgo: 7, count: 168, value: (n) => n }, { daysAgo: 0, count: 1, value: () => 1000 })
    const paths = ['avg', 'min', 'max', 'sum', 'p5', 'p50', 'p95', 'p97', 'p99'].map((of) => `cpu_percent.${of}.7d`)
    const { facts, measured, firstAt } = await gather('aws-ec2', paths)
    expect(facts).to.deep.equal({
      'metric.cpu_percent.avg.7d': 83.5,
      'metric.cpu_percent.min.7d': 0,
      'metric.cpu_percent.max.7d': 167,
      'metric.cpu_percent.sum.7d': 14_028,
      'metric.cpu_percent.p5.7d': 8.35,
      'metric.cpu_percent.p50.7d': 83.5,
      'metric.cpu_percent.p95.7d': 158.65,
      'metric.cpu_percent.p97.7d': 161.99,
      'metric.cpu_percent.p99.7d': 165.33,
    })
    expect(measured).to.deep.equal({ cpu_percent: { days: 7, stepSeconds: 3600, coverage: { '7d': 1 } } })
    expect(firstAt).to.equal(until - 7 * 24 * hourMs)
  })

  it('is known from seven tenths of the buckets on, and not below', async () => {
    // A week has 168 hours: 118 are 0.702 of them, 117 are 0.696.
    await sample({ daysAgo: 7, count: 118 }, { uid: 'i-2', daysAgo: 7, count: 117 })
    expect((await gather('aws-ec2', ['cpu_percent.avg.7d'])).facts).to.deep.equal({ 'metric.cpu_percent.avg.7d': 1 })
    const few = await gather('aws-ec2', ['cpu_percent.avg.7d'], {}, 'i-2')
    expect(few.facts).to.deep.equal({})
    expect(few.measured!['cpu_percent']!.coverage['7d']).to.be.closeTo(117 / 168, 1e-9)
  })

  it('takes samples of every minute in buckets of five: the mean of a level, its highest value, the total of what adds up', async () => {
    const stepMs = 60_000
    const day = { daysAgo: 1, count: 1440, stepMs }
    await sample(
      { ...day, value: (n) => n % 5 },
      { ...day, metric: 'requests', value: (n) => n % 5 },
      { ...day, uid: 'i-2', value: () => 10, more: { max: 25, sum: 30 } },
    )
    const paths = ['cpu_percent.avg.1d', 'cpu_percent.max.1d', 'cpu_percent.p99.1d']
    const { facts, measured } = await gather('aws-alb', [...paths, 'requests.avg.1d', 'requests.sum.1d'])
    expect(facts).to.deep.equal({
      'metric.cpu_percent.avg.1d': 2,
      'metric.cpu_percent.max.1d': 4,
      'metric.cpu_percent.p99.1d': 2,
      'metric.requests.avg.1d': 10,
      'metric.requests.sum.1d': 2880,
    })
    expect(measured!['cpu_percent']).to.deep.equal({ days: 1, stepSeconds: 60, coverage: { '1d': 1 } })
    const peaks = await gather('aws-alb', [...paths.slice(0, 2), 'cpu_percent.sum.1d'], {}, 'i-2')
    expect(peaks.facts).to.deep.equal({
      'metric.cpu_percent.avg.1d': 10,
      'metric.cpu_percent.max.1d': 25,
      'metric.cpu_percent.sum.1d': 43_200,
    })
  })

  it('takes an hour of what adds up as of five minutes, for rules know no other buckets', async () => {
    await sample({ metric: 'consumed_rcu', daysAgo: 14, count: 336, value: () => 1200 })
    expect((await gather('aws-dynamodb-table', ['consumed_rcu.p99.14d', 'consumed_rcu.sum.14d'])).facts).to.deep.equal({
      'metric.consumed_rcu.p99.14d': 100,
      'metric.consumed_rcu.sum.14d': 403_200,
    })
  })

  it('tells no such series (null) from not known, by whether another metric of the resource covers the window', async () => {
    await sample({ daysAgo: 14, count: 336 }, { metric: 'disk_percent', uid: 'i-2', daysAgo: 14, count: 336 })
    const paths = ['memory_percent.p99.14d', 'memory_percent.p99.30d']
    expect((await gather('aws-ec2', paths)).facts).to.deep.equal({ 'metric.memory_percent.p99.14d': null })
    expect((await gather('aws-ec2', paths, {}, 'i-2')).facts).to.deep.equal({ 'metric.memory_percent.p99.14d': null })
    expect((await gather('aws-ec2', paths, {}, 'i-3')).facts).to.deep.equal({})
  })

  deepIt(
    'takes no sample for 0 only once our own collector, which fetches the metric, is past the whole window',
    async () => {
      const paths = ['requests.sum.14d', 'requests.sum.30d', 'requests.p50.14d', 'connections.max.14d']
      const collector = (more: Partial<Collector> = {}): Collector => ({
        from: new Date(until - 14 * 24 * hourMs),
        through: now,
        askedAt: now,
        fetches: (_, metric) => metric === 'requests',
        ...more,
      })
      const of = async (more: Partial<GatherAbout>) => (await gather('aws-alb', paths, more)).facts
      expect(await of({})).to.deep.equal({})
      expect(await of({ collector: collector() })).to.deep.equal({
        'metric.requests.sum.14d': 0,
        'metric.requests.p50.14d': 0,
      })
      expect(await of({ collector: collector({ through: new Date(until - 1) }) })).to.deep.equal({})
      expect(await of({ collector: collector({ from: new Date(until - 14 * 24 * hourMs + 1) }) })).to.deep.equal({})
      expect(await of({ collector: collector({ fetches: () => false }) })).to.deep.equal({})
      // Discovered on the 1st of January; collecting began before: what is of the time between was never asked for.
      const late = { from: new Date('2025-12-01T00:00:00Z'), askedAt: new Date('2025-12-15T00:00:00Z') }
      for (const askedAt of [late.askedAt, null]) {
        const about = { collector: collector({ ...late, askedAt }), now: new Date('2026-01-14T09:30:00Z') }
        expect(await of(about)).to.deep.equal({})
      }
      expect(await of({ collector: collector(late), now: new Date('2026-01-15T09:30:00Z') })).to.deep.equal({
        'metric.requests.sum.14d': 0,
        'metric.requests.p50.14d': 0,
      })
      // 34 of 336 hours with 10 requests each: a tenth of the time.
      await sample({ metric: 'requests', daysAgo: 14, count: 34, value: () => 120 })
      expect(await of({ collector: collector() })).to.deep.equal({
        'metric.requests.sum.14d': 4080,
        'metric.requests.p50.14d': 0,
      })
    },
  )

  it('answers by older names of metrics, and by the own name where both are of a moment', async () => {
    await sample(
      { metric: 'request_count', daysAgo: 7, count: 168, value: () => 5 },
      { metric: 'requests', daysAgo: 1, count: 24, value: () => 7 },
      { metric: 'disk_percent', uid: 'i-2', daysAgo: 7, count: 168, value: () => 40 },
    )
    const { facts, measured } = await gather('aws-alb', ['requests.sum.7d'])
    expect(facts).to.deep.equal({ 'metric.requests.sum.7d': 144 * 5 + 24 * 7 })
    expect(measured).to.deep.equal({ requests: { days: 7, stepSeconds: 3600, coverage: { '7d': 1 } } })
    const path = 'storage_used_percent.max.7d'
    expect((await gather('aws-rds', [path], {}, 'i-2')).facts).to.deep.equal({ [`metric.${path}`]: 40 })
    expect((await gather('aws-ec2', [path], {}, 'i-2')).facts).to.deep.equal({ [`metric.${path}`]: null })
  })

  it('tells business hours by the clock of the organization, also where it is put forward', async () => {
    // Berlin is an hour ahead of UTC up to Sunday 29 March 2026 and two from then on: 08:00 to 18:00 are 7 to 16 h and 6 to 15 h.
    const isBusiness = (n: number) => {
      const at = new Date(until - 14 * 24 * hourMs + n * hourMs)
      const ahead = at.getTime() < Date.parse('2026-03-29T01:00:00Z') ? 1 : 2
      const local = new Date(at.getTime() + ahead * hourMs)
      return local.getUTCDay() % 6 !== 0 && local.getUTCHours() >= 8 && local.getUTCHours() < 18
    }
    await sample({ daysAgo: 14, count: 336, value: (n) => (isBusiness(n) ? 80 : 3) })
    const governance = { ...governanceDefaults, timezone: 'Europe/Berlin' }
    const paths = ['cpu_percent.on_p95.14d', 'cpu_percent.off_p95.14d']
    expect((await gather('aws-asg', paths, { governance })).facts).to.deep.equal({
      'metric.cpu_percent.on_p95.14d': 80,
      'metric.cpu_percent.off_p95.14d': 3,
    })
    const inUtc = await gather('aws-asg', paths)
    expect(inUtc.facts!['metric.cpu_percent.off_p95.14d']).to.equal(80)
  })
})
