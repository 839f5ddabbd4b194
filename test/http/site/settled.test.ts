import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { billingLine } from '#streams/billing/messages.ts'
import { Sender } from '#engine/run/sender.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('POST /internal/settled', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))
  const settled = async (waitSeconds?: number) =>
    (
      await ask('POST', '/internal/settled', {
        body: { orgId: org.orgId, ...(waitSeconds !== undefined && { waitSeconds }) },
      })
    ).body

  it('answers once all that was published shows in reports', async () => {
    const sender = new Sender(org.product.get(tokens.publisher), randomUUID)
    const days = ['2026-01-01', '2026-01-02', '2026-01-03']
    for (const [n, usageDate] of days.entries()) {
      const data = {
        lineId: `${usageDate}/${n}`,
        cloudAccountId: 'a',
        provider: 'aws',
        serviceName: 'compute',
      } as const
      const cost = { usageDate, costUSD: '1.25', exportedAt: '2026-01-05T00:00:00Z' }
      await sender.add({ subject: billingLine, orgId: org.orgId, data: { ...data, ...cost } })
    }
    await sender.end()
    expect(await settled()).to.deep.equal({ settled: true, left: [] })
    const { body } = await org.get('/reports/summary?from=2026-01-01&to=2026-01-03')
    expect(body.data.totalCostUSD).to.equal(3.75)
  })

  it('lists what is still under way when the wait is over', async () => {
    const { store } = org.connections
    await store.rows(`insert into mark (org_id, projection, key, lane, stamp) values ($1, 'nobody', 'k', 0, 0)`, [
      org.orgId,
    ])
    // Lanes may have work of their own at any moment: only what was put there is asked about.
    const { settled: all, left } = await settled(0)
    expect(all).to.equal(false)
    expect(left).to.include('1 day to be added up')
    await store.rows(`delete from mark where org_id = $1`, [org.orgId])
    expect(await settled()).to.deep.equal({ settled: true, left: [] })
  })
})
