import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { focusFaults } from '#test/harness/focus-rules.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const charge = {
  cloudAccountId: 'acct-1',
  ChargePeriodStart: '2026-01-05T00:00:00Z',
  ChargePeriodEnd: '2026-01-06T00:00:00Z',
  BilledCost: '6',
}
const consumed = { ConsumedQuantity: '24', ConsumedUnit: 'Hrs', PricingQuantity: '24', PricingUnit: 'Hrs' }
const priced = { ...consumed, ListUnitPrice: '0.5', ContractedUnitPrice: '0.25', SkuId: 'sku', SkuPriceId: 'price' }
const plan = { CommitmentDiscountId: 'arn:aws:savingsplans::1:savingsplan/2', CommitmentDiscountType: 'Savings Plan' }
const arn = 'arn:aws:ec2:us-east-1:123456789012:natgateway/nat-1'

/** What a line knows without saying it under the column that FOCUS has for it. */
const lines: BillingLine[] = [
  { ...charge, ...priced, lineId: 'demand', provider: 'aws', SubAccountId: '12', ResourceId: arn },
  { ...charge, ...priced, lineId: 'spot', provider: 'gcp', purchaseType: 'spot', SubAccountId: 'p', ResourceId: 'vm' },
  { ...charge, ...priced, ...plan, lineId: 'plan', provider: 'aws', ResourceId: 'i-0a1b' },
  { ...charge, ...consumed, ...plan, lineId: 'unused', provider: 'aws', CommitmentDiscountStatus: 'Unused' },
  { ...charge, ...consumed, ...plan, lineId: 'bought', provider: 'aws', ChargeCategory: 'Purchase' },
  { ...charge, ...priced, lineId: 'tax', provider: 'azure', ChargeCategory: 'Tax', SkuMeter: 'm', SubAccountId: 's' },
  {
    ...charge,
    ...priced,
    lineId: 'krone',
    BillingCurrency: 'NOK',
    usdRate: '0.1',
    PricingCurrency: 'NOK',
    ServiceProviderName: 'Google',
    ResourceId: 'arn:aws:sns:us-east-1:123456789012:topic:subscription',
  },
  {
    ...charge,
    lineId: 'bare',
    provider: 'azure',
    ChargeCategory: 'Credit',
    ResourceId: 'i-0a1b',
    BillingAccountId: 'b',
  },
]

describe('the FOCUS export of what a line knows', () => {
  let org: Tenant
  let rows: Record<string, Record<string, string>>
  const of = (...columns: string[]) =>
    Object.fromEntries(Object.entries(rows).map(([id, row]) => [id, columns.map((name) => row[name])]))

  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [
      {
        resourceUid: 'vm',
        name: 'vm',
        type: 'gcp-vm',
        provider: 'gcp',
        cloudAccountId: 'acct-1',
        region: 'europe-west1',
      },
    ])
    await org.publish(billingLine, lines)
    const body = { report: 'focus', format: 'csv', from: '2026-01-01', to: '2026-01-31' }
    const made = await org.send('POST', '/reports/export', body)
    const text = await (await fetch(made.body.data.downloadURL)).text()
    const found = parse(text, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[]
    expect(focusFaults('1.4', Object.keys(found[0]!), found)).to.deep.equal([])
    rows = Object.fromEntries(found.map((row) => [row['x_LineId']!, row]))
  })

  it('says how it was priced, and whether a commitment was used', () => {
    expect(of('PricingCategory', 'CommitmentDiscountStatus')).to.deep.equal({
      demand: ['Standard', ''],
      spot: ['Dynamic', ''],
      plan: ['Committed', 'Used'],
      unused: ['Committed', 'Unused'],
      bought: ['Standard', ''],
      tax: ['', ''],
      krone: ['Standard', ''],
      bare: ['', ''],
    })
  })

  it('has consumed quantities of use alone, prices of everything but taxes, and units in the words of FOCUS', () => {
    const [use, none] = [
      ['24', 'Hours'],
      ['', ''],
    ]
    const columns = ['ConsumedQuantity', 'ConsumedUnit', 'PricingQuantity', 'PricingUnit', 'ListUnitPrice', 'SkuId']
    expect(of(...columns)).to.deep.equal({
      demand: [...use!, ...use!, '0.5', 'sku'],
      spot: [...use!, ...use!, '0.5', 'sku'],
      plan: [...use!, ...use!, '0.5', 'sku'],
      unused: [...none!, ...use!, '', ''],
      bought: [...none!, ...use!, '', ''],
      tax: [...none!, ...none!, '', ''],
      krone: [...use!, ...use!, '0.05', 'sku'],
      bare: [...none!, ...none!, '', ''],
    })
    expect(of('ContractedUnitPrice', 'SkuMeter', 'SkuPriceId')['tax']).to.deep.equal(['', '', ''])
  })

  it('has prices and costs in the pricing currency where that is the dollar or the currency of the bill', () => {
    const columns = ['ListUnitPrice', 'ContractedUnitPrice', 'EffectiveCost'].map((name) => `PricingCurrency${name}`)
    expect(of('PricingCurrency', ...columns, 'EffectiveCost')).to.deep.equal({
      demand: ['USD', '0.5', '0.25', '6', '6'],
      spot: ['USD', '0.5', '0.25', '6', '6'],
      plan: ['USD', '0.5', '0.25', '6', '6'],
      unused: ['USD', '', '', '6', '6'],
      bought: ['USD', '', '', '6', '6'],
      tax: ['USD', '', '', '6', '6'],
      krone: ['NOK', '0.5', '0.25', '6', '0.6'],
      bare: ['USD', '', '', '6', '6'],
    })
  })

  it('names types of accounts and resources, and one party by one name', () => {
    expect(of('SubAccountType', 'ResourceType', 'x_ResourceType', 'BillingAccountName')).to.deep.equal({
      demand: ['Account', 'natgateway', '', 'acct-1'],
      spot: ['Project', 'gcp-vm', '', 'acct-1'],
      plan: ['', 'instance', '', 'acct-1'],
      unused: ['', '', '', 'acct-1'],
      bought: ['', '', '', 'acct-1'],
      tax: ['Subscription', '', '', 'acct-1'],
      krone: ['', '', '', 'acct-1'],
      bare: ['', '', '', 'b'],
    })
    expect(of('ServiceProviderName', 'InvoiceIssuerName')).to.deep.include({
      demand: ['AWS', 'AWS'],
      krone: ['Google', 'Google'],
    })
  })
})
