import { expect } from 'chai'
import { ago, World } from '#test/harness/gathered.ts'
import { tenant } from '#test/harness/product.ts'

const run = { ServiceName: 'AmazonEC2', SkuMeter: 'BoxUsage:m5.large', ConsumedUnit: 'Hrs' }
const plan = { ...run, x_PurchaseType: 'savings_plan', CommitmentDiscountId: 'sp-1', BilledCost: '0' }

describe('recommendations of discounts and the report of commitments', () => {
  it('say the same of the same bill', async () => {
    const world = new World(await tenant())
    await world.discover('a-1', 'aws-account')
    await world.discover('sp-1', 'aws-savings-plan')
    await world.bill(
      [1, 'i-1', 30, { ...plan, CommitmentDiscountStatus: 'Used', ContractedCost: '48', ListCost: '50' }],
      [30, 'i-2', 6, { ...plan, CommitmentDiscountStatus: 'Used', ContractedCost: '0', ListCost: '12' }],
      [2, '', 12, { ...plan, CommitmentDiscountStatus: 'Unused', ContractedCost: '12' }],
      [3, 'i-1', 40, run],
      [31, 'i-1', 1000, run],
      [0, 'i-1', 1000, plan],
    )
    const { data } = (await world.org.get(`/reports/commitments?from=${ago(30)}&to=${ago(1)}`)).body
    const [one] = data.items
    const facts = await world.facts('sp-1', 'bill.')
    expect(facts).to.include({
      'bill.cost_30d': Number(one.committedUSD),
      'bill.unused_30d': Number(one.unusedUSD),
      'bill.utilization_30d': one.utilization,
      'bill.covered_on_demand_equivalent_30d': Number(one.onDemandEquivalentUSD),
    })
    const account = await world.facts('a-1', 'bill.')
    expect(account['bill.service.compute.coverage_30d']).to.equal(data.totals.coverage)
    expect([one.utilization, data.totals.coverage], 'by hand: 36 of 48, 60 of 100').to.deep.equal([0.75, 0.6])
  })
})
