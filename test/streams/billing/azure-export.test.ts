import { expect } from 'chai'
import { accepted, codes, csv, lines } from '#test/streams/billing/reading.ts'

const id = '/subscriptions/S1/resourceGroups/COSTMGMT/providers/Microsoft.Compute/virtualMachines/test-vm-1'
const legacy = {
  SubscriptionGuid: 'S1',
  ResourceGroup: 'COSTMGMT',
  ResourceLocation: 'US East 2',
  UsageDateTime: '2019-07-29 00:00:00',
  MeterCategory: 'Bandwidth',
  UsageQuantity: '0.000004',
  PreTaxCost: '0.00010368',
  InstanceId: id,
  Currency: 'USD',
}
const modern = {
  SubscriptionId: 's1',
  Date: '09/04/2023',
  MeterCategory: 'Storage',
  Cost: '1.5',
  ResourceId: id,
  BillingCurrency: 'USD',
  ChargeType: 'Usage',
  PricingModel: 'OnDemand',
}

describe('an Azure cost export', () => {
  it('reads every spelling of its columns to the same line', async () => {
    const camel = Object.fromEntries(
      Object.entries(legacy).map(([name, value]) => [name[0]!.toLowerCase() + name.slice(1), value]),
    )
    const [first] = await lines(`\uFEFF${csv(legacy)}`)
    const [second] = await lines(`\uFEFF${csv(camel)}`)
    const { lineId, ...line } = first!
    expect(second).to.deep.equal(first)
    expect(lineId).to.match(/^2019-07-29\/[0-9a-f]{32}$/)
    expect(line).to.deep.equal({
      BilledCost: '0.00010368',
      BillingCurrency: 'USD',
      ChargeCategory: 'Usage',
      ChargePeriodStart: '2019-07-29 00:00:00',
      SubAccountId: 's1',
      ServiceName: 'Bandwidth',
      ResourceId: id.toLowerCase(),
      ResourceName: 'test-vm-1',
      ResourceType: 'microsoft.compute/virtualmachines',
      RegionId: 'eastus2',
      ConsumedQuantity: '0.000004',
      PricingQuantity: '0.000004',
      purchaseType: 'on_demand',
      ServiceProviderName: 'Microsoft',
      InvoiceIssuerName: 'Microsoft',
      exportedAt: '2026-02-01T00:00:00.000Z',
      cloudAccountId: 'acct-1',
    })
  })

  it('reads days as months first, with or without leading zeros, or ISO', async () => {
    const days = ['09/21/2023', '9/2/2023', '2020-09-22', '2019-07-29 00:00:00', '8/1/2019 12:00:00 AM']
    const found = await accepted(csv(...days.map((Date) => ({ ...modern, Date }))))
    expect(found.map(({ cost }) => cost.x_Day)).to.deep.equal([
      '2023-09-21',
      '2023-09-02',
      '2020-09-22',
      '2019-07-29',
      '2019-08-01',
    ])
    expect(await codes(csv({ ...modern, Date: '21/09/2023' }, { ...modern, Date: '' }))).to.deep.equal([
      'date_invalid',
      'date_missing',
    ])
  })

  it('takes the cost in the billing currency where there are several', async () => {
    const { Cost, ...rest } = modern
    const found = await lines(csv({ ...rest, costInUsd: '9', costInBillingCurrency: '3' }, { ...rest, Cost }))
    expect(found.map(({ BilledCost }) => BilledCost)).to.deep.equal(['3', '1.5'])
  })

  it('reads tags with and without their braces', async () => {
    const found = await lines(
      csv(
        { ...modern, Tags: '"CostCenter": "1234","env": "prod"' },
        { ...modern, Tags: '{"project":"p1"}' },
        { ...modern, Tags: '' },
        { ...modern, Tags: '{}' },
      ),
    )
    expect(found.map(({ Tags }) => Tags)).to.deep.equal([
      { CostCenter: '1234', env: 'prod' },
      { project: 'p1' },
      undefined,
      {},
    ])
    expect(await codes(csv({ ...modern, Tags: 'env:prod' }))).to.deep.equal(['tags_invalid'])
  })

  it('sees one resource, and one line, where only the case differs', async () => {
    const [upper] = await lines(csv({ ...legacy }))
    const [lower] = await lines(
      csv({ ...legacy, ResourceGroup: 'costmgmt', InstanceId: id.toLowerCase(), SubscriptionGuid: 's1' }),
    )
    expect(lower!.ResourceId).to.equal(upper!.ResourceId)
    expect(lower!.lineId).to.equal(upper!.lineId)
  })

  it('says how it was bought', async () => {
    const found = await accepted(
      csv(
        { ...modern, PricingModel: 'Spot' },
        { ...modern, PricingModel: 'Reservation' },
        {
          ...modern,
          PricingModel: 'SavingsPlan',
          benefitId: '/providers/Microsoft.BillingBenefits/savingsPlanOrders/x',
        },
        { ...modern, PricingModel: '', ReservationId: 'r-1' },
        { ...modern, PricingModel: 'OnDemand' },
      ),
    )
    expect(found.map(({ cost }) => cost.x_PurchaseType)).to.deep.equal([
      'spot',
      'reserved',
      'savings_plan',
      'reserved',
      'on_demand',
    ])
  })

  it('keeps the term of a reservation, in months, with the price of the line', async () => {
    const found = await lines(
      csv(
        { ...modern, ChargeType: 'Purchase', ReservationId: 'r-1', Term: '36' },
        { ...modern, ReservationId: 'r-1', Term: '' },
        { ...modern, ReservationId: '', Term: '12' },
      ),
    )
    expect(found.map(({ SkuPriceDetails }) => SkuPriceDetails)).to.deep.equal([
      { x_PurchaseTerm: '36' },
      undefined,
      undefined,
    ])
  })

  it('puts every type of charge into a category of FOCUS', async () => {
    const types = ['Usage', 'Purchase', 'UnusedReservation', 'UnusedSavingsPlan', 'Refund', 'RoundingAdjustment', 'Tax']
    const found = await lines(csv(...types.map((ChargeType) => ({ ...modern, ChargeType }))))
    expect(found.map((line) => [line.ChargeCategory, line.ChargeClass, line.CommitmentDiscountStatus])).to.deep.equal([
      ['Usage', undefined, undefined],
      ['Purchase', undefined, undefined],
      ['Usage', undefined, 'Unused'],
      ['Usage', undefined, 'Unused'],
      ['Adjustment', 'Correction', undefined],
      ['Adjustment', undefined, undefined],
      ['Tax', undefined, undefined],
    ])
  })

  it('gives each spelling of a region one name', async () => {
    const places = [
      'EastUS2',
      'East US 2',
      'US East 2',
      'uksouth',
      'UK South',
      'EU West',
      'JA East',
      'US North Central',
      'US Gov Virginia',
      '',
    ]
    const found = await lines(csv(...places.map((ResourceLocation) => ({ ...modern, ResourceLocation }))))
    expect(found.map(({ RegionId }) => RegionId)).to.deep.equal([
      'eastus2',
      'eastus2',
      'eastus2',
      'uksouth',
      'uksouth',
      'westeurope',
      'japaneast',
      'northcentralus',
      'usgovvirginia',
      undefined,
    ])
  })

  it('ends a billing period with the first day after it', async () => {
    const [found] = await accepted(
      csv({ ...modern, BillingPeriodStartDate: '09/01/2023', BillingPeriodEndDate: '09/30/2023' }),
    )
    expect([found!.cost['BillingPeriodStart'], found!.cost['BillingPeriodEnd']]).to.deep.equal([
      '2023-09-01T00:00:00',
      '2023-10-01T00:00:00',
    ])
  })

  it('adds no currency to another: each row is turned into dollars or refused [GEN-09]', async () => {
    const content = csv(modern, { ...modern, BillingCurrency: 'CAD' }, { ...modern, BillingCurrency: 'MC' })
    expect(await codes(content, { rates: { CAD: '0.73' } })).to.deep.equal([
      'accepted',
      'accepted',
      'currency_without_rate',
    ])
  })
})
