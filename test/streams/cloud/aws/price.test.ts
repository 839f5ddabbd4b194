/** AWS's price list, in the form that its API gives it, and what becomes of it. */
import { expect } from 'chai'
import { readProduct } from '#streams/cloud/aws/price/product.ts'
import { readAwsPrices } from '#streams/cloud/aws/price/prices.ts'
import { awsError, stubOf } from './stub.ts'
import { account } from './stub-session.ts'

type Prices = readonly (readonly [unit: string, usd: string])[]

const term = (prices: Prices, attributes: object = {}) => ({
  effectiveDate: '2026-11-01T00:00:00Z',
  priceDimensions: Object.fromEntries(prices.map(([unit, USD], n) => [`d${n}`, { unit, pricePerUnit: { USD } }])),
  termAttributes: attributes,
})

const lease = (years: string, payment: string, offering = 'standard') => ({
  LeaseContractLength: years,
  PurchaseOption: payment,
  OfferingClass: offering,
})

const product = (attributes: object, hourly: string, reserved: object = {}): string =>
  JSON.stringify({
    product: { attributes },
    terms: { OnDemand: { SKU: term([['Hrs', hourly]]) }, Reserved: reserved },
  })

/** 0.171 an hour. Per hour of a year: 0.1126; 481.8 / 8760 + 0.0537 = 0.1087; 945 / 8760 = 0.107877. Of three: 1,761 / 26280 = 0.067009. */
const database = (engine: string, usd: string) =>
  product({ instanceType: 'db.m5.large', databaseEngine: engine, storage: 'EBS Only' }, usd, {
    no: term([['Hrs', '0.1126']], lease('1yr', 'No Upfront')),
    partial: term(
      [
        ['Hrs', '0.0537'],
        ['Quantity', '481.8'],
      ],
      lease('1yr', 'Partial Upfront'),
    ),
    all: term(
      [
        ['Hrs', '0'],
        ['Quantity', '945'],
      ],
      lease('1yr', 'All Upfront'),
    ),
    long: term([['Quantity', '1761']], lease('3yr', 'All Upfront')),
    other: term([['Hrs', '0.01']], lease('1yr', 'No Upfront', 'convertible')),
  })

describe('a product of AWS’s price list', () => {
  it('costs on demand what its term says, and reserved what its payments come to by the hour', () => {
    const { usd: price, effectiveOn, reservedUsdHour } = readProduct(database('MySQL', '0.171'))!
    const rounded = Object.fromEntries(Object.entries(reservedUsdHour).map(([tier, usd]) => [tier, usd.toFixed(6)]))
    expect([price, effectiveOn, rounded]).to.deep.equal([
      0.171,
      '2026-11-01',
      {
        '1yr_no_upfront': '0.112600',
        '1yr_partial_upfront': '0.108700',
        '1yr_all_upfront': '0.107877',
        '3yr_all_upfront': '0.067009',
      },
    ])
  })

  it('has no price where the list says 0, or no price by the hour', () => {
    expect(readProduct(product({ instanceType: 'm5.large' }, '0.0000000000'))).to.equal(undefined)
    const byUse = { product: { attributes: {} }, terms: { OnDemand: { SKU: term([['GB-Mo', '0.08']]) } } }
    expect(readProduct(JSON.stringify(byUse))).to.equal(undefined)
    expect(readProduct(JSON.stringify(byUse), 'gb_month')?.usd).to.equal(0.08)
  })
})

