import { expect } from 'chai'
import { Tally } from '#streams/billing/row/tally.ts'
import { accepted, codes, csv, lines } from '#test/streams/billing/reading.ts'

const legacy = {
  'identity/LineItemId': 'abc',
  'identity/TimeInterval': '2023-11-01T00:00:00Z/2023-11-01T01:00:00Z',
  'bill/PayerAccountId': '111',
  'lineItem/UsageAccountId': '222',
  'lineItem/LineItemType': 'Usage',
  'lineItem/UsageStartDate': '2023-11-01T00:00:00Z',
  'lineItem/UsageEndDate': '2023-11-01T01:00:00Z',
  'lineItem/ProductCode': 'AmazonEC2',
  'lineItem/UsageType': 'USW2-BoxUsage:m5.large',
  'lineItem/ResourceId': 'i-1',
  'lineItem/UsageAmount': '2.0E-7',
  'lineItem/CurrencyCode': 'USD',
  'lineItem/UnblendedCost': '1.3E-9',
  'product/region': 'us-west-2',
}
/** The same columns as Athena and CUR 2.0 spell them. */
const snake = (row: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replaceAll(/[/]|(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(), value]),
  )

const type = (itemType: string, more: Record<string, string> = {}) => ({
  ...legacy,
  'lineItem/LineItemType': itemType,
  ...more,
})

