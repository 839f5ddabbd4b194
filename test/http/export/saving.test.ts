import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { answerOf, tenant, until, type Tenant } from '#test/harness/product.ts'

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
    await org.put('saving_daily', values)
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

  it('are by what saved them, each basis beside the others, and by another thing where asked [EXP-01]', async () => {
    const report = { report: 'savings', dimensions: [] }
    const figures = {
      open_estimated_usd: 0,
      estimated_usd: 5.4,
      observed_usd: 4,
      verified_usd: 3.5,
      saved_usd: 4.4,
      proved_days: 1,
      unproved_days: 0,
      realisation: 0.7,
    }
    expect(await exported(report)).to.deep.equal([{ source: 'recommendation', label: 'recommendation', ...figures }])
    const ofResource = { resource_uid: 'i-1', label: 'i-1', ...figures }
    expect(await exported({ ...report, dimensions: ['resource_uid'] })).to.deep.equal([ofResource])
    expect(await exported({ ...report, provider: ['gcp'] })).to.deep.equal([])
    const two = { ...report, format: 'csv', dimensions: ['source', 'rule_id'] }
    const { status, body } = await org.send('POST', '/reports/export', two)
    expect([status, body.errors.map((one: any) => [one.name, one.code])]).to.deep.equal([
      400,
      [['/dimensions', 'maxItems']],
    ])
  })
})

describe('exports of commitments', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    const plan = {
      cloudAccountId: 'acct-1',
      provider: 'aws' as const,
      serviceName: 'AmazonEC2',
      usageDate: '2026-01-10',
      exportedAt: '2026-01-11T00:00:00Z',
      purchaseType: 'savings_plan' as const,
      ChargeCategory: 'Usage',
      PricingCategory: 'Committed',
      CommitmentDiscountId: 'sp-1',
      CommitmentDiscountName: 'the plan',
      CommitmentDiscountType: 'Savings Plan',
      CommitmentDiscountCategory: 'Spend',
      RegionId: 'us-east-1',
    }
    const used = { lineId: 'u', costUSD: 6, ListCost: '9', EffectiveCost: '6', CommitmentDiscountStatus: 'Used' }
    const unused = { lineId: 'w', costUSD: 2, EffectiveCost: '2', CommitmentDiscountStatus: 'Unused' }
    await org.publish(billingLine, [used, unused].map((line) => ({ ...plan, ...line })) as never)
    const range = 'from=2026-01-01&to=2026-01-31'
    await until('the bill', async () => (await org.get(`/reports/summary?${range}`)).body.data.totalCostUSD === 8)
  })

  it('have a row each, with what of it is used, wasted and saved [EXP-01]', async () => {
    const asked = { report: 'commitments', format: 'csv', from: '2026-01-01', to: '2026-01-31' }
    const made = await org.send('POST', '/reports/export', asked)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const text = (await answerOf<string>(await fetch(made.body.data.downloadURL))).body
    expect(text).to.equal(
      [
        'commitment_id,commitment_type,provider,cloud_account_id,name,category,region,service_name,committed_usd,used_usd,unused_usd,utilization,on_demand_equivalent_usd,net_savings_usd,expires_on,days_left,status',
        'sp-1,Savings Plan,aws,acct-1,the plan,Spend,us-east-1,AmazonEC2,8,6,2,0.75,9,1,,,unknown',
        '',
      ].join('\r\n'),
    )
  })
})
