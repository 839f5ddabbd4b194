import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { AcceptedLine } from '#streams/billing/row/reading.ts'
import { focusFaults, focusRules, type FocusRow } from '#test/harness/focus-rules.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt, sample } from '#test/harness/tier.ts'

const day = { ChargePeriodStart: '2026-01-05T00:00:00Z', ChargePeriodEnd: '2026-01-05T01:00:00Z' }

/** What producers send: little, all there is, another currency, an estimate that an actual line replaced, and a tax. */
const lines: BillingLine[] = [
  { lineId: 'short', cloudAccountId: 'acct-1', provider: 'gcp', usageDate: '2026-01-04', costUSD: '0.10000000000001' },
  {
    ...day,
    lineId: 'full',
    cloudAccountId: 'acct-1',
    BilledCost: '12.34567890123456',
    EffectiveCost: '11',
    ContractedCost: '13',
    ListCost: '14.5',
    BillingAccountId: '1234',
    BillingPeriodStart: '2026-01-01T00:00:00Z',
    BillingPeriodEnd: '2026-02-01T00:00:00Z',
    ChargeDescription: 'hours, of "web"',
    ConsumedQuantity: '1.00000000000003',
    ConsumedUnit: 'Hours',
    PricingQuantity: '1',
    ListUnitPrice: '14.5',
    HostProviderName: 'Amazon Web Services, Inc.',
    PublisherName: 'Red Hat Inc.',
    ServiceProviderName: 'AWS',
    InvoiceIssuerName: 'AWS EMEA',
    RegionId: 'us-east-1',
    ResourceId: 'i-1',
    ResourceType: 'aws-ec2',
    ServiceCategory: 'Compute',
    ServiceSubcategory: 'Virtual Machines',
    ServiceName: 'EC2',
    Tags: { env: 'prod', owner: 'a"b' },
    SkuPriceDetails: { CoreCount: 4 },
    x_OtherColumns: { x_CostCenter: '4711', x_Note: 'n'.repeat(3000) },
  },
  {
    ...day,
    lineId: 'foreign',
    cloudAccountId: 'acct-2',
    provider: 'azure',
    BilledCost: '-100',
    BillingCurrency: 'EUR',
    usdRate: '1.1',
    ChargeFrequency: 'Usage-based',
    ListUnitPrice: '0.5',
    ServiceName: 'VM',
    ServiceCategory: 'Nonsense',
  },
  {
    ...day,
    lineId: 'tax',
    cloudAccountId: 'acct-2',
    provider: 'aws',
    BilledCost: '3',
    ChargeCategory: 'Tax',
    ServiceName: 'Tax',
  },
  {
    ...day,
    lineId: 'guess',
    cloudAccountId: 'acct-1',
    provider: 'aws',
    costUSD: 99,
    resourceUid: 'i-1',
    source: 'estimate',
  },
]
const total = sum(['0.10000000000001', '12.34567890123456', '-110', '3'])

/** The lines of a file as the product's own reader takes them. */
async function readAgain(content: string): Promise<AcceptedLine[]> {
  const options = {
    format: 'auto' as const,
    accountId: 'a',
    rates: {},
    exportedAt: new Date('2026-02-01'),
    ids: new LineIds(),
  }
  const found: AcceptedLine[] = []
  for await (const one of (await openBillingFile(Readable.from([Buffer.from(content)]), options)).rows) {
    expect(one, JSON.stringify(one)).not.to.have.property('refused')
    found.push(one as AcceptedLine)
  }
  return found
}

