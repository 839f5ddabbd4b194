import { expect } from 'chai'
import { billingDayClosed, type BillingLine } from '#streams/billing/messages.ts'
import { accept, detect, line, publish, told } from '#test/harness/anomaly.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const dayMs = 86_400_000
const now = Date.now()
/** The day so many days from today, by the real clock. */
const day = (offset: number): string => new Date(now + offset * dayMs).toISOString().slice(0, 10)
const on = (offset: number, costUSD: number, more: Partial<BillingLine> = {}): BillingLine => ({
  ...line(0, costUSD, more),
  usageDate: day(offset),
  lineId: `${day(offset)}/${more.cloudAccountId ?? 'acct-1'}/${more.resourceUid ?? 'r1'}`,
})
const fortnight = (last: number, more: Partial<BillingLine> = {}) =>
  Array.from({ length: 14 }, (_, i) => on(last - i, 100, more))

const records = async (org: Tenant, query = '&type=org'): Promise<any[]> =>
  (await org.get(`/reports/anomalies?from=${day(-30)}&to=${day(1)}${query}`)).body.data.items
const run = (org: Tenant, body: object = {}) =>
  org.send('POST', '/internal/jobs/anomaly-detection/run', { orgId: org.orgId, ...body })

describe('the daily run', () => {
  afterEach(resetClock)

  it('takes the newest day that every account has cost on or has closed, three days back at most [ANOM-08]', async () => {
    const org = await tenant()
    const other = { cloudAccountId: 'acct-2', resourceUid: 'r2' }
    // The newest day with costs of both is three days back; the other account has closed the one after it, and this one goes on.
    const days = [...fortnight(-3).slice(0, 7), ...fortnight(-3, other).slice(0, 7)]
    await publish(org, [...days, on(-2, 600), on(-1, 900)])
    await org.publish(billingDayClosed, [{ cloudAccountId: 'acct-2', date: day(-2) }])
    expect((await run(org)).status).to.equal(202)
    expect((await records(org)).map((a) => a.date)).to.deep.equal([day(-2)])
  })

  deepIt('goes on with a day once its last account has closed it [ANOM-08]', async () => {
    const org = await tenant()
    const other = { cloudAccountId: 'acct-2', resourceUid: 'r2' }
    await publish(org, [...fortnight(-3), ...fortnight(-3, other), on(-2, 250), on(-2, 100, other), on(-1, 600)])
    expect((await run(org)).status).to.equal(202)
    expect((await records(org)).map((a) => a.date)).to.deep.equal([day(-2)])
    await org.publish(billingDayClosed, [{ cloudAccountId: 'acct-2', date: day(-1) }])
    await run(org)
    expect((await records(org)).map((a) => a.date)).to.deep.equal([day(-1), day(-2)])
  })

  deepIt('analyses nothing while no day is complete [ANOM-08]', async () => {
    const org = await tenant()
    const other = { cloudAccountId: 'acct-2', resourceUid: 'r2' }
    await publish(org, [...fortnight(-4), ...fortnight(-4, other), ...[-3, -2, -1].map((at) => on(at, 900))])
    await run(org)
    expect(await records(org, '')).to.deep.equal([])
  })

  deepIt('makes up for days that were missed, in their order', async () => {
    const org = await tenant()
    await publish(org, [...fortnight(-4), on(-3, 100)])
    await run(org)
    await publish(org, [on(-2, 300), on(-1, 500)])
    await run(org)
    expect((await records(org)).map((a) => a.date)).to.deep.equal([day(-1), day(-2)])
  })
})

describe('the running check', () => {
  afterEach(resetClock)

  deepIt(
    'records and tells what has passed its threshold today; the daily run adds nothing to it [ANOM-34]',
    async () => {
      const org = await tenant()
      const heard = told(org, 'cost_anomaly')
      await publish(org, [...fortnight(-1), on(0, 131)])
      expect(await records(org)).to.deep.equal([])
      await advance(21)
      await until('the anomaly of today', async () => (await records(org)).length === 1)
      const [first] = await records(org)
      expect([first.date, first.severity, first.actualCostUsd, first.notified]).to.deep.equal([
        day(0),
        'warning',
        131,
        false,
      ])
      await accept(org, [{ scope: { type: 'org', id: '' }, data: { date: day(0) } }])
      const accepted = (await records(org))[0]
      expect(accepted).to.deep.equal({ ...first, notified: true, notifiedAt: accepted.notifiedAt })
      await publish(org, [{ ...on(0, 89), lineId: `${day(0)}/more` }])
      await detect(org, day(0))
      const [last, ...more] = await records(org)
      expect([last.id, last.severity, last.actualCostUsd, last.createdAt, more.length]).to.deep.equal([
        first.id,
        'critical',
        220,
        first.createdAt,
        0,
      ])
      expect([last.notified, last.notifiedAt]).to.deep.equal([true, accepted.notifiedAt])
      const own = (await heard()).filter((event) => event.scope.type === 'org')
      expect(own.map((event) => event.eventType)).to.deep.equal(['cost.anomaly.warning'])
    },
  )

  deepIt('is taken back where the day turns out otherwise', async () => {
    const org = await tenant()
    await publish(org, [...fortnight(-1), on(0, 200)])
    await advance(21)
    await until('the anomaly of today', async () => (await records(org)).length === 1)
    await publish(org, [{ ...on(0, 90), exportedAt: new Date(now + dayMs).toISOString() }])
    await detect(org, day(0))
    expect(await records(org, '')).to.deep.equal([])
  })
})

