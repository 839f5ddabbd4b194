import { expect } from 'chai'
import type { BillingLine } from '#streams/billing/messages.ts'
import { accept, anomalies, before, day, detect, line, publish, told } from '#test/harness/anomaly.ts'
import { tenant } from '#test/harness/product.ts'
import { isDeep, sample, deepIt } from '#test/harness/tier.ts'

const flat = Array.from({ length: 14 }, () => 100)

const asked: (readonly BillingLine[])[] = []
let judging: Promise<any[]> | undefined

/** The series whose resource r1 is all of a group, and with r2 all of a team. */
let grouped = -1
const ids = { group: '', team: '' }

/** All series that are judged together: in one organization, each in an account of its own, on the analysed day, and in deep on two more. */
async function judgeAsked(): Promise<any[]> {
  const org = await tenant()
  const resourceUIDs = [`${grouped}/r1`, `${grouped}/r2`]
  const group = { name: 'Web', members: [{ resourceUID: resourceUIDs[0] }] }
  ids.group = (await org.send('POST', '/resource-groups', group)).body.data.id
  ids.team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id
  for (const uid of resourceUIDs) await org.send('POST', `/teams/${ids.team}/resources`, { resourceUIDs: [uid] })
  const own = (i: number, { lineId, resourceUid }: BillingLine) => ({
    cloudAccountId: `acct-${i}`,
    resourceUid: `${i}/${resourceUid}`,
    lineId: `${i}/${lineId}`,
  })
  await publish(
    org,
    asked.flatMap((series, i) => series.map((one) => ({ ...one, ...own(i, one) }))),
  )
  for (const offset of isDeep ? [0, 1, 2] : [0]) await detect(org, day(offset))
  const types = ['cloud_account', 'resource', 'resource_group', 'team']
  return (await Promise.all(types.map((type) => anomalies(org, `&type=${type}`)))).flat()
}

/**
 * Series of one account each that are judged together with all others, since a run of the job takes longer than what is judged.
 * The call gives what is found on a day of the account, or of its resource r1, for each series.
 */
function together(
  ...all: (readonly BillingLine[])[]
): (type: 'cloud_account' | 'resource', at?: number) => Promise<any[]> {
  const first = asked.length
  asked.push(...all)
  return async (type, at = 0) => {
    const found = await (judging ??= judgeAsked())
    return all.map((_, n) => {
      const key = type === 'resource' ? `${first + n}/r1` : `acct-${first + n}`
      return found.find((one) => one.anomalyType === type && one.anomalyKey === key && one.date === day(at))
    })
  }
}

/** The sentence as of a series that is judged alone. */
const causeOf = ({ rootCause }: { rootCause: string }): string => rootCause.replaceAll(/\b\d+\/(?=new-|r\d)/g, '')

/** What they come to once all that was told of has been accepted. */
async function judgedAndTold(series: readonly BillingLine[]): Promise<any> {
  const org = await tenant()
  const heard = told(org)
  await publish(org, series)
  await detect(org)
  await accept(org, await heard())
  return (await anomalies(org, '&type=org'))[0]
}

