import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { sum } from '#engine/value/decimal.ts'

/** Everything an asynchronous source gives. */
const collected = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of source) all.push(item)
  return all
}

/** A Monday; the stories count back from it. */
const cloud = (now = '2026-03-16T10:30:00Z', today?: string) =>
  simulatedCloud({
    seed: 'tidemark',
    now: () => new Date(now),
    sleep: () => Promise.resolve(),
    ...(today && { today }),
  })

const account = (sim: SimulatedCloud, externalId: string): CloudAccount => {
  const { provider, name } = sim.accounts.find((known) => known.externalId === externalId)!
  return { id: `id-${externalId}`, orgId: 'org', provider, externalId, name, regions: [], credentials: null }
}

const billed = async (sim: SimulatedCloud, externalId: string, from: string, to = from): Promise<BillingLine[]> =>
  (await collected(sim.bill(account(sim, externalId), from, to))).flat()

const everyBill = async (sim: SimulatedCloud, from: string, to: string): Promise<BillingLine[]> => {
  const all = []
  for (const { externalId } of sim.accounts) all.push(...(await billed(sim, externalId, from, to)))
  return all
}

const cost = (lines: readonly BillingLine[]) => sum(lines.map(({ BilledCost }) => BilledCost ?? 0))

describe('simulated cloud: bill', () => {
  const sim = cloud()
  let february: BillingLine[] = []
  before(async () => {
    february = await everyBill(sim, '2026-02-01', '2026-02-28')
  })

  it('writes lines that decode and that the cost table takes, on the day their id begins with', () => {
    const decode = decoder(billingLine.schema)
    const moved = february.filter((line) => {
      const row = costLine(decode(line), new Date('2026-03-16T00:00:00Z'))
      return row.x_Day !== line.lineId.slice(0, 10) || row.x_PurchaseType !== line.purchaseType
    })
    expect(moved).to.eql([])
  })

  it('names no line twice within an account', () => {
    expect(new Set(february.map(({ cloudAccountId, lineId }) => `${cloudAccountId} ${lineId}`)).size).to.equal(
      february.length,
    )
  })

  it('bills resources of the inventory only, and workloads and pods never', () => {
    const unknown = february.filter(({ ResourceId }) => ResourceId && !sim.world.byUid.has(ResourceId))
    expect(unknown).to.eql([])
    expect(
      february.filter(({ ResourceType }) => /-(deployment|pod|statefulset|service|node)$/.test(ResourceType ?? '')),
    ).to.eql([])
  })

  it('has one category for a service, and one name for who sells and who invoices', () => {
    const categories = new Map(february.map(({ ServiceName, ServiceCategory }) => [ServiceName, ServiceCategory]))
    expect(
      february.filter(({ ServiceName, ServiceCategory }) => categories.get(ServiceName) !== ServiceCategory),
    ).to.eql([])
    expect([...categories]).to.deep.include.members([
      ['Amazon EC2', 'Compute'],
      ['Compute Engine', 'Compute'],
    ])
    expect(
      february.filter(({ ServiceProviderName, InvoiceIssuerName }) => ServiceProviderName !== InvoiceIssuerName),
    ).to.eql([])
  })

  it('writes one whole line of a machine', async () => {
    const lines = await billed(sim, 'sim-aws-production', '2026-03-10')
    const machine = [...sim.world.byUid.values()].find(({ name }) => name === 'search-1')!
    expect(lines.find(({ ResourceName }) => ResourceName === 'search-1')).to.eql({
      lineId: `2026-03-10/${machine.uid}/run`,
      cloudAccountId: 'id-sim-aws-production',
      provider: 'aws',
      source: 'actual',
      exportedAt: '2026-03-11T03:00:00Z',
      purchaseType: 'savings_plan',
      usageHours: 24,
      hourlyRateUSD: 0.18144,
      BillingAccountId: 'sim-aws-payer',
      BillingAccountName: 'Simulated AWS bill',
      BillingCurrency: 'USD',
      BillingPeriodStart: '2026-03-01T00:00:00Z',
      BillingPeriodEnd: '2026-04-01T00:00:00Z',
      ChargePeriodStart: '2026-03-10T00:00:00Z',
      ChargePeriodEnd: '2026-03-11T00:00:00Z',
      InvoiceId: 'SIM-AWS-2026-03',
      InvoiceIssuerName: 'AWS',
      ServiceProviderName: 'AWS',
      HostProviderName: 'AWS',
      SubAccountId: 'sim-aws-production',
      SubAccountName: 'simulated-aws-production',
      ServiceName: 'Amazon EC2',
      ServiceCategory: 'Compute',
      RegionId: 'us-east-1',
      RegionName: 'us-east-1',
      ResourceId: machine.uid,
      ResourceName: 'search-1',
      ResourceType: 'aws-ec2',
      Tags: { ...machine.tags },
      ChargeCategory: 'Usage',
      ChargeFrequency: 'Usage-Based',
      ChargeDescription: 'Simulated: r5.xlarge run in us-east-1',
      SkuId: 'aws-ec2:run:r5.xlarge',
      SkuMeter: 'run',
      SkuPriceId: 'aws-ec2:run:r5.xlarge:us-east-1',
      PricingCategory: 'Committed',
      PricingQuantity: '24',
      PricingUnit: 'Hours',
      ConsumedQuantity: '24',
      ConsumedUnit: 'Hours',
      ListUnitPrice: '0.252',
      ContractedUnitPrice: '0.252',
      ListCost: '6.048',
      ContractedCost: '6.048',
      EffectiveCost: '4.35456',
      BilledCost: '4.35456',
      CommitmentDiscountId: 'savingsplan-sim-compute-3y',
      CommitmentDiscountName: 'savingsplan-sim-compute-3y',
      CommitmentDiscountCategory: 'Spend',
      CommitmentDiscountType: 'Savings Plan',
      CommitmentDiscountStatus: 'Used',
      CommitmentDiscountQuantity: '24',
      CommitmentDiscountUnit: 'Hours',
    })
  })

  it('writes money as decimal text with at most ten places', () => {
    const amounts = february.flatMap((line) => [
      line.BilledCost,
      line.EffectiveCost,
      line.ContractedCost,
      line.ListCost,
    ])
    expect(amounts.filter((amount) => typeof amount !== 'string' || !/^-?\d+(\.\d{1,10})?$/.test(amount))).to.eql([])
  })

  it('bills machines on demand, reserved, in a plan and spot', () => {
    const types = new Set(february.map(({ purchaseType }) => purchaseType))
    expect(types).to.eql(new Set(['on_demand', 'reserved', 'savings_plan', 'spot']))
  })

  it('bills the hours of a development machine by its schedule: none at the weekend', async () => {
    const lines = await billed(sim, 'sim-azure-dev', '2026-03-12', '2026-03-15')
    const box = lines.filter(({ ResourceName }) => ResourceName === 'dev-box-1')
    expect(box.map(({ lineId, usageHours, BilledCost }) => [lineId.slice(0, 10), usageHours, BilledCost])).to.eql([
      ['2026-03-12', 12, '1.992'],
      ['2026-03-13', 12, '1.992'],
    ])
  })

  it('taxes the month before and credits on the first', async () => {
    const first = await billed(sim, 'sim-aws-production', '2026-03-01')
    const special = first.filter(({ ChargeCategory }) => ChargeCategory !== 'Usage')
    const mine = february.filter(
      (line) => line.SubAccountId === 'sim-aws-production' && line.ChargeCategory === 'Usage',
    )
    expect(special.map(({ lineId, ChargeCategory }) => [lineId, ChargeCategory])).to.eql([
      ['2026-03-01/sim-aws-production/tax', 'Tax'],
      ['2026-03-01/sim-aws-production/credit', 'Credit'],
    ])
    expect(Number(special[0]?.BilledCost)).to.be.closeTo(Number(cost(mine)) * 0.02, 1e-9)
    expect(special[1]?.BilledCost).to.equal('-250')
  })

  it('comes to tens of thousands of dollars a month, in about a hundred thousand lines a year', () => {
    expect(Number(cost(february))).to.be.within(20_000, 60_000)
    expect((february.length / 28) * 365).to.be.within(85_000, 120_000)
  })

  it('writes the same lines for the same seed and day, whatever else is asked for and however often', async () => {
    expect(await everyBill(cloud(), '2026-02-01', '2026-02-28')).to.eql(february)
    const day = february.filter(({ lineId }) => lineId.startsWith('2026-02-14'))
    expect(await everyBill(sim, '2026-02-14', '2026-02-14')).to.eql(day)
  })

  it('does not move the past when the clock goes on and the day of the stories is kept', async () => {
    const later = cloud('2026-05-02T00:00:00Z', '2026-03-16')
    expect(await everyBill(later, '2026-03-01', '2026-03-06')).to.eql(await everyBill(sim, '2026-03-01', '2026-03-06'))
  })
})

