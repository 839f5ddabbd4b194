import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

const days = Array.from({ length: 31 }, (_, i) => `2026-01-${String(i + 1).padStart(2, '0')}`)

describe('days of many accounts in one run', () => {
  it('are summed once, though statements are cut between them and organizations call accounts alike [STREAM-05] [GEN-10]', async () => {
    const ch = await testClickHouse()
    const [one, other] = [randomUUID(), randomUUID()].toSorted() as [string, string]
    // Some 40 days of accounts with such names fit a statement: the first is cut within an account of the first organization.
    const [first, second] = ['a', 'b'].map((name) => name.repeat(300)) as [string, string]
    const accounts: [string, string][] = [
      [one, first],
      [one, second],
      [other, first],
    ]
    const all = accounts.flatMap(([orgId, cloudAccountId]) => days.map((day) => ({ orgId, cloudAccountId, day })))
    const values = all.map(({ orgId, cloudAccountId, day }) =>
      fact(orgId, `${cloudAccountId}-${day}`, 1, { x_CloudAccountId: cloudAccountId, x_Day: day }),
    )
    await ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values })
    expect(await recomputeCostDays(ch, all, '1')).to.equal(true)
    for (const view of ['cost_daily', 'cost_service_daily', 'usage_daily']) {
      const query = `SELECT org_id, cloud_account_id, toFloat64(sum(billed_cost)) AS usd FROM ${view}
        WHERE org_id IN {orgs:Array(String)} GROUP BY ALL ORDER BY ALL`
      const result = await ch.query({ query, query_params: { orgs: [one, other] }, format: 'JSONEachRow' })
      const expected = accounts.map(([org_id, cloud_account_id]) => ({ org_id, cloud_account_id, usd: 31 }))
      expect(await result.json(), view).to.deep.equal(expected)
    }
  })
})