describe('the FOCUS export', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await org.publish(billingLine, lines)
  })

  const made = new Map<string, Promise<string>>()
  /** What is exported so: the same is made once. */
  const file = (format: 'csv' | 'json', more: object = {}): Promise<string> => {
    const key = JSON.stringify([format, more])
    const known = made.get(key) ?? exported(format, more)
    made.set(key, known)
    return known
  }
  const exported = async (format: 'csv' | 'json', more: object): Promise<string> => {
    const body = { report: 'focus', format, from: '2026-01-01', to: '2026-01-31', ...more }
    const { status, body: answer } = await org.send('POST', '/reports/export', body)
    expect(status, JSON.stringify(answer)).to.equal(201)
    return (await fetch(answer.data.downloadURL)).text()
  }
  const rowsOf = (csv: string) => parse(csv, { columns: true, record_delimiter: '\r\n' }) as Record<string, string>[]
  const headerOf = (csv: string) => csv.slice(0, csv.indexOf('\r\n')).split(',')

  for (const version of ['1.4', '1.2'] as const) {
    it(`conforms to FOCUS ${version} in both formats, with equal rows`, async () => {
      const csv = await file('csv', { version })
      const rows = rowsOf(csv)
      expect(focusFaults(version, headerOf(csv), rows)).to.deep.equal([])
      expect(rows.map((row) => row['x_LineId'])).to.deep.equal(['short', 'full', 'foreign', 'tax'])
      expect(sum(rows.map((row) => row['BilledCost']!))).to.equal(total)

      const text = await file('json', { version })
      const objects = JSON.parse(text) as Record<string, unknown>[]
      const flat = objects.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'object' && value ? JSON.stringify(value) : value,
          ]),
        ),
      ) as FocusRow[]
      expect(focusFaults(version, Object.keys(objects[0]!), flat)).to.deep.equal([])
      // Binary floats cannot hold the digits: they are looked for in the text.
      expect(text).to.include('"BilledCost":12.34567890123456,').and.to.include('"BilledCost":0.10000000000001,')
      const asNumbers = (row: Record<string, unknown>) =>
        Object.values(row).map((value) =>
          value === null
            ? ''
            : typeof value === 'number'
              ? value
              : typeof value === 'object'
                ? JSON.stringify(value)
                : value,
        )
      const amounts = new Set(
        Object.keys(objects[1]!).filter((name) => objects.some((row) => typeof row[name] === 'number')),
      )
      expect(objects.map(asNumbers)).to.deep.equal(
        rows.map((row) =>
          Object.entries(row).map(([name, value]) => (amounts.has(name) && value !== '' ? Number(value) : value)),
        ),
      )
    })
  }

  it('is held to rules that a wrong file breaks', async () => {
    const csv = await file('csv')
    const [row] = rowsOf(csv)
    const wrong = {
      ...row,
      BilledCost: '1e3',
      BillingCurrency: '',
      ChargeCategory: 'Rent',
      Tags: '[]',
      ChargePeriodEnd: '2026-01-04T00:00:00Z',
      RegionId: 'eu',
    }
    const plan = { CommitmentDiscountId: 'plan', ConsumedQuantity: '1', ConsumedUnit: 'Hours' }
    const covered = { ...row, ...plan, PricingCategory: '', SubAccountId: 's', SubAccountName: 's', SubAccountType: '' }
    const taxed = { ...row, ...plan, ChargeCategory: 'Tax', SkuId: 'sku', CommitmentDiscountStatus: 'Used' }
    expect(focusFaults('1.4', headerOf(csv), [wrong, covered, taxed])).to.deep.equal([
      'row 1: BilledCost is no decimal: 1e3',
      'row 1: BillingCurrency is null',
      'row 1: ChargeCategory is none of Usage|Purchase|Tax|Credit|Adjustment: Rent',
      'row 1: Tags is no object',
      'row 1: ChargePeriod ends before it starts',
      'row 1: RegionId and RegionName are not null together',
      'row 2: SubAccountId and SubAccountType are not null together',
      'row 2: PricingCategory is null',
      'row 2: CommitmentDiscountStatus of what was consumed is null',
      'row 3: a tax has PricingCategory',
      'row 3: a tax has SkuId',
      'row 3: ConsumedQuantity of what was not used',
    ])
    expect(focusFaults('1.2', headerOf(csv), [])).to.have.length(2)
  })

  it('has 65 columns in 1.4 and 57 in 1.2, old names for old versions, and ours last', async () => {
    const own = [
      'x_LineId',
      'x_CloudAccountId',
      'x_Provider',
      'x_PurchaseType',
      'x_ResourceType',
      'x_Source',
      'x_ExportedAt',
      'x_UsageHours',
      'x_HourlyRateUSD',
      'x_BillingCurrency',
      'x_UsdRate',
      'x_UsageAccountId',
      'x_PublisherName',
      'x_OtherColumns',
    ]
    expect([focusRules('1.4').length, focusRules('1.2').length]).to.deep.equal([65, 57])
    const newer = await file('csv')
    expect(headerOf(newer).slice(65)).to.deep.equal(own)
    const older = await file('csv', { version: '1.2' })
    expect(headerOf(older).slice(57)).to.deep.equal(own)
    const names = ({ ProviderName, PublisherName, InvoiceIssuerName }: any) => [
      ProviderName,
      PublisherName,
      InvoiceIssuerName,
    ]
    expect(rowsOf(older).map(names)).to.deep.equal([
      ['Google Cloud', 'Google Cloud', 'Google Cloud'],
      ['AWS', 'Red Hat Inc.', 'AWS EMEA'],
      ['Microsoft', 'Microsoft', 'Microsoft'],
      ['AWS', 'AWS', 'AWS'],
    ])
  })

  it('is in US dollars, says what the bill was in, and stands in for what FOCUS wants and a line does not say', async () => {
    const [short, full, foreign] = rowsOf(await file('csv'))
    const some = ({
      BilledCost,
      BillingCurrency,
      ListUnitPrice,
      x_BillingCurrency,
      x_UsdRate,
      ServiceCategory,
      ServiceSubcategory,
    }: any) => [
      BilledCost,
      BillingCurrency,
      ListUnitPrice,
      x_BillingCurrency,
      x_UsdRate,
      ServiceCategory,
      ServiceSubcategory,
    ]
    expect(some(foreign)).to.deep.equal(['-110', 'USD', '0.55', 'EUR', '1.1', 'Other', 'Other (Other)'])
    expect(some(full)).to.deep.equal(['12.34567890123456', 'USD', '14.5', 'USD', '1', 'Compute', 'Virtual Machines'])
    expect(full).to.include({
      Tags: '{"env":"prod","owner":"a\\"b"}',
      SkuPriceDetails: '{"CoreCount":4}',
      x_OtherColumns: `{"x_CostCenter":"4711","x_Note":"${'n'.repeat(3000)}"}`,
      ChargePeriodStart: '2026-01-05T00:00:00Z',
      ChargeDescription: 'hours, of "web"',
      PricingUnit: 'Units',
      CommitmentDiscountId: '',
    })
    expect(short).to.include({
      BillingAccountId: 'acct-1',
      BillingPeriodStart: '2026-01-01T00:00:00Z',
      BillingPeriodEnd: '2026-02-01T00:00:00Z',
      ChargeFrequency: 'Usage-Based',
      ServiceName: 'Unknown',
      ServiceProviderName: 'Google Cloud',
    })
  })

  deepIt('holds what the filters leave', async () => {
    const ids = async (more: object) => rowsOf(await file('csv', more)).map((row) => row['x_LineId'])
    expect(await ids({ cloud_account_id: ['acct-2'] })).to.deep.equal(['foreign', 'tax'])
    expect(await ids({ tag: ['env:prod'] })).to.deep.equal(['full'])
    expect(await ids({ from: '2026-01-05', team_id: ['unassigned'], provider: ['aws'] })).to.deep.equal(['full', 'tax'])
  })

  it('comes to the same costs when it is ingested again', async () => {
    const costs = ['BilledCost', 'EffectiveCost', 'ContractedCost', 'ListCost'] as const
    for (const [version, format] of sample([
      ['1.4', 'csv'],
      ['1.4', 'json'],
      ['1.2', 'csv'],
      ['1.2', 'json'],
    ] as const)) {
      const content = await file(format, { version })
      const found = await readAgain(content)
      const rows = rowsOf(await file('csv', { version }))
      const others = found.map(({ line }) => line.x_OtherColumns!)
      expect(others.map((columns) => [columns['x_CostCenter'], columns['x_LineId']])).to.deep.equal(
        rows.map((row) => [row['x_LineId'] === 'full' ? '4711' : undefined, row['x_LineId']]),
      )
      const sums = costs.map((name) => sum(found.map(({ cost }) => cost[name])))
      expect(sums, `${version} ${format}`).to.deep.equal(costs.map((name) => sum(rows.map((row) => row[name]!))))
      expect(sums[0]).to.equal(total)
    }
  })

  deepIt('comes to the same reports when it is ingested again', async () => {
    const other = await tenant()
    await other.publish(
      billingLine,
      (await readAgain(await file('csv'))).map(({ line }) => line),
    )
    const history = (of: Tenant) =>
      of.get('/reports/costs/breakdown?dims=provider,region&from=2026-01-01&to=2026-01-31')
    expect((await history(other)).body.data).to.deep.equal((await history(org)).body.data)
  })
})
