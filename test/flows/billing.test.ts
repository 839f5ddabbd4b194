import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { billingLine } from '#streams/billing.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

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
  beforeEach(async () => void (org = await tenant()))

  it('ignores the estimates of a resource and day as soon as an actual line exists for it, and takes restatements [BILL-09]', async () => {
    await org.publish(billingLine, [line('e1', '2026-01-05', 100, { source: 'estimate' })])
    expect(await daily()).to.deep.equal({ '2026-01-05': '100' })
    await org.publish(billingLine, [line('a1', '2026-01-05', 92.5, { source: 'actual' })])
    expect(await daily()).to.deep.equal({ '2026-01-05': '92.5' })
    await org.publish(billingLine, [
      line('a1', '2026-01-05', 90, { source: 'actual', exportedAt: '2026-01-07T00:00:00Z' }),
    ])
    expect(await daily()).to.deep.equal({ '2026-01-05': '90' })
  })

  it('counts a line once however often it is published, and keeps the newest export of it [STREAM-06]', async () => {
    const newest = line('a1', '2026-01-05', 90, { exportedAt: '2026-01-09T00:00:00Z' })
    const older = line('a1', '2026-01-05', 70, { exportedAt: '2026-01-08T00:00:00Z' })
    await org.publish(billingLine, [newest, ...Array.from({ length: 10 }, () => newest), older])
    expect(await daily()).to.deep.equal({ '2026-01-05': '90' })
    const lines = await org.facts('SELECT count() AS n FROM cost_lines WHERE x_OrgId = {org:String}')
    expect(Number(lines[0]!.n)).to.equal(1)
  })

  it('moves a line to the day its restatement says, and off the old one', async () => {
    await org.publish(billingLine, [line('m1', '2026-01-05', 10), line('m2', '2026-01-05', 1)])
    await org.publish(billingLine, [line('m1', '2026-02-06', 12, { exportedAt: '2026-02-07T00:00:00Z' })])
    expect(await daily()).to.deep.equal({ '2026-01-05': '1', '2026-02-06': '12' })
    await org.publish(billingLine, [line('m1', '2026-01-05', 99, { exportedAt: '2026-01-06T00:00:00Z' })])
    expect(await daily(), 'an older export says nothing any more').to.deep.equal({
      '2026-01-05': '1',
      '2026-02-06': '12',
    })
    await org.publish(billingLine, [line('m1', '2026-01-05', 13, { exportedAt: '2026-03-01T00:00:00Z' })])
    expect(await daily()).to.deep.equal({ '2026-01-05': '14' })
  })

  it('takes late lines into their own day and keeps the smallest amounts exactly', async () => {
    await org.publish(billingLine, [line('x1', '2026-03-02', '0.0000000001'), line('x2', '2026-03-02', '1e-10')])
    await org.publish(billingLine, [line('x3', '2025-12-31', '-5.25', { ChargeCategory: 'Credit' })])
    expect(await daily()).to.deep.equal({ '2025-12-31': '-5.25', '2026-03-02': '0.0000000002' })
  })

  it('sets a line aside whose provider or currency it cannot account for, with the reason', async () => {
    await org.publish(billingLine, [
      line('bad1', '2026-01-05', 1, { provider: 'oracle' }),
      line('bad2', '2026-01-05', 1, { BilledCost: '1', BillingCurrency: 'NOK' }),
      line('good', '2026-01-05', 1, { BilledCost: '10', BillingCurrency: 'NOK', usdRate: '0.1', lineId: randomUUID() }),
    ])
    expect(await daily()).to.deep.equal({ '2026-01-05': '1' })
    const dead = await org.connections.store.pool.query(
      'select code from dead_letter where org_id = $1 order by code',
      [org.orgId],
    )
    expect(dead.rows.map((row) => row.code)).to.deep.equal(['currency_without_rate', 'provider_unsupported'])
  })
})
