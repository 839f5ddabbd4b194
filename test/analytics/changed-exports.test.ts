import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

describe('a recomputed day', () => {
  it('is not published if the current exports have changed while it was computed [STREAM-05]', async () => {
    const ch = await testClickHouse()
    const org = `org-${randomUUID()}`
    const bill = (id: string, usd: number) =>
      ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values: [fact(org, id, usd)] })
    const recompute = (generation: string, isCurrent: boolean) =>
      recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], generation, {
        stands: async () => isCurrent,
      })
    const costs = async () => {
      const query = 'SELECT toString(sum(billed_cost)) AS usd FROM cost_daily WHERE org_id = {org:String}'
      const rows = await ch.query({ query, query_params: { org }, format: 'JSONEachRow' })
      return rows.json<{ usd: string }>()
    }
    await bill('l1', 1)
    expect(await recompute('1', true)).to.equal(true)
    await bill('l2', 2)
    expect(await recompute('2', false)).to.equal(false)
    expect(await costs()).to.deep.equal([{ usd: '1' }])
    expect(await recompute('3', true)).to.equal(true)
    expect(await costs()).to.deep.equal([{ usd: '3' }])
  })
})
