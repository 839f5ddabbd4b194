import { expect } from 'chai'
import { accepted, codes, csv, lines } from '#test/streams/billing/reading.ts'

const python =
  "[{'name': 'FreeTrial', 'amount': -4e-06, 'full_name': None, 'type': 'PROMOTION'}, {'name': \"it's\", 'amount': -0.5e-06}]"
const dotted = {
  billing_account_id: 'B1',
  'service.id': 'FBF2',
  'service.description': 'Security Command Center',
  'sku.id': 'D5A4',
  'sku.description': 'Event Threat Detection',
  usage_start_time: '2020-11-09 23:00:00+00:00',
  usage_end_time: '2020-11-10 00:00:00+00:00',
  'project.id': 'p-1',
  'project.name': 'billing',
  labels: "[{'key': 'team', 'value': 'a'}]",
  'location.location': 'us',
  'location.region': '',
  export_time: '2020-11-10 05:49:32.199000+00:00',
  cost: '5e-06',
  currency: 'USD',
  'usage.amount': '24909.0',
  'usage.unit': 'bytes',
  credits: python,
  'invoice.month': '202011',
  cost_type: 'regular',
}
const nested = {
  billing_account_id: 'B1',
  service: { id: 'FBF2', description: 'Security Command Center' },
  sku: { id: 'D5A4', description: 'Event Threat Detection' },
  usage_start_time: '2020-11-09 23:00:00 UTC',
  usage_end_time: '2020-11-10 00:00:00 UTC',
  project: { id: 'p-1', name: 'billing' },
  labels: [{ key: 'team', value: 'a' }],
  location: { location: 'us', region: null },
  export_time: '2020-11-10T05:49:32.199Z',
  cost: 5e-6,
  currency: 'USD',
  usage: { amount: 24909.0, unit: 'bytes' },
  credits: [{ amount: -4e-6, type: 'PROMOTION' }, { amount: -0.5e-6 }],
  invoice: { month: '202011' },
  cost_type: 'regular',
}

