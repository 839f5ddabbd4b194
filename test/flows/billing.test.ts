import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('bills, from the stream to the facts', () => {
  let org: Tenant
  const account = 'acct-1'
  const line = (lineId: string, day: string, costUSD: number | string, more: object = {}) => ({
    lineId,
    cloudAccountId: account,
    provider: 'aws',
    resourceUid: 'r1',
    serviceName: 'ec2',
    usageDate: day,
    costUSD,
    exportedAt: `${day}T12:00:00Z`,
    ...more,
  })
  const daily = async () =>
    Object.fromEntries(
      (
        await org.facts<{ day: string; cost: string }>(
          'SELECT toString(day) AS day, toString(sum(billed_cost)) AS cost FROM cost_daily WHERE org_id = {org:String} GROUP BY day ORDER BY day',
        )
      ).map(({ day, cost }) => [day, cost]),
    )
  /** Three deliveries, one after the other: each case has resources and days of its own. */
  before(async () => {
    org = await tenant()
    await org.publish(billingLine, [
      line('e1', '2026-01-05', 100, { source: 'estimate' }),
      line('e2', '2026-01-06', 30, { source: 'estimate', resourceUid: 'r2' }),
      line('m1', '2026-04-05', 10),
      line('m2', '2026-04-05', 1),
      line('x1', '2026-03-02', '0.0000000001'),
      line('x2', '2026-03-02', '1e-10'),
    ])
    first = await daily()
    const newest = line('o1', '2026-06-05', 90, { exportedAt: '2026-06-09T00:00:00Z' })
    const older = line('o1', '2026-06-05', 70, { exportedAt: '2026-06-08T00:00:00Z' })
    await org.publish(billingLine, [
      line('a1', '2026-01-05', 92.5, { source: 'actual' }),
      line('m1', '2026-05-06', 12, { exportedAt: '2026-05-07T00:00:00Z' }),
      line('x3', '2025-12-31', '-5.25', { ChargeCategory: 'Credit' }),
      newest,
      ...Array.from({ length: 10 }, () => newest),
      older,
      line('bad1', '2026-07-05', 1, { provider: 'oracle' }),
      line('bad2', '2026-07-05', 1, { BilledCost: '1', BillingCurrency: 'NOK' }),
      line('good', '2026-07-05', 1, { BilledCost: '10', BillingCurrency: 'NOK', usdRate: '0.1', lineId: randomUUID() }),
    ])
    second = await daily()
    await org.publish(billingLine, [
      line('a1', '2026-01-05', 90, { source: 'actual', exportedAt: '2026-01-07T00:00:00Z' }),
      // An older export says nothing any more.
      line('m1', '2026-04-05', 99, { exportedAt: '2026-04-06T00:00:00Z' }),
    ])
    third = await daily()
  })
  let [first, second, third]: Record<string, string>[] = []
  const day = (date: string) => [first![date], second![date], third![date]]

  it('ignores the estimates of a resource and day as soon as an actual line exists for it, and takes restatements [BILL-09]', () => {
    expect(day('2026-01-05')).to.deep.equal(['100', '92.5', '90'])
    expect(day('2026-01-06'), 'of another resource').to.deep.equal(['30', '30', '30'])
  })

  it('counts a line once however often it is published, and keeps the newest export of it [STREAM-06]', async () => {
    expect(day('2026-06-05')).to.deep.equal([undefined, '90', '90'])
    const lines = await org.facts(
      "SELECT count() AS n FROM cost_lines WHERE x_OrgId = {org:String} AND toDate(ChargePeriodStart) = '2026-06-05'",
    )
    expect(Number(lines[0]!.n)).to.equal(1)
  })

  it('moves a line to the day its restatement says, off the old one, and no older export moves it back', () => {
    expect(day('2026-04-05')).to.deep.equal(['11', '1', '1'])
    expect(day('2026-05-06')).to.deep.equal([undefined, '12', '12'])
  })

  it('takes late lines into their own day and keeps the smallest amounts exactly', () => {
    expect(day('2026-03-02')).to.deep.equal(['0.0000000002', '0.0000000002', '0.0000000002'])
    expect(day('2025-12-31')).to.deep.equal([undefined, '-5.25', '-5.25'])
  })

  it('sets a line aside whose provider or currency it cannot account for, with the reason', async () => {
    expect(day('2026-07-05')).to.deep.equal([undefined, '1', '1'])
    const dead = await org.connections.store.pool.query(
      'select code from dead_letter where org_id = $1 order by code',
      [org.orgId],
    )
    expect(dead.rows.map((row) => row.code)).to.deep.equal(['currency_without_rate', 'provider_unsupported'])
  })

  deepIt('moves a line back to the day it came from', async () => {
    await org.publish(billingLine, [line('m1', '2026-04-05', 13, { exportedAt: '2026-08-01T00:00:00Z' })])
    expect(await daily())
      .to.include({ '2026-04-05': '14' })
      .and.to.not.have.property('2026-05-06')
  })
})