describe('simulated cloud: consolidated bills', () => {
  const sim = cloud()
  const day = '2026-03-10'
  const payer = (provider: CloudAccount['provider'], externalId: string): CloudAccount => {
    return { id: 'id-payer', orgId: 'org', provider, externalId, name: externalId, regions: [], credentials: null }
  }
  const bill = async (account: CloudAccount) => (await collected(sim.bill(account, day, day))).flat()
  const names = (lines: readonly BillingLine[]): string[] =>
    [...new Set(lines.map(({ SubAccountId }) => String(SubAccountId)))].toSorted()

  it("has the charges of a payer's members in its bill, once, and data transfer under the member that carries it", async () => {
    const own = await Promise.all(
      ['production', 'staging', 'analytics'].map((one) => billed(sim, `sim-aws-${one}`, day)),
    )
    const lines = await bill(payer('aws', 'sim-aws-payer'))
    const members = names(own.flat())
    expect(names(lines)).to.eql([...members, 'sim-aws-network', 'sim-aws-sandbox', 'sim-aws-security'].toSorted())
    const ofMembers = lines.filter(({ lineId }) => own.flat().some((line) => line.lineId === lineId))
    expect([ofMembers.length, cost(ofMembers)]).to.eql([own.flat().length, cost(own.flat())])
    const transfer = lines.filter(({ ServiceName }) => ServiceName === 'Data transfer')
    expect([transfer.length, names(transfer)]).to.eql([6, ['sim-aws-network']])
    expect(new Set(lines.map(({ lineId }) => lineId)).size).to.equal(lines.length)
    expect(new Set(lines.map(({ cloudAccountId }) => cloudAccountId))).to.eql(new Set(['id-payer']))
  })

  it('has three projects in the bill of Google, and two subscriptions in that of Azure', async () => {
    expect(names(await bill(payer('gcp', 'sim-gcp-payer')))).to.eql(['sim-gcp-data', 'sim-gcp-lab', 'sim-gcp-network'])
    expect(names(await bill(payer('azure', 'sim-azure-payer')))).to.eql(['sim-azure-corp', 'sim-azure-dev'])
  })

  it('bills a member on its own only where no payer does', async () => {
    const member = account(sim, 'sim-aws-staging')
    expect(await bill({ ...member, billingExport: { kind: 'payer', location: 'sim-aws-payer' } })).to.eql([])
    expect((await bill(member)).length).to.be.greaterThan(0)
  })

  it('is connected with all members but one, each with the payer that is billed for it', () => {
    expect(sim.consolidated.map(({ externalId, payer: by }) => `${externalId} ${by ?? ''}`.trim())).to.eql([
      'sim-aws-production sim-aws-payer',
      'sim-aws-staging sim-aws-payer',
      'sim-aws-analytics sim-aws-payer',
      'sim-aws-network sim-aws-payer',
      'sim-aws-security sim-aws-payer',
      'sim-aws-payer',
      'sim-gcp-data sim-gcp-payer',
      'sim-gcp-network sim-gcp-payer',
      'sim-gcp-lab sim-gcp-payer',
      'sim-gcp-payer',
      'sim-azure-corp sim-azure-payer',
      'sim-azure-dev sim-azure-payer',
      'sim-azure-payer',
    ])
  })
})