describe('reading list prices of AWS', () => {
  const stored = (attributes: object, usd: string): string =>
    JSON.stringify({ product: { attributes }, terms: { OnDemand: { SKU: term([['GB-Mo', usd]]) } } })
  const products: Record<string, string[]> = {
    Storage: [
      stored({ volumeApiName: 'gp3', locationType: 'AWS Region' }, '0.088'),
      stored({ volumeApiName: 'gp3', locationType: 'AWS Outposts' }, '0.3'),
      stored({ locationType: 'AWS Region' }, '7'),
    ],
    'Storage Snapshot': [
      stored({ usagetype: 'EU-EBS:SnapshotUsage' }, '0.05'),
      stored({ usagetype: 'EU-EBS:SnapshotArchiveStorage' }, '0.0125'),
      stored({ usagetype: 'EU-EBS:SnapshotArchiveRetrieval' }, '0.03'),
    ],
    AmazonEC2: [
      product({ instanceType: 'm5.large', marketoption: 'OnDemand' }, '0.107'),
      product({ instanceType: 'm5.large', marketoption: 'CapacityBlock' }, '9'),
    ],
    AmazonRDS: [
      database('MySQL', '0.171'),
      database('PostgreSQL', '0.178'),
      database('Oracle', '0.5'),
      product(
        { instanceType: 'db.m5.large', databaseEngine: 'Aurora PostgreSQL', storage: 'Aurora IO Optimization Mode' },
        '0.4',
      ),
    ],
  }

  it('asks for each list of a region, page by page, and takes the smallest discount of a size', async () => {
    const stub = stubOf(({ input: { ServiceCode, Filters = [], NextToken } }) => {
      const family = Filters.find(({ Field }: { Field: string }) => Field === 'productFamily')?.Value ?? ''
      const all = products[family.startsWith('Storage') ? family : ServiceCode] ?? []
      const at = Number(NextToken ?? 0)
      return { PriceList: all.slice(at, at + 1), ...(at + 1 < all.length && { NextToken: String(at + 1) }) }
    })
    const pages = await Array.fromAsync(readAwsPrices(stub.open, account, ['eu-west-1']))
    const found = pages.flat().map(({ kind, region, name, field, value }) => [kind, region, name, field, value])
    // Of MySQL 0.1126 / 0.171 = 0.6585, of PostgreSQL 0.1126 / 0.178 = 0.6326.
    expect(found).to.deep.equal([
      ['ec2', 'eu-west-1', 'm5.large', 'usd_hour', 0.107],
      ['rds', 'eu-west-1', 'db.m5.large', 'usd_hour_mysql', 0.171],
      ['commitment', 'eu-west-1', 'aws-rds-reserved/db.m5.large', '1yr_no_upfront', 0.6585],
      ['commitment', 'eu-west-1', 'aws-rds-reserved/db.m5.large', '1yr_partial_upfront', 0.6357],
      ['commitment', 'eu-west-1', 'aws-rds-reserved/db.m5.large', '1yr_all_upfront', 0.6309],
      ['commitment', 'eu-west-1', 'aws-rds-reserved/db.m5.large', '3yr_all_upfront', 0.3919],
      ['rds', 'eu-west-1', 'db.m5.large', 'usd_hour_postgres', 0.178],
      ['storage', 'eu-west-1', 'aws-ebs-volume/gp3', 'usd_gb_month', 0.088],
      ['storage', 'eu-west-1', 'aws-ebs-snapshot/standard', 'usd_gb_month', 0.05],
      ['storage', 'eu-west-1', 'aws-ebs-snapshot/archive', 'usd_gb_month', 0.0125],
    ])
    const filters = stub.asked.map(({ service, region, input }) => [
      service,
      region,
      input.ServiceCode,
      input.Filters?.find(({ Field }: { Field: string }) => Field === 'regionCode')?.Value,
    ])
    expect(filters[0]).to.deep.equal(['pricing', 'us-east-1', 'AmazonEC2', 'eu-west-1'])
    expect(stub.asked.map(({ input }) => input.ServiceCode)).to.deep.equal([
      'AmazonEC2',
      'AmazonEC2',
      'AmazonRDS',
      'AmazonRDS',
      'AmazonRDS',
      'AmazonRDS',
      'AmazonElastiCache',
      'AmazonES',
      'AmazonRedshift',
      'AmazonMemoryDB',
      'AmazonEC2',
      'AmazonEC2',
      'AmazonEC2',
      'AmazonEC2',
      'AmazonEC2',
      'AmazonEC2',
      undefined,
    ])
    expect(stub.closed).to.equal(1)
  })

  it('reads what savings plans leave of the price of a size, and goes on without a list that AWS does not have', async () => {
    const rate = (planType: string, more: object, usd: string) => ({
      savingsPlanOffering: {
        planType,
        paymentOption: 'No Upfront',
        durationSeconds: 31_536_000,
        currency: 'USD',
        ...more,
      },
      rate: usd,
      unit: 'Hrs',
      usageType: 'EU-BoxUsage:m5.large',
    })
    const rates = [
      rate('Compute', {}, '0.0781'),
      rate('EC2Instance', { paymentOption: 'All Upfront', durationSeconds: 94_608_000 }, '0.0428'),
      rate('SageMaker', {}, '0.05'),
      { ...rate('Compute', {}, '0.01'), usageType: 'EU-UnusedBox:m5.large' },
      { ...rate('Compute', {}, '0.01'), usageType: 'EU-BoxUsage:m9.large' },
    ]
    const stub = stubOf(({ operation, input: { ServiceCode } }) => {
      if (operation === 'DescribeSavingsPlansOfferingRates') return { searchResults: rates }
      if (ServiceCode === 'AmazonEC2') return { PriceList: products['AmazonEC2'] }
      throw awsError('NotFoundException')
    })
    const found = (await Array.fromAsync(readAwsPrices(stub.open, account, ['eu-west-1']))).flat()
    // 0.0781 / 0.107 = 0.7299, and 0.0428 / 0.107 = 0.4.
    expect(found.slice(1)).to.deep.equal([
      {
        kind: 'commitment',
        region: 'eu-west-1',
        name: 'aws-compute-savings-plan/m5.large',
        field: '1yr_no_upfront',
        value: 0.7299,
      },
      {
        kind: 'commitment',
        region: 'eu-west-1',
        name: 'aws-ec2-instance-savings-plan/m5.large',
        field: '3yr_all_upfront',
        value: 0.4,
      },
    ])
  })

  it('names the permission that is missing', async () => {
    const stub = stubOf(() => {
      throw awsError('AccessDeniedException', 403)
    })
    const fault = await Array.fromAsync(readAwsPrices(stub.open, account, ['eu-west-1'])).catch(
      (error: unknown) => error,
    )
    expect((fault as { detail: object }).detail).to.include({ permission: 'pricing:GetProducts' })
  })
})
