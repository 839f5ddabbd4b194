import { expect } from 'chai'
import { answerOf, tenant, type Tenant } from '#test/harness/product.ts'

describe('exports of savings', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    const row = { org_id: org.orgId, cloud_account_id: 'acct-1', resource_uid: 'i-1', source: 'recommendation' }
    const days = [
      { day: '2026-01-10', saved: '4', estimated: '5', observed: '4', verified: '3.5' },
      { day: '2026-01-11', saved: '0.4', estimated: '0.4' },
    ]
    const values = days.map((one) => ({ ...row, source_id: 'r-1', provider: 'aws', x_Version: '1', ...one }))
    await org.connections.clickhouse.insert({ table: 'saving_daily', values, format: 'JSONEachRow' })
  })

  const exported = async (more: object): Promise<any[]> => {
    const asked = { report: 'costs', format: 'json', from: '2026-01-01', to: '2026-01-31', dimensions: ['provider'] }
    const made = await org.send('POST', '/reports/export', { ...asked, ...more })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return (await answerOf<any[]>(await fetch(made.body.data.downloadURL))).body as never
  }

  for (const [savings, usd] of [
    ['reported', 4.4],
    ['estimated', 5.4],
    ['observed', 4],
    ['verified', 3.5],
  ] as const)
    it(`are those that are ${savings}, where asked for [EXP-01]`, async () => {
      expect(await exported({ savings })).to.deep.equal([{ provider: 'aws', cost_usd: 0, savings_usd: usd }])
    })

  it('are those that were reported, unless asked for others', async () => {
    expect(await exported({})).to.deep.equal([{ provider: 'aws', cost_usd: 0, savings_usd: 4.4 }])
  })
})