describe('simulated cloud: planted stories in the bill', () => {
  const sim = cloud()
  const history = async (externalId: string, name: string, from: string, to: string) =>
    (await billed(sim, externalId, from, to))
      .filter(({ ResourceName }) => ResourceName === name)
      .map(({ lineId, purchaseType, hourlyRateUSD, BilledCost }) => [
        lineId.slice(0, 10),
        purchaseType,
        hourlyRateUSD,
        BilledCost,
      ])

  it('let a reservation expire three weeks ago', async () => {
    expect(await history('sim-aws-production', 'checkout-api-2', '2026-02-22', '2026-02-25')).to.eql([
      ['2026-02-22', 'reserved', 0.23808, '5.71392'],
      ['2026-02-23', 'reserved', 0.23808, '5.71392'],
      ['2026-02-24', 'on_demand', 0.384, '9.216'],
      ['2026-02-25', 'on_demand', 0.384, '9.216'],
    ])
  })

  it('make a machine four times its size for two days', async () => {
    expect(await history('sim-aws-production', 'pricing-engine-1', '2026-03-04', '2026-03-07')).to.eql([
      ['2026-03-04', 'on_demand', 0.384, '9.216'],
      ['2026-03-05', 'on_demand', 1.536, '36.864'],
      ['2026-03-06', 'on_demand', 1.536, '36.864'],
      ['2026-03-07', 'on_demand', 0.384, '9.216'],
    ])
  })

  it('let a bucket grow by 30 GB a day', async () => {
    const lines = await billed(sim, 'sim-aws-production', '2026-03-15', '2026-03-16')
    const stored = lines.filter(
      ({ ResourceName, SkuMeter }) => ResourceName === 'sim-shop-clickstream-raw' && SkuMeter === 'storage',
    )
    expect(stored.map(({ PricingQuantity, BilledCost }) => [PricingQuantity, BilledCost])).to.eql([
      ['399.0322580645', '9.1777419355'],
      ['400', '9.2'],
    ])
  })

  it('leave a development cluster running over the weekend', async () => {
    expect(await history('sim-azure-dev', 'corp-dev-workers', '2026-03-13', '2026-03-15')).to.eql([
      ['2026-03-13', 'on_demand', 0.192, '18.432'],
      ['2026-03-14', 'on_demand', 0.192, '18.432'],
      ['2026-03-15', 'on_demand', 0.192, '18.432'],
    ])
  })

  it('bill what is not used of a savings plan, beside what is', async () => {
    const lines = await billed(sim, 'sim-aws-production', '2026-03-10')
    const plan = lines.filter(({ CommitmentDiscountId }) => CommitmentDiscountId === 'savingsplan-sim-compute-3y')
    // 24 x 0.7 are committed, of which three machines use 24 x 0.18144 each.
    expect(plan.map(({ CommitmentDiscountStatus, EffectiveCost }) => [CommitmentDiscountStatus, EffectiveCost])).to.eql(
      [
        ['Used', '4.35456'],
        ['Used', '4.35456'],
        ['Used', '4.35456'],
        ['Unused', '3.73632'],
      ],
    )
  })

  it('change size and hours of a machine on the day on which something was done about it', async () => {
    // The first of February is a Sunday.
    expect(await history('sim-aws-production', 'invoice-render-1', '2026-01-30', '2026-02-03')).to.eql([
      ['2026-01-30', 'on_demand', 0.384, '9.216'],
      ['2026-01-31', 'on_demand', 0.384, '9.216'],
      ['2026-02-02', 'on_demand', 0.172, '2.064'],
      ['2026-02-03', 'on_demand', 0.172, '2.064'],
    ])
    expect(await history('sim-aws-staging', 'night-report-1', '2026-02-06', '2026-02-10')).to.eql([
      ['2026-02-06', 'on_demand', 0.384, '2.304'],
      ['2026-02-07', 'on_demand', 0.384, '2.304'],
    ])
  })

  it('open an account 16 days ago, at a quarter of what all the others cost', async () => {
    expect(await billed(sim, 'sim-aws-analytics', '2026-02-01', '2026-02-27')).to.eql([])
    const day = await everyBill(sim, '2026-03-03', '2026-03-03')
    const young = day.filter(({ SubAccountId }) => SubAccountId === 'sim-aws-analytics')
    expect(Number(cost(young)) / (Number(cost(day)) - Number(cost(young)))).to.be.within(0.25, 0.4)
  })
})
