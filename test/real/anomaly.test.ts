// tier: deep
import { expect } from 'chai'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { detect } from '#test/harness/anomaly.ts'
import type { Found } from '#test/harness/detection.ts'
import { tenant } from '#test/harness/product.ts'
import { deviations, expectedDays, flagged, judged } from '#test/real/anomaly/expected.ts'
import { detectPieces, piecesOf, type PieceDay } from '#test/real/anomaly/piece.ts'
import { awsDaily, azureDaily, gcpDaily, gcpShares, total, type Daily, type Share } from '#test/real/anomaly/series.ts'
import { describeReal } from '#test/real/data.ts'

/** To the precision of the recorded numbers. */
const round = (value: number | null): number => Number(value!.toFixed(5))

describeReal('the daily cost of real accounts', (folder) => {
  const expected = expectedDays(folder)
  /** What is expected is known of these; the others of the bill are judged beside them. */
  const series = recorded(folder)
  let flags: ReadonlyMap<string, readonly Found[]>
  before(async () => {
    const org = await tenant()
    await org.publish(
      billingLine,
      [...series].flatMap(([name, daily]) => piecesOf(name, daily).map(pieceLine)),
    )
    flags = await detectPieces(org.connections.clickhouse, org.orgId, series)
  })

  for (const [name, wanted] of expected)
    it(`of ${name} is flagged on the recorded days by the recorded baselines and deviations, and on no other [ANOM-10] [ANOM-12] [ANOM-13] [ANOM-19]`, () => {
      const found = flags.get(name)!
      expect(
        found.map((a) => [a.date, round(a.actualUsd), round(a.expectedUsd), round(a.deviationPercent)]),
      ).to.deep.equal(
        flagged(wanted).map((a) => [a.date, round(a.actual), round(a.baseline), round(a.deviationPercent)]),
      )
      const byPercent = new Map(flagged(wanted).map(({ date, severity }) => [date, severity]))
      const unchanged = found.filter(({ method }) => method === 'percent')
      expect(unchanged.map(({ severity }) => severity)).to.deep.equal(unchanged.map(({ date }) => byPercent.get(date)))
    })

  it('is made worse by the standard deviation of up to thirty days, as worked out from the recorded costs [ANOM-14] [ANOM-16] [ANOM-17] [ANOM-18]', () => {
    let upgraded = 0
    for (const [name, wanted] of expected) {
      const days = flagged(wanted).map((day) => ({ date: day.date, ...judged(wanted, day) }))
      const found = flags.get(name)!.map(({ date, severity, method }) => ({ date, severity, method }))
      expect(found, name).to.deep.equal(days)
      upgraded += days.filter(({ method }) => method === 'zscore').length
    }
    expect(upgraded).to.be.above(5)
  })

  it('is compared with arithmetic that gives the recorded deviations over 14 days too', () => {
    let compared = 0
    for (const [name, { days }] of expected)
      for (const day of days) {
        if (day.z14 === null) continue
        compared++
        expect(deviations({ days }, day, 14, 2), `${name} ${day.date}`).to.be.closeTo(day.z14, 1e-6)
      }
    expect(compared).to.be.above(500)
  })

  const wholes = [
    {
      title: 'a subscription',
      bill: () => [...azureDaily(folder)].map(azureLine),
      names: ['azure subscription TOTAL (org)|org'],
    },
    {
      title: 'an organization, its projects and its categories',
      bill: () =>
        gcpShares(folder)
          .filter(({ day }) => day < '2018-03-10')
          .map(shareLine),
      names: [
        'mybinder TOTAL (org)|org',
        'mybinder project binder-prod|cloud_account|binder-prod',
        'mybinder project binder-staging|cloud_account|binder-staging',
        'mybinder category compute-engine|resource|compute-engine',
      ],
    },
  ]
  for (const { title, bill, names } of wholes)
    it(`of ${title} is stored without repeats by the daily runs: what differs by 20 % within the week is new [ANOM-04] [ANOM-09] [ANOM-30] [ANOM-31]`, async () => {
      const org = await tenant()
      const lines = bill()
      await org.publish(billingLine, lines)
      const last = lines.at(-1)!.usageDate!
      const wanted = names.map((text) => {
        const [name, type, key = org.orgId] = text.split('|')
        const one = expected.get(name!)!
        const days = one.days.filter(({ date }) => date <= last)
        return { id: `${type}|${key}`, days: { days }, left: one.afterDedup.filter((date) => date <= last) }
      })
      const dates = new Set(wanted.flatMap(({ days }) => flagged(days).map(({ date }) => date)))
      for (const date of [...dates].toSorted()) await detect(org, date)
      const rows = await org.facts<{ id: string; day: string }>(
        `SELECT concat(anomaly_type, '|', anomaly_key) AS id, toString(date) AS day FROM anomalies
         WHERE org_id = {org:String} AND date <= {last:Date32} ORDER BY id, day`,
        { last },
      )
      for (const { id, left } of wanted)
        expect(
          rows.filter((row) => row.id === id).map(({ day }) => day),
          id,
        ).to.deep.equal(left)
    })
})

/** Every recorded series under the name of what is expected of it. */
function recorded(folder: string): ReadonlyMap<string, Daily> {
  const projects = gcpDaily(folder, 'project')
  const services = awsDaily(folder)
  return new Map<string, Daily>([
    ...[...projects].map(([name, daily]) => [`mybinder project ${name}`, daily] as const),
    ...[...gcpDaily(folder, 'category')].map(([name, daily]) => [`mybinder category ${name}`, daily] as const),
    ...[...services].map(([name, daily]) => [`aws-ce service ${name}`, daily] as const),
    ['mybinder TOTAL (org)', total(projects)],
    ['aws-ce TOTAL (org)', total(services)],
    ['azure subscription TOTAL (org)', azureDaily(folder)],
  ])
}

const line = (usageDate: string, cloudAccountId: string, resourceUid: string, costUSD: string): BillingLine => ({
  lineId: `${usageDate}/${resourceUid}`,
  cloudAccountId,
  provider: 'gcp',
  resourceUid,
  serviceName: 'compute',
  resourceType: resourceUid,
  usageDate,
  costUSD,
  source: 'actual',
  exportedAt: '2026-01-01T00:00:00Z',
})

const pieceLine = ({ series, resourceUid, day, cost }: PieceDay) => line(day, series, resourceUid, cost.toFixed(12))
const azureLine = ([day, cost]: readonly [string, number]) => line(day, 'subscription', 'all', cost.toFixed(12))

/** Projects are accounts, categories resources. */
const shareLine = ({ day, project, category, cost }: Share) => line(day, project, category, cost)