describe('a Google Cloud billing export', () => {
  const expected = {
    ListCost: '0.000005',
    BilledCost: '0.0000005',
    ChargeCategory: 'Usage',
    BillingAccountId: 'B1',
    SubAccountId: 'p-1',
    SubAccountName: 'billing',
    ServiceName: 'Security Command Center',
    SkuId: 'D5A4',
    RegionId: 'us',
    ConsumedQuantity: '24909',
    ConsumedUnit: 'bytes',
    Tags: { team: 'a' },
    ChargePeriodStart: '2020-11-09T23:00:00',
    ChargePeriodEnd: '2020-11-10T00:00:00',
    BillingPeriodStart: '2020-11-01T00:00:00',
    BillingPeriodEnd: '2020-12-01T00:00:00',
    x_Day: '2020-11-09',
    x_ExportedAt: '2020-11-10T05:49:32.199',
  }

  it('bills the net of cost and credits and lists the cost, from CSV with dots or underscores and from nested JSON', async () => {
    const underscored = Object.fromEntries(
      Object.entries(dotted).map(([name, value]) => [name.replace('.', '_'), value]),
    )
    for (const content of [csv(dotted), csv(underscored), `${JSON.stringify(nested)}\n`, JSON.stringify([nested])]) {
      const [found] = await accepted(content)
      expect(found!.cost, content).to.deep.include(expected)
    }
  })

  it('reads credits of JSON and of Python, and refuses what is neither', async () => {
    const credits = [
      '[]',
      '',
      '[{"amount": -0.000002}]',
      "[{'amount': -1e-06, 'x': True, 'y': [1, (2,)], 'z': {}}]",
      '[{',
      '[{"amount":"x"}]',
      '{}',
    ]
    const content = csv(...credits.map((text) => ({ ...dotted, credits: text })))
    expect(await codes(content)).to.deep.equal([
      ...Array<string>(4).fill('accepted'),
      ...Array<string>(3).fill('credits_invalid'),
    ])
    const found = await lines(csv(...credits.slice(0, 4).map((text) => ({ ...dotted, credits: text }))))
    expect(found.map(({ BilledCost }) => BilledCost)).to.deep.equal(['5e-06', '5e-06', '0.000003', '0.000004'])
  })

  it('reads credits in numbered columns, and refuses one that is in a column of its own: its query repeats the cost', async () => {
    const bare = { ...dotted, cost: '12', credits: '' }
    const numbered = { 'credits.0.amount': '-2.5', 'credits.0.type': 'FREE_TIER', credits_1_amount: '-1' }
    const found = await lines(csv({ ...bare, ...numbered }))
    expect(found.map(({ BilledCost }) => BilledCost)).to.deep.equal(['8.5'])
    const own = ['-2.5', '0', ''].map((amount) => ({ ...bare, 'credits.amount': amount, 'credits.name': 'x' }))
    expect(await codes(csv(...own))).to.deep.equal(['credits_invalid', 'accepted', 'accepted'])
  })

  it('sums credits exactly', async () => {
    const credits = '[{"amount": -0.1}, {"amount": -0.2}, {"amount": -0.00000000000000000001}]'
    const [line] = await lines(csv({ ...dotted, cost: '0.3', credits }))
    expect(line!.BilledCost).to.equal('-0.00000000000000000001')
  })

  it('puts every type of cost into a category of FOCUS', async () => {
    const types = ['regular', 'tax', 'adjustment', 'rounding_error']
    const found = await lines(csv(...types.map((cost_type) => ({ ...dotted, cost_type }))))
    expect(found.map(({ ChargeCategory }) => ChargeCategory)).to.deep.equal([
      'Usage',
      'Tax',
      'Adjustment',
      'Adjustment',
    ])
  })

  it('names the region, or the location where there is no region, and no project where a row has none', async () => {
    const rows = [
      { ...dotted, 'location.region': 'us-west1' },
      dotted,
      { ...dotted, 'project.id': '', 'project.name': '' },
    ]
    const found = await lines(csv(...rows))
    expect(found.map(({ RegionId, SubAccountId }) => [RegionId, SubAccountId])).to.deep.equal([
      ['us-west1', 'p-1'],
      ['us', 'p-1'],
      ['us', undefined],
    ])
  })

  it('reads the labels of the project where a resource has none of its own under the key [G-117]', async () => {
    const labels = [
      { key: 'team', value: 'of the project' },
      { key: 'cost-center', value: '7' },
    ]
    const flat = { ...dotted, 'project.labels': JSON.stringify(labels) }
    const deep = { ...nested, project: { ...nested.project, labels } }
    const found = [...(await lines(csv(flat))), ...(await lines(JSON.stringify([deep])))]
    expect(found.map(({ Tags }) => Tags)).to.deep.equal(Array(2).fill({ team: 'a', 'cost-center': '7' }))
  })

  it('merges tags and labels and says how it was bought', async () => {
    const spot = {
      ...dotted,
      'sku.description': 'Spot Preemptible N2 Instance Core',
      tags: '[{"key":"team","value":"b"},{"key":"env","value":"x"}]',
    }
    const committed = { ...dotted, credits: '[{"amount":-1,"type":"COMMITTED_USAGE_DISCOUNT"}]' }
    const found = await accepted(csv(spot, committed, dotted))
    expect(found.map(({ cost }) => cost.x_PurchaseType)).to.deep.equal(['spot', 'reserved', 'on_demand'])
    expect(found[0]!.line.Tags).to.deep.equal({ team: 'a', env: 'x' })
  })

  it('takes a line that was exported at another time for another line: the export only ever grows', async () => {
    const [first, second] = await lines(csv(dotted, { ...dotted, export_time: '2020-11-11 00:00:00+00:00' }))
    expect(first!.lineId).to.not.equal(second!.lineId)
    expect(second!.exportedAt).to.equal('2020-11-11T00:00:00.000Z')
    const credits = '[{"amount":-1,"type":"COMMITTED_USAGE_DISCOUNT"}]'
    const odd = await accepted(csv({ ...dotted, credits, export_time: 'soon', usage_end_time: 'later' }))
    expect(odd.flatMap(({ warnings = [] }) => warnings.map(({ message }) => message.slice(0, 15)))).to.deep.equal([
      'export_time mus',
      'ChargePeriodEnd',
    ])
  })

  const hour = (n: number) => `2026-03-02 ${String(n).padStart(2, '0')}:00:00 UTC`
  const used = (name: string, cost: number, credit: number, more: object = {}) => ({
    ...nested,
    service: { id: 'C', description: 'Compute Engine' },
    sku: { id: 'S', description: 'N2 Instance Core running in Frankfurt' },
    resource: { global_name: name },
    usage_start_time: hour(1),
    usage_end_time: hour(2),
    cost,
    credits: credit === 0 ? [] : [{ amount: -credit, type: 'COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE' }],
    invoice: { month: '202603' },
    ...more,
  })
  const fee = (cost: number, description: string, more: object = {}) =>
    used('', cost, 0, { sku: { id: 'F', description }, resource: null, ...more })
  const plan = 'Commitment - dollar based v1: GCE for 1 year'
  const costs = async (...rows: object[]) =>
    (await accepted(rows.map((row) => JSON.stringify(row)).join('\n'))).map(({ cost }) =>
      [
        cost['ResourceId'] ?? '',
        cost['ChargeCategory'],
        cost.BilledCost,
        cost.EffectiveCost,
        cost.ContractedCost,
        cost.ListCost,
      ].join(' '),
    )

  it('moves what committed use costs from its fee to what used it, and leaves with the fee what nobody used', async () => {
    expect(await costs(used('a', 12, 12), fee(8, plan))).to.deep.equal(['a Usage 0 8 12 12', ' Purchase 8 0 8 8'])
    // Each has its part of what the credits come to.
    expect(await costs(fee(8, plan), used('a', 9, 9), used('b', 3, 3))).to.deep.equal([
      ' Purchase 8 0 8 8',
      'a Usage 0 6 9 9',
      'b Usage 0 2 3 3',
    ])
    // Credits that come to less than the fee: what they come to was used of it.
    expect(await costs(fee(8, plan), used('a', 5, 5))).to.deep.equal([' Purchase 8 3 8 8', 'a Usage 0 5 5 5'])
    expect(await costs(fee(8, plan))).to.deep.equal([' Purchase 8 8 8 8'])
    // Hour by hour: what one does not use, the next cannot.
    const next = { usage_start_time: hour(2), usage_end_time: hour(3) }
    expect(await costs(fee(8, plan), fee(8, plan, next), used('a', 20, 20, next))).to.deep.equal([
      ' Purchase 8 8 8 8',
      ' Purchase 8 0 8 8',
      'a Usage 0 8 20 20',
    ])
  })

  it('splits a use that a commitment covers in part, so that what is on demand is not called committed', async () => {
    const rows = [used('a', 10, 4, { usage: { amount: 5, unit: 'hour' } }), fee(3, plan)]
    expect(await costs(...rows)).to.deep.equal(['a Usage 6 6 6 6', 'a Usage 0 3 4 4', ' Purchase 3 0 3 3'])
    const found = await accepted(rows.map((row) => JSON.stringify(row)).join('\n'))
    expect(
      found.map(({ cost }) => [cost.x_PurchaseType, cost['ConsumedQuantity'], cost['CommitmentDiscountId']]),
    ).to.deep.equal([
      ['on_demand', '3', undefined],
      ['reserved', '2', plan],
      ['reserved', '24909', plan],
    ])
  })

  it('keeps commitments by resources apart by component and region', async () => {
    const byResource = (name: string, cost: number, component: string) =>
      used(name, cost, 0, {
        credits: [{ amount: -cost, name: `Committed use discount: ${component}`, type: 'COMMITTED_USAGE_DISCOUNT' }],
      })
    expect(
      await costs(
        fee(3, 'Commitment v1: N2 Cpu in Frankfurt for 1 year'),
        fee(2, 'Commitment v1: N2 Ram in Frankfurt for 1 year'),
        byResource('cpu', 5, 'CPU'),
      ),
    ).to.deep.equal([' Purchase 3 0 3 3', ' Purchase 2 2 2 2', 'cpu Usage 0 3 5 5'])
  })

  it('reads committed use that is priced lower and has no credits: its fee has one for what was used', async () => {
    const priced = used('a', 5.4, 0, {
      cost_at_list: 10,
      cost_at_effective_price_default: 9,
      consumption_model: { id: 'D97B', description: 'Compute flexible CUDs 3 years' },
    })
    const offset = {
      credits: [{ amount: -5.4, type: 'FEE_UTILIZATION_OFFSET' }],
      subscription: { instance_id: 'sub-1' },
    }
    const rows = [priced, fee(8, 'Compute flexible CUD fee - 3 years', offset)]
    expect(await costs(...rows)).to.deep.equal(['a Usage 5.4 5.4 9 10', ' Purchase 2.6 2.6 2.6 8'])
    const found = await accepted(rows.map((row) => JSON.stringify(row)).join('\n'))
    expect(found.map(({ cost }) => [cost.x_PurchaseType, cost['CommitmentDiscountId']])).to.deep.equal([
      ['reserved', 'sub-1'],
      ['reserved', 'sub-1'],
    ])
  })

  it('comes to dollars by what each line says that one is worth [GEN-09]', async () => {
    const euro = {
      ...nested,
      currency: 'EUR',
      cost: 9,
      credits: [{ amount: -0.9, type: 'PROMOTION' }],
      currency_conversion_rate: 0.9,
    }
    const [found] = await accepted(JSON.stringify(euro), { rates: { EUR: '2' } })
    expect([found!.cost.BilledCost, found!.cost.ListCost, found!.cost.x_UsdRateSource]).to.deep.equal([
      '9',
      '10',
      'bill',
    ])
  })
})
