// tier: deep
import { expect } from 'chai'
import type { BillingLine } from '#streams/billing/messages.ts'
import { anomalies, before, day, detect, line, publish } from '#test/harness/anomaly.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const flat = Array.from({ length: 14 }, () => 100)
const brief = (found: readonly any[]): string[] =>
  found.map((a) => `${a.anomalyType} ${a.severity} ${a.method}`).toSorted()

/** What the organization's own costs of a series and a day come to. */
async function judged(series: readonly BillingLine[], type = 'org'): Promise<any> {
  const org = await tenant()
  await publish(org, series)
  await detect(org)
  return (await anomalies(org, `&type=${type}`))[0]
}

describe('anomaly detection, one organization a case', () => {
  it('judges the organization as its account and its resource S-01', async () => {
    const expected = {
      129.99: '',
      130: 'warning',
      199.99: 'warning',
      200: 'critical',
      599.99: 'critical',
      600: 'emergency',
      50: '',
    }
    const found = await Promise.all(
      Object.keys(expected).map(async (cost) => {
        const org = await tenant()
        await publish(org, [...before(flat), line(0, cost)])
        await detect(org)
        return [cost, brief(await anomalies(org))] as const
      }),
    )
    const all = (severity: string) => ['cloud_account', 'org', 'resource'].map((type) => `${type} ${severity} percent`)
    const wanted = Object.entries(expected).map(([cost, severity]) => [cost, severity === '' ? [] : all(severity)])
    expect(found).to.deep.equal(wanted)
  })

  it('claims onboarding only of accounts that are new themselves: without costs before the last fourteen days [ANOM-26]', async () => {
    const sixty = Array.from({ length: 60 }, () => 100)
    const fifteen = Array.from({ length: 15 }, () => 100)
    const other = { cloudAccountId: 'acct-2', resourceUid: 'new-1' }
    const found = await Promise.all([
      judged([...before(sixty), line(0, 100), line(0, 60, { resourceUid: 'new-1' })]),
      judged([...before(fifteen), line(0, 100), line(0, 60, { resourceUid: 'new-1' })]),
      judged([...before(sixty), line(0, 100), line(0, 36, other), line(0, 24, { resourceUid: 'new-2' })]),
      judged([...before(sixty), line(0, 100), line(0, 35, other), line(0, 25, { resourceUid: 'new-2' })]),
    ])
    expect(found.map((a) => a.rootCause)).to.deep.equal([
      'New resources: 1 new resource, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). Largest increase of a single resource: new-1 was first seen within the last three days (new resource, 60.00).',
      'New resources: 1 new resource, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). Largest increase of a single resource: new-1 was first seen within the last three days (new resource, 60.00).',
      'New-account onboarding: 1 new resource in accounts first billed in the last 14 days, which explains 36.00 of the 60.00 US dollars above the baseline (60 %). Largest increase of a single resource: new-1 was first seen within the last three days (new resource, 36.00).',
      'New resources: 2 new resources, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). Largest increase of a single resource: new-1 was first seen within the last three days (new resource, 35.00).',
    ])
  })

  it('never makes a part of more than the whole: it says that the rest fell', async () => {
    const tax = (offset: number, cost: number) => ({
      ...line(offset, cost, { n: '/tax', serviceName: 'Tax' }),
      resourceUid: '',
      resourceType: '',
    })
    const second = { resourceUid: 'r2', resourceType: 'aws-rds' }
    const [left, byType] = await Promise.all([
      judged([...before(flat), line(0, '43.37'), tax(0, 177.08)]),
      judged([...before(flat), ...before(flat, second), line(0, 400), line(0, 20, second)]),
    ])
    expect(left.rootCause).to.equal(
      'Unexplained increase: 120.45 US dollars above the baseline: Tax charges without a resource rose by 177.08, while all other costs fell by 56.63.',
    )
    expect(byType.rootCause).to.equal(
      'Resource-type spike: resources of type aws-ec2, which added 300.00 US dollars, while all other costs fell by 80.00: 220.00 US dollars above the baseline remain.',
    )
  })

  const hours = (offset: number, used: number, rate: number, more: Partial<BillingLine> = {}) =>
    line(offset, (used * rate).toFixed(6), { usageHours: used, hourlyRateUSD: rate, ...more })
  const fortnight = (used: number, rate: number, more: Partial<BillingLine> = {}, length = 14) =>
    Array.from({ length }, (_, i) => hours(i - length, used, rate, more))

  it('is a schedule that did not stop it, before more use [ANOM-25] S-06', async () => {
    const org = await tenant()
    await publish(org, [...fortnight(10, 1), hours(0, 24, 1)])
    const stop = {
      org_id: org.orgId,
      resource_uid: 'r1',
      triggered_at: `${day(0)} 18:00:00.000`,
      schedule_id: 'nights',
    }
    await org.put('scheduler_event', [{ ...stop, action: 'stop', status: 'failed', event_id: 'e1', x_Version: '1' }])
    await detect(org)
    const [found] = await anomalies(org, '&type=resource')
    expect([found.severity, found.rootCause.split(':')[0]]).to.deep.equal(['critical', 'Schedule failure'])
  })
})

describe('anomalies of groups and teams', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  const group = async (name: string, uids: readonly string[]) => {
    const members = uids.map((resourceUID) => ({ resourceUID }))
    return (await org.send('POST', '/resource-groups', { name, members })).body.data.id as string
  }
  const spike = (uid: string) => [...before(flat, { resourceUid: uid }), line(0, 300, { resourceUid: uid })]

  it('are explained by added members first, then by a type or an account, then by one resource [ANOM-27] [ANOM-28]', async () => {
    await group('Steady', ['r1'])
    const grown = await group('Grown', ['r9'])
    const members = ['r9', 'r1'].map((resourceUID) => ({ resourceUID }))
    await org.send('PUT', `/resource-groups/${grown}/members`, { members })
    await publish(org, [...spike('r1'), ...before(flat, { resourceUid: 'r9' }), line(0, 100, { resourceUid: 'r9' })])
    // Members are added today: the day that is analysed must have seen it.
    const today = new Date().toISOString().slice(0, 10)
    const shift = Math.round((Date.parse(today) - Date.parse(day(0))) / 86_400_000)
    await publish(
      org,
      [...before(flat), line(0, 300)].map((one) => moved(one, shift)),
    )
    await publish(
      org,
      [...before(flat, { resourceUid: 'r9' }), line(0, 100, { resourceUid: 'r9' })].map((one) => moved(one, shift)),
    )
    await detect(org, today)
    const { body } = await org.get(`/reports/anomalies?from=${today}&to=${today}&limit=100`)
    const causes = body.data.items.map((a: any) => `${a.anomalyType} ${a.rootCause.split(':')[0]}`)
    expect(causes.toSorted()).to.deep.equal([
      'cloud_account Resource-type spike',
      'org Resource-type spike',
      'resource Unexplained increase',
      'resource_group Membership diff',
      'resource_group Resource-type spike',
    ])
    const membership = body.data.items.find((a: any) => a.rootCause.startsWith('Membership'))
    expect(membership.rootCause).to.equal(
      'Membership diff: 1 member added in the last seven days, which explains 200.00 of the 200.00 US dollars above the baseline (100 %).',
    )
  })
})

const moved = (one: BillingLine, days: number): BillingLine => {
  const usageDate = new Date(Date.parse(one.usageDate!) + days * 86_400_000).toISOString().slice(0, 10)
  return { ...one, usageDate, lineId: `${usageDate}/${one.resourceUid}`, exportedAt: new Date().toISOString() }
}