describe('an AWS Cost and Usage Report', () => {
  const expected = {
    BilledCost: '1.3E-9',
    BillingAccountId: '111',
    SubAccountId: '222',
    ServiceName: 'AmazonEC2',
    ResourceId: 'i-1',
    RegionId: 'us-west-2',
    SkuMeter: 'USW2-BoxUsage:m5.large',
    ConsumedQuantity: '2.0E-7',
    PricingQuantity: '2.0E-7',
    purchaseType: 'on_demand',
    ChargeCategory: 'Usage',
    ChargeFrequency: 'Usage-Based',
    ChargePeriodStart: '2023-11-01T00:00:00Z',
    ChargePeriodEnd: '2023-11-01T01:00:00Z',
    BillingCurrency: 'USD',
    ServiceProviderName: 'AWS',
    HostProviderName: 'AWS',
    exportedAt: '2026-02-01T00:00:00.000Z',
    cloudAccountId: 'acct-1',
    lineId: '2023-11-01/abc/2023-11-01T00:00:00Z/2023-11-01T01:00:00Z',
  }

  it('names resources as the inventory does: by id where bills have ARNs, buckets by ARN, anything else as it is', async () => {
    const named = async (id: string, more: Record<string, string> = {}) =>
      (await lines(csv({ ...legacy, 'lineItem/ResourceId': id, ...more })))[0]!.ResourceId
    const ec2 = 'arn:aws:ec2:eu-west-1:111122223333'
    expect(await named(`${ec2}:natgateway/nat-0a1b`)).to.equal('nat-0a1b')
    expect(await named(`${ec2}:snapshot/snap-0a1b`)).to.equal('snap-0a1b')
    expect(await named('arn:aws-cn:ec2:cn-north-1:111122223333:vpc-endpoint/vpce-0a1b')).to.equal('vpce-0a1b')
    expect(await named('arn:aws:cloudfront::111122223333:distribution/E1ABC')).to.equal('E1ABC')
    expect(await named('arn:aws:route53:::hostedzone/Z1')).to.equal('Z1')
    expect(await named('arn:aws:workspaces:eu-west-1:111122223333:workspace/ws-1')).to.equal('ws-1')
    const group = 'arn:aws:logs:eu-west-1:111122223333:log-group:/aws/lambda/f'
    expect(await named(`${group}:*`)).to.equal(group)
    const s3 = { 'lineItem/ProductCode': 'AmazonS3' }
    expect(await named('my.bucket-1', s3)).to.equal('arn:aws:s3:::my.bucket-1')
    const government = { ...s3, 'product/region': 'us-gov-west-1' }
    expect(await named('my.bucket-1', government)).to.equal('arn:aws-us-gov:s3:::my.bucket-1')
    const unchanged = [
      'i-1',
      'my.bucket-1',
      `${ec2}:reserved-instances/0a1b`,
      'arn:aws:lambda:eu-west-1:111122223333:function:f',
      'arn:aws:rds:eu-west-1:111122223333:db:orders',
    ]
    for (const id of unchanged) expect(await named(id)).to.equal(id)
  })

  it('reads both spellings of its columns to the same line', async () => {
    expect(await lines(csv(legacy))).to.deep.equal([expected])
    expect(await lines(csv(snake(legacy)))).to.deep.equal([expected])
  })

  it('reads its costs in scientific notation to the last digit', async () => {
    const [found] = await accepted(csv(legacy))
    expect(found!.cost.BilledCost).to.equal('0.0000000013')
  })

  it('knows a line by id and interval together, and tells apart rows of one file that share both', async () => {
    const later = { ...legacy, 'identity/TimeInterval': '2023-11-01T01:00:00Z/2023-11-01T02:00:00Z' }
    const found = await lines(csv(legacy, later, { ...legacy, 'lineItem/UnblendedCost': '5' }))
    expect(found.map(({ lineId }) => lineId)).to.deep.equal([
      '2023-11-01/abc/2023-11-01T00:00:00Z/2023-11-01T01:00:00Z',
      '2023-11-01/abc/2023-11-01T01:00:00Z/2023-11-01T02:00:00Z',
      '2023-11-01/abc/2023-11-01T00:00:00Z/2023-11-01T01:00:00Z/1',
    ])
  })

  it('counts commitments where they are used in the effective cost, and bills what the invoice says', async () => {
    const cost = { 'lineItem/UnblendedCost': '10' }
    const found = await accepted(
      csv(
        type('SavingsPlanCoveredUsage', { ...cost, 'savingsPlan/SavingsPlanEffectiveCost': '7' }),
        type('SavingsPlanNegation', { 'lineItem/UnblendedCost': '-10' }),
        type('SavingsPlanRecurringFee', {
          ...cost,
          'savingsPlan/TotalCommitmentToDate': '8',
          'savingsPlan/UsedCommitment': '7.5',
        }),
        type('SavingsPlanUpfrontFee', cost),
        type('DiscountedUsage', { 'lineItem/UnblendedCost': '0', 'reservation/EffectiveCost': '0.062' }),
        type('RIFee', {
          ...cost,
          'reservation/UnusedAmortizedUpfrontFeeForBillingPeriod': '0.1',
          'reservation/UnusedRecurringFee': '0.2',
        }),
        type('Fee', { ...cost, 'reservation/ReservationARN': 'arn:ri' }),
        type('Fee', cost),
        type('Usage', { ...cost, 'pricing/publicOnDemandCost': '12' }),
      ),
    )
    expect(
      found.map(({ cost: { BilledCost, EffectiveCost, ListCost } }) => [BilledCost, EffectiveCost, ListCost]),
    ).to.deep.equal([
      ['10', '7', '10'],
      ['-10', '0', '0'],
      ['10', '0.5', '10'],
      ['10', '0', '10'],
      ['0', '0.062', '0'],
      ['10', '0.3', '10'],
      ['10', '0', '10'],
      ['10', '10', '10'],
      ['10', '10', '12'],
    ])
  })

  it('puts every type of line into a category of FOCUS', async () => {
    const types =
      'Usage DiscountedUsage SavingsPlanCoveredUsage SavingsPlanNegation Tax Fee RIFee SavingsPlanUpfrontFee'
        .concat(' SavingsPlanRecurringFee Credit EdpDiscount BundledDiscount Refund SomethingNew')
        .split(' ')
    const found = await lines(csv(...types.map((itemType) => type(itemType))))
    expect(Object.fromEntries(found.map(({ ChargeCategory }, index) => [types[index], ChargeCategory]))).to.deep.equal({
      Usage: 'Usage',
      DiscountedUsage: 'Usage',
      SavingsPlanCoveredUsage: 'Usage',
      SavingsPlanNegation: 'Usage',
      Tax: 'Tax',
      Fee: 'Purchase',
      RIFee: 'Purchase',
      SavingsPlanUpfrontFee: 'Purchase',
      SavingsPlanRecurringFee: 'Purchase',
      Credit: 'Credit',
      EdpDiscount: 'Credit',
      BundledDiscount: 'Credit',
      Refund: 'Adjustment',
      SomethingNew: 'Adjustment',
    })
    expect(found[12]!.ChargeClass).to.equal('Correction')
  })

  it('says how usage was bought', async () => {
    const found = await accepted(
      csv(
        type('Usage', { 'lineItem/UsageType': 'USW2-SpotUsage:m5.large' }),
        type('SavingsPlanCoveredUsage'),
        type('SavingsPlanCoveredUsage', { 'savingsPlan/SavingsPlanARN': 'arn:aws:savingsplans::1:savingsplan/x' }),
        type('DiscountedUsage', { 'reservation/ReservationARN': 'arn:aws:ec2:us-east-1:1:reserved-instances/x' }),
        type('DiscountedUsage'),
        type('Usage'),
      ),
    )
    expect(found.map(({ cost }) => cost.x_PurchaseType)).to.deep.equal([
      'spot',
      'savings_plan',
      'savings_plan',
      'reserved',
      'reserved',
      'on_demand',
    ])
  })

  it('counts what is refunded of a commitment as little as its purchase, other refunds with their amount', async () => {
    const plan = { 'savingsPlan/SavingsPlanARN': 'arn:sp' }
    const found = await accepted(
      csv(
        type('SavingsPlanUpfrontFee', { ...plan, 'lineItem/UnblendedCost': '700' }),
        type('Refund', { ...plan, 'lineItem/UnblendedCost': '-700' }),
        type('Refund', { 'reservation/ReservationARN': 'arn:ri', 'lineItem/UnblendedCost': '-300' }),
        type('Refund', { 'lineItem/UnblendedCost': '-5' }),
      ),
    )
    expect(
      found.map(({ cost: { BilledCost, EffectiveCost, ChargeCategory, ChargeClass } }) => [
        BilledCost,
        EffectiveCost,
        ChargeCategory,
        ChargeClass,
      ]),
    ).to.deep.equal([
      ['700', '0', 'Purchase', undefined],
      ['-700', '0', 'Purchase', 'Correction'],
      ['-300', '0', 'Purchase', 'Correction'],
      ['-5', '-5', 'Adjustment', 'Correction'],
    ])
  })

  it('puts negotiated discounts where they were given, and counts their own lines once, in what is billed', async () => {
    const net = (unblended: string, cost: string) => ({
      'lineItem/UnblendedCost': unblended,
      'lineItem/NetUnblendedCost': cost,
      'pricing/publicOnDemandCost': unblended,
    })
    const costs = async (...rows: ReturnType<typeof type>[]) =>
      (await accepted(csv(...rows))).map(({ cost }) =>
        [cost.BilledCost, cost.EffectiveCost, cost.ContractedCost, cost.ListCost].join(' '),
      )
    const discount = { 'lineItem/UnblendedCost': '-30' }
    expect(
      await costs(
        type('Usage', net('200', '180')),
        type('DiscountedUsage', {
          ...net('0', '0'),
          'reservation/NetEffectiveCost': '9',
          'reservation/EffectiveCost': '10',
        }),
        type('SavingsPlanCoveredUsage', {
          ...net('100', '90'),
          'savingsPlan/NetSavingsPlanEffectiveCost': '63',
          'savingsPlan/SavingsPlanEffectiveCost': '70',
        }),
        type('SavingsPlanRecurringFee', {
          ...net('80', '72'),
          'savingsPlan/TotalCommitmentToDate': '80',
          'savingsPlan/UsedCommitment': '70',
        }),
        type('EdpDiscount', discount),
        type('PrivateRateDiscount', discount),
      ),
    ).to.deep.equal(['200 180 180 200', '0 9 0 0', '100 63 90 100', '80 9 72 80', '-30 0 0 0', '-30 0 0 0'])
    // A report that has the column, and nothing in it.
    expect(await costs(type('Usage', net('200', '')), type('EdpDiscount', { ...net('-30', '') }))).to.deep.equal([
      '200 200 200 200',
      '-30 -30 -30 -30',
    ])
  })

  it('gives pods and tasks what they used of their machine, and takes it from the machine', async () => {
    const split = {
      ...snake(legacy),
      line_item_line_item_type: 'Usage',
      line_item_unblended_cost: '0',
      line_item_resource_id: 'arn:aws:eks:eu-west-1:1:pod/c/ns/p1/u1',
      split_line_item_parent_resource_id: 'i-node',
    }
    const found = await accepted(
      csv(
        {
          ...split,
          line_item_resource_id: 'i-node',
          split_line_item_parent_resource_id: '',
          line_item_unblended_cost: '10',
        },
        { ...split, split_line_item_split_cost: '5', split_line_item_unused_cost: '1.5' },
        {
          ...split,
          line_item_resource_id: 'p2',
          split_line_item_split_cost: '3',
          split_line_item_net_split_cost: '2.7',
        },
      ),
    )
    expect(
      found.map(({ row, isFurther, cost }) => [
        row,
        isFurther,
        cost['ResourceId'],
        cost.BilledCost,
        cost.EffectiveCost,
      ]),
    ).to.deep.equal([
      [2, undefined, 'i-node', '10', '10'],
      [3, undefined, 'arn:aws:eks:eu-west-1:1:pod/c/ns/p1/u1', '6.5', '6.5'],
      [3, true, 'i-node', '-6.5', '-6.5'],
      [4, undefined, 'p2', '3', '2.7'],
      [4, true, 'i-node', '-3', '-2.7'],
    ])
    expect(new Set(found.map(({ line }) => line.lineId)).size).to.equal(5)
    const [own] = await accepted(csv({ ...split, line_item_unblended_cost: '2', split_line_item_split_cost: '5' }))
    expect(own!.cost.BilledCost, 'what it is billed itself stays').to.equal('2')
    const part = { ...split, split_line_item_split_cost: '5' }
    expect(
      await codes(csv({ ...part, line_item_unblended_cost: 'n/a' })),
      'nobody knows what it is billed',
    ).to.deep.equal(['amount_invalid'])
    const [odd] = await accepted(csv({ ...part, split_line_item_unused_cost: '1,5' }))
    expect([odd!.cost.BilledCost, odd!.warnings?.map(({ code }) => code)]).to.deep.equal(['5', ['cell_left_out']])
    const [net] = await accepted(csv({ ...part, line_item_net_unblended_cost: '0.5' }))
    expect([net!.cost.BilledCost, net!.cost.EffectiveCost], 'nor is a net cost lost').to.deep.equal(['0', '0.5'])
    const tally = new Tally()
    for (const reading of found) tally.add('cur.csv', 'line', reading)
    expect(tally.report()).to.deep.include({ rows: 3, accepted: 3, billedUsd: '10' })
  })

  it('keeps what it says of the end and the term of a commitment with the price of the line', async () => {
    const arn = { 'reservation/ReservationARN': 'arn:ri', 'pricing/LeaseContractLength': '3yr' }
    const plan = { 'savingsPlan/SavingsPlanARN': 'arn:sp', 'savingsPlan/PurchaseTerm': '1yr' }
    const found = await lines(
      csv(
        type('RIFee', { ...arn, 'reservation/EndTime': '2024-06-01T11:59:59.000Z' }),
        type('SavingsPlanCoveredUsage', { ...plan, 'savingsPlan/EndTime': '2024-08-01T00:00:00.000Z' }),
        type('DiscountedUsage', { 'reservation/ReservationARN': 'arn:ri' }),
        type('Usage', { 'pricing/LeaseContractLength': '1yr' }),
      ),
    )
    expect(found.map(({ SkuPriceDetails }) => SkuPriceDetails)).to.deep.equal([
      { x_CommitmentEnd: '2024-06-01T11:59:59.000Z', x_PurchaseTerm: '3yr' },
      { x_CommitmentEnd: '2024-08-01T00:00:00.000Z', x_PurchaseTerm: '1yr' },
      undefined,
      undefined,
    ])
  })

  it('keeps a tax row on the period it is given for', async () => {
    const [found] = await accepted(csv(type('Tax', { 'lineItem/UsageEndDate': '2023-12-01T00:00:00Z' })))
    expect([found!.cost.x_Day, found!.cost['ChargePeriodEnd']]).to.deep.equal(['2023-11-01', '2023-12-01T00:00:00'])
  })

  it('reads tags of all its versions without the prefix of user tags, and no other columns that look like them', async () => {
    const tags = {
      'resourceTags/user:Team': 'a',
      'resourceTags/aws:createdBy': 'b',
      'resourceTags/user:Empty': '',
      'noTags/user:app': 'c',
    }
    const [first] = await lines(csv({ ...legacy, ...tags }))
    expect(first!.Tags).to.deep.equal({ Team: 'a', 'aws:createdBy': 'b' })
    const [athena] = await lines(csv({ ...snake(legacy), resource_tags_user_team: 'a' }))
    expect(athena!.Tags).to.deep.equal({ team: 'a' })
    const whole = {
      tags: '{"resourceTags/user:team":"web","accountTag/env":"prod","costCategory/Dept":"R&D"}',
      cost_category: '{"Dept":"R&D","Unit":"9"}',
    }
    const [third] = await lines(csv({ ...snake(legacy), ...whole, resource_tags: '{"user_team":"core"}' }))
    expect(third!.Tags).to.deep.equal({
      team: 'core',
      'accountTag:env': 'prod',
      'costCategory:Dept': 'R&D',
      'costCategory:Unit': '9',
    })
    const [fourth] = await lines(csv({ ...legacy, 'costCategory/Dept': 'R&D', 'costCategory/None': '' }))
    expect(fourth!.Tags).to.deep.equal({ 'costCategory:Dept': 'R&D' })
    const [second] = await lines(csv({ ...snake(legacy), resource_tags: '{"user_team":"a","aws_created_by":"b"}' }))
    expect(second!.Tags).to.deep.equal({ team: 'a', aws_created_by: 'b' })
  })

  it('takes the region from the first of region, region code and location that is there', async () => {
    const places = [
      { 'product/region': 'global', 'product/regionCode': '', 'product/location': 'Any' },
      { 'product/region': '', 'product/regionCode': 'eu-west-1', 'product/location': 'EU (Ireland)' },
      { 'product/region': '', 'product/regionCode': '', 'product/location': 'US West (Oregon)' },
      { 'product/region': '', 'product/regionCode': '', 'product/location': '' },
    ]
    const found = await lines(csv(...places.map((place) => ({ ...legacy, ...place }))))
    expect(found.map(({ RegionId }) => RegionId)).to.deep.equal(['global', 'eu-west-1', 'US West (Oregon)', undefined])
  })

  it('turns its currency into dollars at the rate of the command line [GEN-09]', async () => {
    const nok = { ...legacy, 'lineItem/CurrencyCode': 'NOK', 'lineItem/UnblendedCost': '10' }
    const [found] = await accepted(csv(nok), { rates: { nok: '0.095' } })
    expect([found!.line.usdRate, found!.cost.BilledCost]).to.deep.equal(['0.095', '0.95'])
  })
})