describe('the list of anomalies', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    const more = Array.from({ length: 23 }, (_, i) => ({ resourceUid: `s${i}`, cloudAccountId: 'acct-2' }))
    await publish(org, [
      ...fortnight(-2),
      on(-1, 200),
      ...more.flatMap((of) => [...fortnight(-2, of), on(-1, 300, of)]),
    ])
    const heard = told(org)
    await detect(org, day(-1))
    await accept(org, await heard())
  })
  const list = async (query: string) => (await org.get(`/reports/anomalies?from=${day(-1)}&to=${day(-1)}${query}`)).body

  it('comes in pages of twenty and counts them all [REP-12] [REP-14] [ANOM-02]', async () => {
    const { data } = await list('')
    expect(Object.keys(data).toSorted()).to.deep.equal(['hasMore', 'items', 'limit', 'page', 'total'])
    expect([data.items.length, data.total, data.page, data.limit, data.hasMore]).to.deep.equal([20, 27, 1, 20, true])
    const {
      id: _,
      createdAt: __,
      notifiedAt: ___,
      rootCause: ____,
      ...of
    } = data.items.find((a: any) => a.anomalyKey === 'acct-1')
    expect(of).to.deep.equal({
      orgId: org.orgId,
      date: day(-1),
      anomalyType: 'cloud_account',
      anomalyKey: 'acct-1',
      label: 'acct-1',
      cloudAccountID: 'acct-1',
      severity: 'critical',
      method: 'percent',
      actualCostUsd: 200,
      expectedCostUsd: 100,
      excessUsd: 100,
      deviationPercent: 100,
      suppressed: false,
      recurring: false,
      notified: true,
    })
    const last = (await list('&page=2')).data
    expect([last.items.length, last.hasMore]).to.deep.equal([7, false])
    expect((await list('&page=9')).data).to.include({ total: 27, hasMore: false })
  })

  it('narrows by type, severity and account, and wants its range [REP-13]', async () => {
    const totals = await Promise.all(
      ['&type=resource', '&type=org,cloud_account', '&severity=emergency', '&cloud_account_id=acct-1'].map(
        async (query) => (await list(query)).data.total,
      ),
    )
    expect(totals).to.deep.equal([24, 3, 0, 2])
    const refused = await org.get(`/reports/anomalies?to=${day(0)}`)
    expect([refused.status, refused.body.errors.map((e: any) => e.name)]).to.deep.equal([400, ['from']])
  })

  it('is embedded in the trend of exactly the same costs [REP-16] S-37', async () => {
    const trend = async (query: string) =>
      (await org.get(`/reports/trends?from=${day(-3)}&to=${day(-1)}${query}`)).body.data.items
    const own = await trend('&cloud_account_id=acct-1')
    const listed = (await list('&cloud_account_id=acct-1')).data.items.find((a: any) => a.anomalyKey === 'acct-1')
    expect(own.map((item: any) => Object.hasOwn(item, 'anomaly'))).to.deep.equal([false, false, true])
    expect(own[2].anomaly).to.deep.equal({
      id: listed.id,
      severity: 'critical',
      actualCostUsd: 200,
      expectedCostUsd: 100,
      excessUsd: 100,
      deviationPercent: 100,
      topResources: [{ resourceUid: 'r1', resourceName: 'r1', costUSD: 200, deltaUSD: 100 }],
      rootCause:
        'Resource-type spike: resources of type aws-ec2, which explains 100.00 of the 100.00 US dollars above the baseline (100 %).',
    })
    expect((await trend('')).at(-1).anomaly.actualCostUsd).to.equal(7100)
    expect((await trend('&region=us-east-1')).some((item: any) => 'anomaly' in item)).to.equal(false)
  })
})
