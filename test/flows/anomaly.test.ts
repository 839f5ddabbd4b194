import { expect } from 'chai'
import type { BillingLine } from '#streams/billing.ts'
import { accept, anomalies, before, day, detect, line, publish, told } from '#test/harness/anomaly.ts'
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

/** The same, once all that was told of has been accepted. */
async function judgedAndTold(series: readonly BillingLine[]): Promise<any> {
  const org = await tenant()
  const heard = told(org)
  await publish(org, series)
  await detect(org)
  await accept(org, await heard())
  return (await anomalies(org, '&type=org'))[0]
}

describe('anomaly detection', () => {
  it('judges by per cent over the mean of the seven days before [ANOM-10] [ANOM-12] [ANOM-13] S-01', async () => {
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

  it('lets the standard deviation make it worse, never milder, never out of nothing [ANOM-14] [ANOM-15] [ANOM-16] [ANOM-17] [ANOM-18] [ANOM-35] S-02', async () => {
    const wave = (low: number, high: number) => [
      low,
      high,
      low,
      high,
      low,
      high,
      100,
      low,
      high,
      low,
      high,
      low,
      high,
      100,
    ]
    const cases = [
      { series: wave(80, 120), cost: 131, is: 'warning percent' },
      { series: wave(80, 120), cost: 170, is: 'critical zscore' },
      { series: wave(80, 120), cost: 200, is: 'emergency zscore' },
      { series: wave(80, 120), cost: 600, is: 'emergency percent' },
      { series: wave(80, 120).slice(1), cost: 170, is: 'warning percent' },
      { series: wave(95, 105), cost: 170, is: 'warning percent' },
      { series: wave(89, 111), cost: 125, is: undefined },
      { series: wave(80, 120), cost: 30, is: undefined },
    ]
    const found = await Promise.all(cases.map(({ series, cost }) => judged([...before(series), line(0, cost)])))
    expect(found.map((a) => a && `${a.severity} ${a.method}`)).to.deep.equal(cases.map(({ is }) => is))
    const { actualCostUsd, expectedCostUsd, deviationPercent } = found[1]
    expect({ actualCostUsd, expectedCostUsd, deviationPercent }).to.deep.equal({
      actualCostUsd: 170,
      expectedCostUsd: 100,
      deviationPercent: 70,
    })
  })

  it('wants four days of a dollar; days without data are none [ANOM-11] [ANOM-19] S-03', async () => {
    const on = (days: readonly number[]) => days.map((offset) => line(offset, 100))
    const found = await Promise.all([
      judged([...on([-3, -2, -1]), line(0, 500)]),
      judged([...on([-4, -3, -2, -1]), line(0, 500)]),
      judged([...on([-7, -5, -3, -1]), line(0, 500)]),
      judged([...before(Array.from({ length: 7 }, () => '0.99')), line(0, 50)]),
      judged([...before(Array.from({ length: 7 }, () => 1)), line(0, 7)]),
    ])
    expect(found.map((a) => a && [a.severity, a.expectedCostUsd, a.deviationPercent])).to.deep.equal([
      undefined,
      ['critical', 100, 400],
      ['critical', 100, 400],
      undefined,
      ['emergency', 1, 600],
    ])
  })

  it('stores what is new, tells once in seven days, and adds nothing when run again [ANOM-03] [ANOM-29] [ANOM-30] [ANOM-31] [ANOM-33] [ANOM-34] S-04', async () => {
    const org = await tenant()
    const heard = told(org)
    const costs = [200, 210, 250, 100, 100, 100, 100, 400]
    await publish(org, [...before(flat), ...costs.map((cost, offset) => line(offset, cost))])
    const own = async () => (await anomalies(org, '&type=org')).toReversed()
    const flags = async () => (await own()).map(({ date, notified, notifiedAt }) => [date, notified, notifiedAt])
    const raised = (offset: number) => ({ scope: { type: 'org', id: '' }, data: { date: day(offset) } })
    for (const offset of costs.keys()) {
      await detect(org, day(offset))
      if (offset === 0) {
        expect(await flags(), 'raised is not accepted').to.deep.equal([[day(0), false, null]])
        await accept(org, [raised(0)])
      }
    }
    await accept(org, [raised(7), raised(6)])
    const records = await own()
    expect(records.map((a) => [a.date, a.severity, a.method, a.notified, a.notifiedAt !== null])).to.deep.equal([
      [day(0), 'critical', 'percent', true, true],
      [day(2), 'critical', 'zscore', false, false],
      [day(7), 'emergency', 'zscore', true, true],
    ])
    expect(records.map((a) => a.expectedCostUsd)).to.deep.equal([100, 130, 151.43])
    for (const offset of costs.keys()) await detect(org, day(offset))
    expect(await own()).to.deep.equal(records)
    const events = await heard()
    const types = events.map((event) => event.eventType)
    expect(events.filter(({ scope }) => scope.type === 'org').map(({ data }) => data.date)).to.deep.equal([
      day(0),
      day(7),
    ])
    expect(types.filter((type) => /^cost\.anomaly\.[a-z]+$/.test(type))).to.deep.equal([
      'cost.anomaly.critical',
      'cost.anomaly.emergency',
    ])
    expect(new Set(types))
      .to.include('cost.anomaly.cloud_account.critical')
      .and.include('cost.anomaly.resource.emergency')
  })

  it('counts a difference of exactly 20 per cent as new, and less as the same [ANOM-30] [ANOM-31]', async () => {
    const dates = async (second: number) => {
      const org = await tenant()
      await publish(org, [...before(flat), line(0, 200), line(1, 100), line(2, second)])
      for (const offset of [0, 1, 2]) await detect(org, day(offset))
      return (await anomalies(org, '&type=org')).map((a) => a.date)
    }
    const both = [day(2), day(0)]
    const found = await Promise.all([dates(239.99), dates(240), dates(160.01), dates(160)])
    expect(found).to.deep.equal([[day(0)], both, [day(0)], both])
  })

  it('suppresses what new resources explain, and names them [ANOM-06] [ANOM-24] [ANOM-26] [ANOM-32] S-05', async () => {
    const cases = [
      { existing: '100', fresh: '60', is: 'true info New-account onboarding' },
      { existing: '124', fresh: '36', is: 'true info New-account onboarding' },
      { existing: '124.10', fresh: '35.90', is: 'true info New resources' },
      { existing: '130', fresh: '30', is: 'false warning Resource-type spike' },
    ]
    const found = await Promise.all(
      cases.map(({ existing, fresh }) =>
        judgedAndTold([...before(flat), line(0, existing), line(0, fresh, { resourceUid: 'new-1' })]),
      ),
    )
    expect(found.map((a) => `${a.suppressed} ${a.severity} ${a.rootCause.split(':')[0]}`)).to.deep.equal(
      cases.map(({ is }) => is),
    )
    expect(found.map((a) => a.notified)).to.deep.equal([false, false, false, true])
    expect(found[0].rootCause).to.equal(
      'New-account onboarding: 1 new resource of accounts first billed in the last 14 days, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). The largest rise of one resource: new-1 was first seen within three days (new resource, 60.00).',
    )
    const seen = (offset: number) =>
      judged([...before(flat), line(0, 100), ...[offset, 0].map((at) => line(at, 60, { resourceUid: 'new-1' }))])
    const [twoDays, threeDays] = await Promise.all([seen(-2), seen(-3)])
    expect([twoDays.suppressed, threeDays.suppressed]).to.deep.equal([true, false])
    // What it cost on one of the seven days is in the baseline already.
    expect(twoDays.rootCause).to.include('which explains 51.43 of the 51.43 US dollars above the baseline (100 %)')
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
      'New resources: 1 new resource, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). The largest rise of one resource: new-1 was first seen within three days (new resource, 60.00).',
      'New resources: 1 new resource, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). The largest rise of one resource: new-1 was first seen within three days (new resource, 60.00).',
      'New-account onboarding: 1 new resource of accounts first billed in the last 14 days, which explains 36.00 of the 60.00 US dollars above the baseline (60 %). The largest rise of one resource: new-1 was first seen within three days (new resource, 36.00).',
      'New resources: 2 new resources, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). The largest rise of one resource: new-1 was first seen within three days (new resource, 35.00).',
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
      'Unexplained increase: 120.45 US dollars above the baseline: 177.08 more for Tax without a resource, while everything else fell by 56.63.',
    )
    expect(byType.rootCause).to.equal(
      'Resource-type spike: resources of type aws-ec2, 300.00 US dollars more, while everything else fell by 80.00: 220.00 US dollars above the baseline are left.',
    )
  })
})

describe('the cause of an anomaly of a resource', () => {
  const hours = (offset: number, used: number, rate: number, more: Partial<BillingLine> = {}) =>
    line(offset, (used * rate).toFixed(6), { usageHours: used, hourlyRateUSD: rate, ...more })
  const fortnight = (used: number, rate: number, more: Partial<BillingLine> = {}, length = 14) =>
    Array.from({ length }, (_, i) => hours(i - length, used, rate, more))
  const causeOf = async (lines: readonly BillingLine[]) => (await judged(lines, 'resource'))?.rootCause.split(':')[0]

  it('is a rate or use that went up by more than half, or a reservation that ended [ANOM-21] [ANOM-22] [ANOM-23] S-06', async () => {
    const reserved = { purchaseType: 'reserved' } as const
    const found = await Promise.all([
      causeOf([...fortnight(10, 1), hours(0, 10, 1.51)]),
      causeOf([...fortnight(10, 1), hours(0, 10, 1.5)]),
      causeOf([...fortnight(10, 1), hours(0, 15.1, 1)]),
      causeOf([...fortnight(10, 1), hours(0, 15, 1)]),
      causeOf([...fortnight(10, 0.5, reserved), hours(0, 10, 1)]),
    ])
    expect(found).to.deep.equal([
      'Instance resize',
      'Unexplained increase',
      'Usage spike',
      'Unexplained increase',
      'Reservation expiry',
    ])
  })

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

  it('is looked for in the fourteen days before and no further [ANOM-20]', async () => {
    const since = (cheapDays: number) => {
      const dear = Array.from({ length: cheapDays }, (_, i) => hours(i - cheapDays, 10, 1.6))
      return [hours(-cheapDays - 1, 10, 1), ...dear, hours(0, 14, 1.6)]
    }
    expect(await Promise.all([causeOf(since(13)), causeOf(since(14))])).to.deep.equal([
      'Instance resize',
      'Unexplained increase',
    ])
  })

  it('says what of the excess it explains', async () => {
    const found = await judged(
      [...fortnight(10, 1), hours(0, 10, 1.6), line(0, '3.000000', { n: '/disk' })],
      'resource',
    )
    expect(found.rootCause).to.equal(
      'Instance resize: the rate of r1 went from 1 to 1.6 US dollars an hour, which explains 6.00 of the 9.00 US dollars above the baseline (67 %).',
    )
  })
})

describe('anomalies of groups and teams', () => {
  let org: Tenant
  before_(async () => {
    org = await tenant()
  })
  function before_(set: () => Promise<void>) {
    beforeEach(set)
  }
  const group = async (name: string, uids: readonly string[]) => {
    const members = uids.map((resourceUID) => ({ resourceUID }))
    return (await org.send('POST', '/resource-groups', { name, members })).body.data.id as string
  }
  const team = async (name: string, uids: readonly string[]) => {
    const { id } = (await org.send('POST', '/teams', { name })).body.data
    for (const uid of uids) await org.send('POST', `/teams/${id}/resources`, { resourceUIDs: [uid] })
    return id as string
  }
  const spike = (uid: string) => [...before(flat, { resourceUid: uid }), line(0, 300, { resourceUid: uid })]

  it('are found beside those of the organization, the account and the resource, each by its own baseline [ANOM-04] [ANOM-09]', async () => {
    const groupId = await group('Web', ['r1'])
    const teamId = await team('Core', ['r1', 'r2'])
    await publish(org, [...spike('r1'), ...before(flat, { resourceUid: 'r2' }), line(0, 100, { resourceUid: 'r2' })])
    await detect(org)
    const found = await anomalies(org)
    expect(
      found.map((a) => `${a.anomalyType} ${a.anomalyKey} ${a.expectedCostUsd} ${a.severity}`).toSorted(),
    ).to.deep.equal([
      'cloud_account acct-1 200 critical',
      `org ${org.orgId} 200 critical`,
      'resource r1 100 critical',
      `resource_group ${groupId} 100 critical`,
      `team ${teamId} 200 critical`,
    ])
  })

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
