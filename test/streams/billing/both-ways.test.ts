import { expect } from 'chai'
import { bothWays } from '#test/harness/both-ways.ts'
import { random } from '#test/harness/load.ts'
import { amount } from '#test/harness/tier.ts'
import { bytes, csv } from './reading.ts'

type Row = Record<string, string>

/** Cells as bills have them, and some that no reader should trip over. */
const cells = {
  amount: [
    '0',
    '1.5',
    '-2.25',
    '0.00000000000001',
    '123456.78901234',
    '0.000000000000001',
    '1e-7',
    '7.10',
    '',
    '999999999999999.5',
    'n/a',
    '-0',
    '+3',
    '.5',
    '5.',
  ],
  day: ['2026-01-05', '2026-01-05T03:00:00Z', '2026-01-31T23:00:00+05:30', '2025-11-02', '2026-03-04', 'soon', ''],
  text: ['a', 'b"c', 'x, y', ' ', 'NULL', 'ü', '😀', '\ud800', 'line\nbreak', '\u0007', 'z'.repeat(9000), ''],
  resource: [
    'a',
    'b"c',
    'arn:aws:ec2:us-east-1:111111111111:natgateway/nat-1',
    'arn:aws:cloudfront::111111111111:distribution/E1',
    'arn:aws:lambda:us-east-1:111111111111:function:f',
    'a-bucket',
    'ü',
    'z'.repeat(9000),
    '',
  ],
  tags: ['{"team":"a"}', "{'team': 'b'}", '{"team":', '[]', '{"x":1}', ''],
}

const focusRow = (pick: <T>(from: readonly T[], first: number) => T): Row => ({
  ProviderName: pick(['AWS', 'Microsoft', 'Other'], 0.9),
  BillingAccountId: '111111111111',
  SubAccountId: pick(['222222222222', '33', ''], 0.6),
  BillingCurrency: pick(['USD', 'EUR', ''], 0.95),
  BillingPeriodStart: pick(['2026-01-01', ''], 0.95),
  BillingPeriodEnd: pick(['2026-02-01', ''], 0.95),
  ChargePeriodStart: pick(cells.day, 0.6),
  ChargePeriodEnd: pick(['2026-01-06', ...cells.day], 0.7),
  ChargeCategory: pick(['Usage', 'Tax', 'credit'], 0.8),
  BilledCost: pick(cells.amount, 0.2),
  EffectiveCost: pick(cells.amount, 0.2),
  ListCost: pick(cells.amount, 0.2),
  ListUnitPrice: pick(cells.amount, 0.5),
  ConsumedQuantity: pick(cells.amount, 0.3),
  ResourceId: pick(cells.resource, 0.3),
  ServiceName: pick(['Amazon Simple Storage Service', ...cells.text], 0.5),
  RegionId: pick(['us-east-1', 'cn-north-1', ''], 0.6),
  CommitmentDiscountId: pick(['', 'ri-1'], 0.9),
  Tags: pick(cells.tags, 0.5),
  x_Other: pick(cells.text, 0.5),
  x_BilledCostInUsd: pick(['', ...cells.amount], 0.8),
  Comment: pick(cells.text, 0.9),
})

const awsRow = (pick: <T>(from: readonly T[], first: number) => T): Row => ({
  'identity/LineItemId': pick(['i1', 'i2', ''], 0.5),
  'identity/TimeInterval': '2026-01-05T00:00:00Z/2026-01-05T01:00:00Z',
  'bill/BillingPeriodStartDate': '2026-01-01T00:00:00Z',
  'lineItem/LineItemType': pick(
    ['Usage', 'DiscountedUsage', 'SavingsPlanNegation', 'RIFee', 'Tax', 'EdpDiscount', 'SavingsPlanCoveredUsage'],
    0.5,
  ),
  'lineItem/UsageStartDate': pick(cells.day, 0.6),
  'lineItem/UnblendedCost': pick(cells.amount, 0.2),
  'lineItem/UsageAmount': pick(cells.amount, 0.2),
  'lineItem/BlendedCost': pick(cells.amount, 0.2),
  'lineItem/CurrencyCode': pick(['USD', ''], 0.95),
  'lineItem/ResourceId': pick(cells.resource, 0.3),
  'product/regionCode': pick(['us-east-1', 'us-gov-west-1'], 0.7),
  'lineItem/ProductCode': pick(['AmazonEC2', 'AmazonS3'], 0.5),
  'pricing/publicOnDemandCost': pick(cells.amount, 0.2),
  'reservation/EffectiveCost': pick(cells.amount, 0.2),
  'savingsPlan/SavingsPlanARN': pick(['', 'arn:sp'], 0.9),
  'savingsPlan/SavingsPlanEffectiveCost': pick(cells.amount, 0.2),
  'splitLineItem/ParentResourceId': pick(['', 'i-parent'], 0.9),
  'splitLineItem/SplitCost': pick(['', '1.5'], 0.9),
  'resourceTags/user:team': pick(['a', 'b', ''], 0.5),
})

