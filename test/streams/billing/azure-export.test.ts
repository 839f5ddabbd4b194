import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import * as reading from '#test/streams/billing/reading.ts'

const { csv } = reading
/** Of bills that name no billing period nobody could tell how their one date is meant. */
const dates = 'month-first'
const accepted = (content: string) => reading.accepted(content, { dates })
const lines = (content: string) => reading.lines(content, { dates })
const codes = (content: string, more = {}) => reading.codes(content, { dates, ...more })

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

  it('finds out over the whole file whether dates have their day or their month first', async () => {
    const days = async (rows: Record<string, string>[], more = {}) =>
      (await reading.accepted(csv(...rows.map((row) => ({ ...modern, ...row }))), more)).map(({ cost }) => cost.x_Day)
    const period = { BillingPeriodStartDate: '01/02/2026', BillingPeriodEndDate: '28/02/2026' }
    // A day above 12, anywhere, in the billing period too.
    expect(await days([{ Date: '05/02/2026' }, { Date: '25/02/2026' }])).to.deep.equal(['2026-02-05', '2026-02-25'])
    expect(await days([{ Date: '05/02/2026', ...period }])).to.deep.equal(['2026-02-05'])
    expect(await days([{ Date: '05.02.2026' }])).to.deep.equal(['2026-02-05'])
    // The billing period that the charge lies in.
    const march = { BillingPeriodStartDate: '01/03/2026', BillingPeriodEndDate: '12/03/2026' }
    expect(await days([{ Date: '05/03/2026', ...march }])).to.deep.equal(['2026-03-05'])
    // Days of one month, and not one day of several months.
    expect(await days([{ Date: '05/02/2025' }, { Date: '06/02/2025' }])).to.deep.equal(['2025-02-05', '2025-02-06'])
    expect(await days([{ Date: '02/05/2025' }, { Date: '02/06/2025' }])).to.deep.equal(['2025-02-05', '2025-02-06'])
    // What lies behind the export cannot have been charged.
    expect(await days([{ Date: '05/01/2026' }])).to.deep.equal(['2026-01-05'])
    // What is known from elsewhere, or asked for.
    expect(await days([{ Date: '05/02/2025' }], { month: '2025-05' })).to.deep.equal(['2025-05-02'])
    expect(await days([{ Date: '05/02/2025' }], { dates: 'day-first' })).to.deep.equal(['2025-02-05'])
  })

  it('refuses a file of which nobody knows how its dates are meant, or that mixes both ways', async () => {
    const refused = async (...days: string[]) => {
      const error: unknown = await reading
        .accepted(csv(...days.map((Date) => ({ ...modern, Date }))))
        .catch((e: unknown) => e)
      return error instanceof Fault && [error.code, error.message]
    }
    expect(await refused('05/02/2025')).to.deep.equal([
      'dates_ambiguous',
      '05/02/2025 is 2025-02-05 or 2025-05-02, and the file does not show which. Specify whether its dates are day-first or month-first.',
    ])
    expect(await refused('25/02/2025', '02/26/2025')).to.deep.equal([
      'dates_mixed',
      'The file mixes date orders: 25/02/2025 is day-first, 02/26/2025 is month-first.',
    ])
  })

  it('warns of a charge that lies more than a month outside of its billing period', async () => {
    const period = { BillingPeriodStartDate: '02/01/2026', BillingPeriodEndDate: '02/28/2026' }
    const rows = ['12/31/2025', '01/01/2026', '03/31/2026', '04/01/2026'].map((Date) => ({
      ...modern,
      ...period,
      Date,
    }))
    const found = await accepted(csv(...rows))
    expect(found.map(({ warnings }) => warnings?.map(({ code }) => code))).to.deep.equal([
      ['charge_outside_period'],
      undefined,
      undefined,
      ['charge_outside_period'],
    ])
  })

  it('comes to the dollars that it says itself, by costs or by its exchange rate, before a rate that is given [GEN-09]', async () => {
    const { Cost: _cost, ...euro } = { ...modern, BillingCurrency: 'EUR', CostInBillingCurrency: '9' }
    const found = await reading.accepted(
      csv(
        { ...euro, CostInUsd: '10', PaygCostInBillingCurrency: '18' },
        { ...euro, PricingCurrency: 'USD', CostInPricingCurrency: '10.5', ExchangeRatePricingToBilling: '0.9' },
        { ...euro, PricingCurrency: 'USD', ExchangeRatePricingToBilling: '0.9' },
        { ...euro, PricingCurrency: 'GBP', ExchangeRatePricingToBilling: '0.9' },
      ),
      { dates, rates: { EUR: '2' } },
    )
    expect(
      found.map(({ cost }) => [cost.BilledCost, cost.ListCost, cost.x_UsdRate, cost.x_UsdRateSource]),
    ).to.deep.equal([
      ['10', '20', '1.111111111111', 'bill'],
      ['10.5', '10.5', '1.111111111111', 'bill'],
      ['10', '10', '1.111111111111', 'bill'],
      ['18', '18', '2', 'given'],
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
    expect(await codes(csv({ ...modern, Tags: 'env:prod' }))).to.deep.equal(['accepted'])
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

  it('warns once where actual and amortized costs come together: they are the same costs', async () => {
    const bought = { ...modern, ChargeType: 'Purchase', CostInBillingCurrency: '100', ReservationId: 'r-1' }
    const [free, used] = ['0', '3'].map((cost) => ({ ...bought, ChargeType: 'Usage', CostInBillingCurrency: cost }))
    const unused = { ...bought, ChargeType: 'UnusedReservation', CostInBillingCurrency: '0.5' }
    const plain = { ...modern, ChargeType: 'Purchase', ReservationId: '' }
    const warned = async (...rows: (typeof modern)[]) =>
      (await accepted(csv(...rows))).map(({ warnings = [] }) => warnings.map(({ code }) => code).join())
    expect(await warned(bought, free!, plain)).to.deep.equal(['', '', ''])
    expect(await warned(used!, unused, plain)).to.deep.equal(['', '', ''])
    expect(await warned(bought, free!, used!, unused)).to.deep.equal(['', '', 'costs_twice', ''])
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
