import { expect } from 'chai'
import { accepted, codes, csv, lines } from '#test/streams/billing/reading.ts'

const row = {
  BilledCost: '0.00000080000',
  EffectiveCost: '0',
  BillingCurrency: 'USD',
  ChargePeriodStart: '2024-09-18 22:00:00',
  ChargePeriodEnd: '2024-09-18 23:00:00',
  ChargeCategory: 'Usage',
  ProviderName: 'AWS',
}

describe('a FOCUS bill', () => {
  it('passes its columns on under their own names, amounts as the text they are', async () => {
    const [line] = await lines(
      csv({ ...row, Id: 7, x_Note: 'n', Tags: '{"org":"a"," org":"b"}', SkuPriceDetails: '{"a":1}' }),
    )
    const { lineId, ...rest } = line!
    expect(lineId).to.match(/^2024-09-18\/[0-9a-f]{32}$/)
    expect(rest).to.deep.equal({
      ...row,
      Tags: { org: 'a', ' org': 'b' },
      SkuPriceDetails: '{"a":1}',
      x_OtherColumns: { x_Id: '7', x_Note: 'n' },
      exportedAt: '2026-02-01T00:00:00.000Z',
      cloudAccountId: 'acct-1',
    })
  })

  it('keeps the term that Azure has in a column of its own with the price of the line', async () => {
    const azure = { ...row, CommitmentDiscountId: 'r-1', x_SkuTerm: '36' }
    const found = await lines(
      csv(
        { ...azure, SkuPriceDetails: '{"a":1}' },
        { ...azure, SkuPriceDetails: '' },
        { ...azure, SkuPriceDetails: 'no object' },
        { ...azure, CommitmentDiscountId: '', SkuPriceDetails: '{"a":1}' },
      ),
    )
    expect(found.map(({ SkuPriceDetails }) => SkuPriceDetails)).to.deep.equal([
      { a: 1, x_PurchaseTerm: '36' },
      { x_PurchaseTerm: '36' },
      'no object',
      '{"a":1}',
    ])
  })

  it('names AWS resources as the inventory does', async () => {
    const found = await lines(
      csv(
        {
          ...row,
          ResourceId: 'arn:aws:ec2:eu-west-1:111122223333:natgateway/nat-0a1b',
          ServiceName: 'EC2',
          RegionId: '',
        },
        { ...row, ResourceId: 'books', ServiceName: 'Amazon Simple Storage Service', RegionId: 'cn-north-1' },
        { ...row, ResourceId: 'books', ServiceName: 'Other', RegionId: 'cn-north-1' },
      ),
    )
    expect(found.map(({ ResourceId }) => ResourceId)).to.deep.equal(['nat-0a1b', 'arn:aws-cn:s3:::books', 'books'])
  })

  it('takes the text NULL, null and the empty text for nothing', async () => {
    const [found] = await accepted(
      csv({ ...row, ContractedCost: 'NULL', ListCost: '', Tags: 'NULL', ResourceId: 'null', RegionId: '' }),
    )
    expect(found!.line).to.not.have.any.keys('ContractedCost', 'ListCost', 'Tags', 'ResourceId', 'RegionId')
    expect([found!.cost.ContractedCost, found!.cost.ListCost]).to.deep.equal(['0.0000008', '0.0000008'])
  })

  it('reads names in any case or with underscores, and the columns of later versions', async () => {
    const [line] = await lines(
      'billed_cost,CHARGEPERIODSTART,ServiceProviderName,AllocatedTags\n1,2026-01-01,AWS,"{""a"":""b""}"\n',
    )
    const { BilledCost, ChargePeriodStart, ServiceProviderName, AllocatedTags } = line!
    expect({ BilledCost, ChargePeriodStart, ServiceProviderName, AllocatedTags }).to.deep.equal({
      BilledCost: '1',
      ChargePeriodStart: '2026-01-01',
      ServiceProviderName: 'AWS',
      AllocatedTags: { a: 'b' },
    })
  })

  it('refuses, with its reason, each row that could not be stored', async () => {
    const found = await codes(
      csv(
        { ...row },
        { ...row, ProviderName: 'Oracle' },
        { ...row, ProviderName: 'NULL' },
        { ...row, BilledCost: '$50.00 ' },
        { ...row, BilledCost: 'NULL' },
        { ...row, ChargePeriodStart: '4/1/25' },
        { ...row, ChargePeriodStart: '' },
        { ...row, BillingCurrency: 'MC' },
      ),
    )
    expect(found).to.deep.equal([
      'accepted',
      'accepted',
      'provider_unsupported',
      'amount_invalid',
      'amount_missing',
      'date_invalid',
      'date_missing',
      'currency_without_rate',
    ])
  })

  it('takes the provider of the command line only where a row names none', async () => {
    const content = csv({ ...row, ProviderName: '' }, { ...row, ProviderName: 'Oracle' })
    const found = await accepted(content, { provider: 'gcp' })
    expect(found.map(({ cost }) => cost.x_Provider)).to.deep.equal(['gcp', 'Oracle'])
    expect(await codes(content)).to.deep.equal(['provider_unsupported', 'accepted'])
    expect(await codes(content, { provider: 'other' })).to.deep.equal(['accepted', 'accepted'])
  })

  it('reads rows of JSON, where texts may be numbers and maps are objects', async () => {
    const json = JSON.stringify({ ...row, BilledCost: 1e-7, SubAccountId: 123, Tags: { a: 'b' }, RegionId: null })
    const [found] = await accepted(`${json}\n`)
    expect([found!.cost.BilledCost, found!.line.SubAccountId, found!.line.Tags, found!.line.RegionId]).to.deep.equal([
      '0.0000001',
      '123',
      { a: 'b' },
      undefined,
    ])
  })

  it('takes the time of the export from the row where it has one', async () => {
    const [line] = await lines(csv({ ...row, x_ExportTime: '2024-09-20 01:02:03' }))
    expect(line!.exportedAt).to.equal('2024-09-20T01:02:03.000Z')
    const [odd] = await accepted(csv({ ...row, x_ExportTime: 'soon' }))
    expect([odd!.cost.BilledCost, odd!.warnings?.map(({ message }) => message)]).to.deep.equal([
      '0.0000008',
      ['x_ExportTime must be a date between 1970 and 2104: soon The line was imported without it.'],
    ])
  })

  it('comes to the dollars that it says itself, before a rate that is given [GEN-09]', async () => {
    const euro = { ...row, BillingCurrency: 'EUR', BilledCost: '9', EffectiveCost: '4.5', ListCost: '18' }
    const found = await accepted(
      csv(
        { ...euro, x_BilledCostInUsd: '10', x_EffectiveCostInUsd: '5.1' },
        { ...euro, x_BillingExchangeRate: '0.9', x_PricingCurrency: 'USD' },
        { ...euro, BilledCost: '0', EffectiveCost: '0', ListCost: '0', x_BilledCostInUsd: '0' },
      ),
      { rates: { EUR: '2' } },
    )
    expect(
      found.map(({ cost }) => [cost.BilledCost, cost.EffectiveCost, cost.ListCost, cost.x_UsdRateSource]),
    ).to.deep.equal([
      ['10', '5.1', '20', 'bill'],
      ['10', '5', '20', 'bill'],
      ['0', '0', '0', 'bill'],
    ])
  })

  it('comes to the dollars of its effective cost where prices are in dollars, and is refused where that is nothing [GEN-09]', async () => {
    const yuan = {
      ...row,
      BillingCurrency: 'CNY',
      BilledCost: '7',
      EffectiveCost: '7',
      ListCost: '14',
      PricingCurrency: 'USD',
      PricingCurrencyEffectiveCost: '1',
    }
    const purchase = { ...yuan, BilledCost: '70', EffectiveCost: '0', PricingCurrencyEffectiveCost: '0' }
    const [first] = await accepted(csv(yuan))
    const { BilledCost, EffectiveCost, ListCost, x_UsdRateSource } = first!.cost
    expect([BilledCost, EffectiveCost, ListCost, x_UsdRateSource]).to.deep.equal(['1', '1', '2', 'bill'])
    expect(await codes(csv(purchase, { ...yuan, PricingCurrency: 'CNY' }))).to.deep.equal([
      'currency_without_rate',
      'currency_without_rate',
    ])
    const [paid] = await accepted(csv(purchase), { rates: { CNY: '0.14' } })
    expect([paid!.cost.BilledCost, paid!.cost.EffectiveCost]).to.deep.equal(['9.8', '0'])
  })
})