const azureRow = (pick: <T>(from: readonly T[], first: number) => T): Row => ({
  Date: pick(['01/05/2026', '01/31/2026', '2026-01-05'], 0.6),
  BillingPeriodStartDate: '01/01/2026',
  BillingPeriodEndDate: '01/31/2026',
  SubscriptionId: pick(['AAAA', 'bbbb'], 0.6),
  CostInBillingCurrency: pick(cells.amount, 0.2),
  CostInUSD: pick(['', ...cells.amount], 0.5),
  BillingCurrency: pick(['USD', 'EUR'], 0.9),
  Quantity: pick(cells.amount, 0.2),
  PayGPrice: pick(cells.amount, 0.5),
  ChargeType: pick(['Usage', 'Purchase', 'Refund'], 0.8),
  ResourceId: pick(['/subscriptions/AAAA/providers/Microsoft.Compute/virtualMachines/VM1', ''], 0.8),
  benefitId: pick(['', '/benefits/1'], 0.9),
  MeterName: pick(cells.text, 0.7),
  Tags: pick(cells.tags, 0.5),
})

/** Bills of rows that mostly share what they are. */
function bill(seed: number, rows: number): { name: string; content: string } {
  const next = random(seed)
  const pick = <T>(from: readonly T[], first: number): T =>
    next() < first ? from[0]! : from[Math.floor(next() * from.length)]!
  const formats = [focusRow, awsRow, azureRow]
  const rowOf = formats[seed % formats.length]!
  return { name: `seed ${seed}`, content: csv(...Array.from({ length: rows }, () => rowOf(pick))) }
}

const options = { rates: { EUR: '1.1' }, dates: 'month-first' } as const

describe('rows that share what they are with earlier rows', () => {
  it('are stored, counted and announced exactly as if each had been read as a whole', async () => {
    let shared = 0
    for (let seed = 0; seed < amount(6, 60, 3000); seed++) {
      const { name, content } = bill(seed, 200)
      const { together, apart } = await bothWays(() => bytes(content), options)
      expect(apart.same, name).to.equal(0)
      expect(together.refused, name).to.deep.equal(apart.refused)
      expect(together.tally, name).to.deep.equal(apart.tally)
      expect(together.announced, name).to.deep.equal(apart.announced)
      expect(together.bytes.equals(apart.bytes), name).to.equal(true)
      shared += together.same
    }
    expect(shared).to.be.above(50)
  })

  it('have their own amounts, times, texts, tags and ids', async () => {
    const row = { ProviderName: 'AWS', BillingCurrency: 'USD', ChargeCategory: 'Usage', BilledCost: '1.5' }
    const own = { ...row, ChargePeriodStart: '2026-01-05', ResourceId: 'i-1', Tags: '{"team":"a"}' }
    const other = { ...own, BilledCost: '-2.25', ChargePeriodStart: '2026-01-06T01:00:00Z', ResourceId: 'i-22' }
    const { together: found } = await bothWays(() => bytes(csv(own, { ...other, Tags: '{"team":"bb"}' })))
    expect([found.rows, found.same]).to.deep.equal([2, 1])
    expect(found.tally.billed).to.deep.equal({ USD: '-0.75' })
    expect(found.announced).to.deep.equal([
      {
        cloudAccountId: 'acct-1',
        exportId: 'e-1',
        exportedAt: '2026-02-01T00:00:00.000Z',
        provider: 'aws',
        hiddenUntilEnd: true,
        block: { index: 1, rows: 2, hash: (found.announced as { block: { hash: string } }[])[0]!.block.hash },
        periods: [{ period: '2026-01', lines: 2, days: ['2026-01-05', '2026-01-06'] }],
      },
    ])
    const text = found.bytes.toString('latin1')
    // By column: resources, names of tags, their values.
    for (const part of ['\u0003i-1\u0004i-22', '\u0004team', '\u0001a\u0002bb']) expect(text).to.contain(part)
  })

  it('are read as a whole where other rows depend on them: uses of a commitment beside its purchase count twice', async () => {
    const use = { Date: '2026-01-05', SubscriptionId: 's-1', CostInBillingCurrency: '0', BillingCurrency: 'USD' }
    const ofPlan = { ...use, benefitId: '/benefits/1', ChargeType: 'Usage' }
    const purchase = { ...ofPlan, ChargeType: 'Purchase', CostInBillingCurrency: '9' }
    const content = csv(ofPlan, { ...ofPlan, CostInBillingCurrency: '5' }, purchase, use, {
      ...use,
      CostInBillingCurrency: '1',
    })
    const { together, apart } = await bothWays(() => bytes(content))
    expect([together.rows, together.same]).to.deep.equal([5, 1])
    for (const { tally } of [together, apart])
      expect(tally.warnings.map(({ code, first }) => [code, first])).to.deep.equal([
        ['costs_twice', [{ file: 'a', row: 4 }]],
      ])
  })
})