describe('anomaly detection', () => {
  const percents = {
    129.99: '',
    130: 'warning',
    199.99: 'warning',
    200: 'critical',
    599.99: 'critical',
    600: 'emergency',
    50: '',
  }
  const byPercent = together(...Object.keys(percents).map((cost) => [...before(flat), line(0, cost)]))

  it('judges by per cent over the mean of the seven days before [ANOM-10] [ANOM-12] [ANOM-13] S-01', async () => {
    for (const type of ['cloud_account', 'resource'] as const) {
      const found = (await byPercent(type)).map((a) => (a ? `${a.severity} ${a.method}` : ''))
      expect(found).to.deep.equal(Object.values(percents).map((severity) => severity && `${severity} percent`))
    }
  })

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
  const waves = [
    { series: wave(80, 120), cost: 131, is: 'warning percent' },
    { series: wave(80, 120), cost: 170, is: 'critical zscore' },
    { series: wave(80, 120), cost: 200, is: 'emergency zscore' },
    { series: wave(80, 120), cost: 600, is: 'emergency percent' },
    { series: wave(80, 120).slice(1), cost: 170, is: 'warning percent' },
    { series: wave(95, 105), cost: 170, is: 'warning percent' },
    { series: wave(89, 111), cost: 125, is: undefined },
    { series: wave(80, 120), cost: 30, is: undefined },
  ]
  const byWave = together(...waves.map(({ series, cost }) => [...before(series), line(0, cost)]))

  it('lets the standard deviation make it worse, never milder, never out of nothing [ANOM-14] [ANOM-15] [ANOM-16] [ANOM-17] [ANOM-18] [ANOM-35] S-02', async () => {
    const found = await byWave('cloud_account')
    expect(found.map((a) => a && `${a.severity} ${a.method}`)).to.deep.equal(waves.map(({ is }) => is))
    const { actualCostUsd, expectedCostUsd, deviationPercent } = found[1]
    expect({ actualCostUsd, expectedCostUsd, deviationPercent }).to.deep.equal({
      actualCostUsd: 170,
      expectedCostUsd: 100,
      deviationPercent: 70,
    })
  })

  const on = (days: readonly number[]) => days.map((offset) => line(offset, 100))
  const fewDays = together(
    [...on([-3, -2, -1]), line(0, 500)],
    [...on([-4, -3, -2, -1]), line(0, 500)],
    [...on([-7, -5, -3, -1]), line(0, 500)],
    [...before(Array.from({ length: 7 }, () => '0.99')), line(0, 50)],
    [...before(Array.from({ length: 7 }, () => 1)), line(0, 7)],
  )

  it('wants four days of a dollar; days without data are none [ANOM-11] [ANOM-19] S-03', async () => {
    const found = await fewDays('cloud_account')
    expect(found.map((a) => a && [a.severity, a.expectedCostUsd, a.deviationPercent])).to.deep.equal([
      undefined,
      ['critical', 100, 400],
      ['critical', 100, 400],
      undefined,
      ['emergency', 1, 600],
    ])
  })

  // That it is told once, and again on the seventh day, the turns of the actor show (test/actors/anomaly.test.ts).
  deepIt(
    'stores what is new, tells once in seven days, and adds nothing when run again [ANOM-03] [ANOM-29] [ANOM-30] [ANOM-31] [ANOM-33] [ANOM-34] S-04',
    async () => {
      const org = await tenant()
      const heard = told(org)
      const costs = [200, 210, 250, 100, 100, 100, 100, 400]
      await publish(org, [...before(flat), ...costs.map((cost, offset) => line(offset, cost))])
      const own = async () => (await anomalies(org, '&type=org')).toReversed()
      const flags = async () => (await own()).map(({ date, notified, notifiedAt }) => [date, notified, notifiedAt])
      const raised = (offset: number) => ({ scope: { type: 'org', id: '' }, data: { date: day(offset) } })
      // Days that are as usual add nothing: the deep tier has them too.
      for (const offset of isDeep ? costs.keys() : [0, 1, 2, 7]) {
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
      for (const offset of isDeep ? costs.keys() : [0, 7]) await detect(org, day(offset))
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
    },
  )

  const seconds = together(
    ...(isDeep ? [239.99, 240, 160.01, 160] : []).map((second) => [
      ...before(flat),
      line(0, 200),
      line(1, 100),
      line(2, second),
    ]),
  )

  // In memory: test/actors/anomaly-new.test.ts.
  deepIt('counts a difference of exactly 20 per cent as new, and less as the same [ANOM-30] [ANOM-31]', async () => {
    const found = await Promise.all([0, 1, 2].map((at) => seconds('cloud_account', at)))
    const isFound = found.map((ofDay) => ofDay.map((a) => a !== undefined))
    expect(isFound).to.deep.equal([
      [true, true, true, true],
      [false, false, false, false],
      [false, true, false, true],
    ])
  })

  const fresh = [
    { existing: '100', more: '60', is: 'true info New-account onboarding' },
    { existing: '124', more: '36', is: 'true info New-account onboarding' },
    { existing: '124.10', more: '35.90', is: 'true info New resources' },
    { existing: '130', more: '30', is: 'false warning Resource-type spike' },
  ].map(({ existing, more, is }) => ({
    is,
    series: [...before(flat), line(0, existing), line(0, more, { resourceUid: 'new-1' })],
  }))
  const withFresh = together(...fresh.map(({ series }) => series))
  const seenSince = together(
    ...[-2, -3].map((since) => [
      ...before(flat),
      line(0, 100),
      ...[since, 0].map((at) => line(at, 60, { resourceUid: 'new-1' })),
    ]),
  )

  it('suppresses what new resources explain, and names them [ANOM-06] [ANOM-24] [ANOM-26] S-05', async () => {
    const found = await withFresh('cloud_account')
    expect(found.map((a) => `${a.suppressed} ${a.severity} ${a.rootCause.split(':')[0]}`)).to.deep.equal(
      fresh.map(({ is }) => is),
    )
    expect(causeOf(found[0])).to.equal(
      'New-account onboarding: 1 new resource in accounts first billed in the last 14 days, which explains 60.00 of the 60.00 US dollars above the baseline (100 %). Largest increase of a single resource: new-1 was first seen within the last three days (new resource, 60.00).',
    )
    const [twoDays, threeDays] = await seenSince('cloud_account')
    expect([twoDays.suppressed, threeDays.suppressed]).to.deep.equal([true, false])
    // What it cost on one of the seven days is in the baseline already.
    expect(twoDays.rootCause).to.include('which explains 51.43 of the 51.43 US dollars above the baseline (100 %)')
  })

  deepIt('notifies nobody of what it suppresses [ANOM-32] S-05', async () => {
    const found = await Promise.all(sample(fresh).map(({ series }) => judgedAndTold(series)))
    expect(found.map((a) => [a.suppressed, a.notified])).to.deep.equal(
      sample(fresh).map(({ is }) => (is.startsWith('true') ? [true, false] : [false, true])),
    )
  })
})

describe('the cause of an anomaly of a resource', () => {
  const hours = (offset: number, used: number, rate: number, more: Partial<BillingLine> = {}) =>
    line(offset, (used * rate).toFixed(6), { usageHours: used, hourlyRateUSD: rate, ...more })
  const fortnight = (used: number, rate: number, more: Partial<BillingLine> = {}, length = 14) =>
    Array.from({ length }, (_, i) => hours(i - length, used, rate, more))
  const begins = (found: readonly any[]): string[] => found.map((a) => a?.rootCause.split(':')[0])
  const reserved = { purchaseType: 'reserved' } as const
  const byRate = together(
    [...fortnight(10, 1), hours(0, 10, 1.51)],
    [...fortnight(10, 1), hours(0, 10, 1.5)],
    [...fortnight(10, 1), hours(0, 15.1, 1)],
    [...fortnight(10, 1), hours(0, 15, 1)],
    [...fortnight(10, 0.5, reserved), hours(0, 10, 1)],
  )

  it('is a rate or use that went up by more than half, or a reservation that ended [ANOM-21] [ANOM-22] [ANOM-23] S-06', async () => {
    expect(begins(await byRate('resource'))).to.deep.equal([
      'Instance resize',
      'Unexplained increase',
      'Usage spike',
      'Unexplained increase',
      'Reservation expiry',
    ])
  })

  const since = (cheapDays: number) => {
    const dear = Array.from({ length: cheapDays }, (_, i) => hours(i - cheapDays, 10, 1.6))
    return [hours(-cheapDays - 1, 10, 1), ...dear, hours(0, 14, 1.6)]
  }
  const resized = together(since(13), since(14))

  it('is looked for in the fourteen days before and no further [ANOM-20]', async () => {
    expect(begins(await resized('resource'))).to.deep.equal(['Instance resize', 'Unexplained increase'])
  })

  const withDisk = together([...fortnight(10, 1), hours(0, 10, 1.6), line(0, '3.000000', { n: '/disk' })])

  it('says what of the excess it explains', async () => {
    expect((await withDisk('resource')).map(causeOf)).to.deep.equal([
      'Instance resize: the hourly rate of r1 changed from 1 to 1.6 US dollars, which explains 6.00 of the 9.00 US dollars above the baseline (67 %).',
    ])
  })
})

describe('anomalies of groups and teams', () => {
  const spike = (uid: string) => [...before(flat, { resourceUid: uid }), line(0, 300, { resourceUid: uid })]
  grouped = asked.length
  together([...spike('r1'), ...before(flat, { resourceUid: 'r2' }), line(0, 100, { resourceUid: 'r2' })])

  it('are found beside those of the account and the resource, each by its own baseline [ANOM-04] [ANOM-09]', async () => {
    const found = await (judging ??= judgeAsked())
    const keys = [`acct-${grouped}`, `${grouped}/r1`, `${grouped}/r2`, ids.group, ids.team]
    expect(
      found
        .filter(({ anomalyKey }) => keys.includes(anomalyKey))
        .map((a) => `${a.date} ${a.anomalyType} ${a.anomalyKey} ${a.expectedCostUsd} ${a.severity}`)
        .toSorted(),
    ).to.deep.equal(
      [
        `${day(0)} cloud_account acct-${grouped} 200 critical`,
        `${day(0)} resource ${grouped}/r1 100 critical`,
        `${day(0)} resource_group ${ids.group} 100 critical`,
        `${day(0)} team ${ids.team} 200 critical`,
      ].toSorted(),
    )
  })
})
