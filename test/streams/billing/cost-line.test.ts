import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { costLine, lineDay, utc, type CostLine } from '#streams/billing/line/cost-line.ts'

const sentAt = new Date('2026-01-20T00:00:00Z')
const short = (more: Partial<BillingLine> = {}): BillingLine => ({
  lineId: '2026-01-15/x',
  cloudAccountId: 'acct-1',
  provider: 'aws',
  usageDate: '2026-01-15',
  costUSD: 1,
  ...more,
})
const focus = (more: Partial<BillingLine> = {}): BillingLine => ({
  lineId: 'x',
  cloudAccountId: 'acct-1',
  ServiceProviderName: 'AWS',
  ChargePeriodStart: '2026-01-15T22:00:00Z',
  BilledCost: '2',
  ...more,
})
const read = (line: BillingLine): CostLine => costLine(line, sentAt)

function codeOf(line: BillingLine): string {
  try {
    read(line)
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
  return 'accepted'
}

describe('costLine', () => {
  it('makes a whole row of a short line: one day, one cost in all four columns', () => {
    const line = short({
      serviceName: 'EC2',
      resourceUid: 'i-1',
      resourceType: 'cloud-a-ec2',
      region: 'us-east-1',
      usageHours: 24,
    })
    expect(read(line)).to.deep.equal({
      ResourceId: 'i-1',
      ServiceName: 'EC2',
      ResourceType: 'aws-ec2',
      RegionId: 'us-east-1',
      BilledCost: '1',
      EffectiveCost: '1',
      ContractedCost: '1',
      ListCost: '1',
      ChargePeriodStart: '2026-01-15T00:00:00',
      ChargePeriodEnd: '2026-01-16T00:00:00',
      ChargeCategory: 'Usage',
      x_LineId: '2026-01-15/x',
      x_CloudAccountId: 'acct-1',
      x_Provider: 'aws',
      x_Day: '2026-01-15',
      x_PurchaseType: 'on_demand',
      x_Source: 'actual',
      x_ExportedAt: '2026-01-20T00:00:00.000',
      x_UsageHours: 24,
    })
  })

  it('lets every FOCUS column win over its short form', () => {
    const line = focus({
      provider: 'gcp',
      ServiceName: 'Amazon S3',
      serviceName: 'other',
      ResourceId: 'r',
      resourceUid: 'other',
      RegionId: 'eu-west-1',
      region: 'other',
      ResourceType: 'bucket',
      resourceType: 'gcp-bucket',
      usageDate: '2020-01-01',
      costUSD: 9,
    })
    const { x_Provider, ServiceName, ResourceId, RegionId, ResourceType, x_Day, BilledCost } = read(line)
    expect([x_Provider, ServiceName, ResourceId, RegionId, ResourceType, x_Day, BilledCost]).to.deep.equal([
      'aws',
      'Amazon S3',
      'r',
      'eu-west-1',
      'bucket',
      '2026-01-15',
      '2',
    ])
  })

  it('reads names of older FOCUS versions, and the newer name where a row has both', () => {
    const line = {
      ...focus(),
      ServiceProviderName: null,
      ProviderName: 'Microsoft Azure',
      PublisherName: 'Contoso',
      Region: 'westeurope',
    }
    const { x_Provider, ServiceProviderName, HostProviderName, RegionId } = read({ ...line, RegionId: 'eastus' })
    expect([x_Provider, ServiceProviderName, HostProviderName, RegionId]).to.deep.equal([
      'azure',
      'Microsoft Azure',
      'Contoso',
      'eastus',
    ])
    expect(read(line)['RegionId']).to.equal('westeurope')
  })

  it('takes a cloud for who sells, made or invoices a line, for the host only where nobody sells, and any other by its name', () => {
    const of = (more: Partial<BillingLine>) => {
      const { x_Provider, ServiceProviderName } = read(focus({ ServiceProviderName: null, ...more }))
      return [x_Provider, ServiceProviderName]
    }
    const snowflake = { ServiceProviderName: 'Snowflake', HostProviderName: 'AWS', InvoiceIssuerName: 'Snowflake Inc.' }
    expect(of(snowflake)).to.deep.equal(['Snowflake', 'Snowflake'])
    expect(of({ ...snowflake, InvoiceIssuerName: 'Amazon Web Services, Inc.' })).to.deep.equal(['aws', 'Snowflake'])
    expect(of({ ProviderName: 'Reseller', PublisherName: 'Microsoft' })).to.deep.equal(['azure', 'Reseller'])
    expect(of({ HostProviderName: 'Google Cloud' })).to.deep.equal(['gcp', undefined])
    expect(of({ ProviderName: ' Oracle ' })).to.deep.equal(['Oracle', ' Oracle '])
    expect(of({ PublisherName: 'Datadog' })).to.deep.equal(['Datadog', 'Datadog'])
    expect(of({ ProviderName: 'MongoDB', provider: 'gcp' })).to.deep.equal(['gcp', 'MongoDB'])
    expect(of({ provider: 'other' })).to.deep.equal(['other', undefined])
  })

  it('refuses a line that names no provider before anything else of it', () => {
    expect(codeOf(focus({ ServiceProviderName: '', BilledCost: '$5' }))).to.equal('provider_unsupported')
    expect(codeOf(short({ provider: undefined! }))).to.equal('provider_unsupported')
    expect(codeOf(short({ provider: 'oracle' }))).to.equal('provider_unsupported')
    expect(read(short({ provider: 'cloud-b' })).x_Provider).to.equal('gcp')
  })

  it('names the reason of every other refusal', () => {
    const codes = [
      codeOf(focus({ BillingCurrency: 'CAD' })),
      codeOf(focus({ BillingCurrency: 'CAD', usdRate: 0 })),
      codeOf(focus({ BillingCurrency: 'CAD', usdRate: 'abc' })),
      codeOf(focus({ BilledCost: '12,50' })),
      codeOf(focus({ ListUnitPrice: 'free' })),
      codeOf(focus({ BillingCurrency: 'CAD', usdRate: '1e17', BilledCost: '1000' })),
      codeOf(focus({ BilledCost: null })),
      codeOf(focus({ ChargePeriodStart: '2026-02-30' })),
      codeOf(focus({ ChargePeriodEnd: '2023-02-01T30:00:00Z' })),
      codeOf(focus({ ChargePeriodStart: '' })),
      codeOf(focus({ Tags: '{broken' })),
    ]
    expect(codes).to.deep.equal([
      'currency_without_rate',
      'currency_without_rate',
      'currency_without_rate',
      'amount_invalid',
      'amount_invalid',
      'amount_invalid',
      'amount_missing',
      'date_invalid',
      'date_invalid',
      'date_missing',
      'tags_invalid',
    ])
  })

  it('turns amounts of another currency into dollars, exactly, and never the pricing currency [GEN-09]', () => {
    const line = focus({
      BillingCurrency: 'cad',
      usdRate: '0.73',
      BilledCost: '0.00000000000001',
      EffectiveCost: '-10',
      ListCost: '3.5',
      PricingCurrencyEffectiveCost: '10',
    })
    const { BilledCost, EffectiveCost, ListCost, PricingCurrencyEffectiveCost, BillingCurrency, x_UsdRate } = read(line)
    expect({
      BilledCost,
      EffectiveCost,
      ListCost,
      PricingCurrencyEffectiveCost,
      BillingCurrency,
      x_UsdRate,
    }).to.deep.equal({
      BilledCost: '0.00000000000001',
      EffectiveCost: '-7.3',
      ListCost: '2.555',
      PricingCurrencyEffectiveCost: '10',
      BillingCurrency: 'CAD',
      x_UsdRate: '0.73',
    })
  })

  it('needs no rate for US dollars, however they are spelled', () => {
    expect(read(focus({ BillingCurrency: ' usd ' }))['BillingCurrency']).to.equal('USD')
    expect(read(focus({ BillingCurrency: 'USD', usdRate: '5' })).BilledCost).to.equal('2')
  })

  it('keeps each of the four costs, and fills those that are missing', () => {
    const { BilledCost, EffectiveCost, ContractedCost, ListCost } = read(
      focus({ EffectiveCost: '0', ContractedCost: 3 }),
    )
    expect([BilledCost, EffectiveCost, ContractedCost, ListCost]).to.deep.equal(['2', '0', '3', '3'])
  })

  it('puts a line on the UTC day its charge begins', () => {
    const days = [
      '2024-09-18 22:00:00',
      '2024-09-18T22:00:00Z',
      '2024-09-18T22:00:00-05:00',
      '2024-09-18 22:00:00-05',
      '2024-09-18T22:00:00+0530',
      '2024-09-18 22:00:00 UTC',
      '2024-09-18T22:00',
      '2024-09-18',
      '2024-09-18T23:59:59.999999Z',
    ].map((ChargePeriodStart) => read(focus({ ChargePeriodStart })).x_Day)
    expect(days).to.deep.equal([
      '2024-09-18',
      '2024-09-18',
      '2024-09-19',
      '2024-09-19',
      '2024-09-18',
      '2024-09-18',
      '2024-09-18',
      '2024-09-18',
      '2024-09-18',
    ])
  })

  it('knows the day of a line without reading the rest of it', () => {
    for (const [line, day] of [
      [focus({ ChargePeriodStart: '2026-01-15T23:30:00-02:00' }), '2026-01-16'],
      [focus({ usageDate: '2026-01-20' }), '2026-01-15'],
      [short({ ChargePeriodStart: null }), '2026-01-15'],
      [short({ ChargePeriodStart: '' }), '2026-01-15'],
    ] as const) {
      expect([lineDay(line), read(line).x_Day]).to.deep.equal([day, day])
    }
    expect(lineDay(short({ costUSD: 'dear' }))).to.equal('2026-01-15')
    for (const text of ['soon', '2026-02-30']) {
      expect(() => lineDay(focus({ ChargePeriodStart: text }))).to.throw('ChargePeriodStart must be a date')
    }
    expect(() => lineDay(short({ usageDate: '' }))).to.throw('neither ChargePeriodStart nor usageDate')
  })

  it('reads times between 1970 and 2104 only', () => {
    expect(utc('2024-02-29T10:20:30.5Z', 'x', true)).to.equal('2024-02-29T10:20:30.500')
    for (const value of ['1969-12-31', '2105-01-01', '2023-02-29', '9/2/2023', 'yesterday', '']) {
      expect(() => utc(value, 'x'), value).to.throw(Fault, 'x must be a date')
    }
  })

  it('says how a line was bought: a commitment first, then the pricing category, then the short form', () => {
    const id = 'arn:aws:savingsplans::1:savingsplan/a'
    const types = [
      focus({ CommitmentDiscountId: 'r-1', CommitmentDiscountType: 'Reserved Instance', purchaseType: 'spot' }),
      focus({ CommitmentDiscountId: id }),
      focus({ CommitmentDiscountId: 'x', CommitmentDiscountType: 'Savings Plan' }),
      focus({ PricingCategory: 'Dynamic', purchaseType: 'reserved' }),
      focus({ PricingCategory: 'Committed' }),
      focus({ purchaseType: 'savings_plan' }),
      focus(),
    ].map((line) => read(line).x_PurchaseType)
    expect(types).to.deep.equal([
      'reserved',
      'savings_plan',
      'savings_plan',
      'spot',
      'reserved',
      'savings_plan',
      'on_demand',
    ])
  })

  it('keeps the categories of FOCUS in their own spelling and calls any other an adjustment', () => {
    const found = ['tax', 'CREDIT', 'Rounding', ''].map(
      (ChargeCategory) => read(focus({ ChargeCategory }))['ChargeCategory'],
    )
    expect(found).to.deep.equal(['Tax', 'Credit', 'Adjustment', 'Usage'])
  })

  it('keeps tags as text, in full characters, with keys that no object has of its own', () => {
    const Tags = '{"org":"a"," org":"b","__proto__":"c","flag":null,"n":5,"half":"\\ud800","":"no"}'
    const tags = read(focus({ Tags }))['Tags'] as Record<string, string>
    expect(Object.entries(tags)).to.deep.equal([
      ['org', 'a'],
      [' org', 'b'],
      ['__proto__', 'c'],
      ['flag', 'true'],
      ['n', '5'],
      ['half', '\uFFFD'],
    ])
  })

  it('cuts a long value of a tag without leaving half a character', () => {
    const tags = read(focus({ Tags: { long: `${'x'.repeat(2047)}😀` } }))['Tags'] as Record<string, string>
    expect(tags['long']).to.equal(`${'x'.repeat(2047)}\uFFFD`)
  })
})
