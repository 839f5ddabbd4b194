/** What published prices change of prices, rates, findings and estimates, and how figures name them. */
import { expect } from 'chai'
import { estimate } from '#actors/catalog/config/estimate.ts'
import type { OwnValue } from '#actors/recommendation/reference/book/own-values.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { AuditedVolume, organizationNow } from '#test/harness/audit.ts'
import { priced } from '#test/harness/reference.ts'

const published = (kind: string, name: string, field: string, value: string, region = 'eu-west-1'): OwnValue => ({
  kind,
  region,
  name,
  field,
  value,
  source: 'aws',
  on: '2026-11-01',
})

const values: OwnValue[] = [
  published('ec2', 'm5.2xlarge', 'usd_hour', '0.428'),
  published('ec2', 'm5.large', 'usd_hour', '0.107'),
  published('rds', 'db.m5.large', 'usd_hour_postgres', '0.198'),
  published('commitment', 'aws-rds-reserved/db.m5.large', '1yr_no_upfront', '0.66'),
]
const viewed = (more: readonly OwnValue[] = []) =>
  new ReferenceTables([...values, ...more]).at({ now: new Date('2026-11-23T10:00:00Z'), families: [] })

const machine = (size: string, region = 'eu-west-1') => priced('aws-ec2', size, {}, region)
const database = (engine: string) => priced('aws-rds', 'db.m5.large', { 'specs.engine': engine }, 'eu-west-1')

describe('prices that AWS publishes', () => {
  it('replace the tables in their region, and a size that they leave out is not sold there', () => {
    const view = viewed()
    expect([view.price(machine('m5.large'), undefined), view.price(machine('m5a.large'), undefined)]).to.deep.equal([
      0.107,
      undefined,
    ])
    expect(view.price(machine('m5.large', 'us-east-1'), undefined)).to.equal(0.096)
  })

  it('are of one engine of a database, and what an operator loaded comes first', () => {
    const own = { kind: 'rds', region: '', name: 'db.m5.large', field: 'usd_hour', value: '0.15' }
    expect(viewed().price(database('postgres'), undefined)).to.equal(0.198)
    expect(viewed().price(database('mysql'), undefined)).to.equal(undefined)
    expect(viewed([own]).price(database('postgres'), undefined)).to.equal(0.15)
  })

  it('tell the rates of reservations by size, where tables know none', () => {
    expect(viewed().tierRates('aws-rds-reserved', database('mysql'))).to.deep.equal({ '1yr_no_upfront': 0.66 })
    const other = priced('aws-rds', 'db.r5.large', {}, 'eu-west-1')
    expect(viewed().tierRates('aws-rds-reserved', other)).to.equal(undefined)
  })

  it('tell the rates of a renewal by what is renewed, from tables too', () => {
    const ending = (type: string, spec: string, kind: string) =>
      priced(type, 'db.m5.large', { [spec]: kind }, 'eu-west-1')
    const view = viewed()
    const reserved = (product: string) =>
      view.tierRates('aws-reserved-renewal', ending('aws-reserved-instance', 'specs.product', product))
    expect([reserved('rds'), reserved('redshift'), reserved('lightsail')]).to.deep.equal([
      { '1yr_no_upfront': 0.66 },
      { '1yr_no_upfront': 0.8 },
      undefined,
    ])
    const plan = ending('aws-savings-plan', 'specs.plan_type', 'Compute')
    expect(view.tierRates('aws-savings-plan-renewal', plan)).to.deep.equal({ '1yr_no_upfront': 0.73 })
    const cud = ending('gcp-commitment', 'specs.commitment_type', 'GENERAL_PURPOSE_N2')
    expect(view.tierRates('gcp-cud-renewal', cud)).to.deep.equal({ '1yr_no_upfront': 0.63, '3yr_no_upfront': 0.45 })
  })

  it('are named with their source and date, like those of tables and of an operator', () => {
    const own = {
      kind: 'price',
      region: '',
      name: 'aws.ipv4.public_hour',
      field: 'usd',
      value: '0.004',
      on: '2026-05-02',
    }
    const { quotes } = viewed([own])
    const asTable = quotes!.price(machine('m5.large', 'us-east-1'), undefined)
    expect(asTable).to.deep.equal({
      name: 'm5.large',
      usd: 0.096,
      per: 'hour',
      source: 'price tables',
      effectiveOn: '2026-08',
    })
    expect(quotes!.price(machine('m5.2xlarge'), { instance_type: 'm5.large' })).to.deep.equal({
      name: 'm5.large',
      usd: 0.107,
      per: 'hour',
      source: 'price list of AWS',
      effectiveOn: '2026-11-01',
    })
    expect(quotes!.unit('aws.ipv4.public_hour', machine(''))).to.deep.equal({
      name: 'aws.ipv4.public_hour',
      usd: 0.004,
      per: 'unit',
      source: "operator's price file",
      effectiveOn: '2026-05-02',
    })
    expect(quotes!.rates('aws-redshift-reserved', priced('aws-redshift', 'ra3.xlplus'))).to.deep.equal([
      {
        name: 'aws-redshift-reserved 1yr_no_upfront',
        share: 0.8,
        source: 'Redshift pricing page',
        effectiveOn: '2025-01',
      },
    ])
  })

  it('are in the evidence of a saving that comes from them', () => {
    const volume = new AuditedVolume(organizationNow({ references: viewed() }))
    const made = { created_at: '2025-01-01T00:00:00Z', state: 'in-use' }
    const specs = { ...made, volume_type: 'gp2', iops: 300, throughput_mibps: 100, encrypted: true }
    volume.discover({ specs, instanceType: 'gp2', region: 'eu-west-1' })
    const { emitted } = volume.gather({ 'bill.cost_30d': 10, 'bill.component.storage_30d': 10 })
    const found = emitted.map(({ data }) => data.finding).find(({ ruleId }) => ruleId === 'RC-1111')
    // gp2 is 0.10 a gigabyte, gp3 0.08.
    expect(found?.evidence['prices']).to.deep.equal([
      { name: 'aws-ebs-volume/gp2', usd: 0.1, per: 'gb_month', source: 'price tables', effectiveOn: '2025-01' },
      { name: 'aws-ebs-volume/gp3', usd: 0.08, per: 'gb_month', source: 'price tables', effectiveOn: '2025-01' },
    ])
  })

  it('make a recommendation to buy a reservation, which names its rate', () => {
    const db = new AuditedVolume(organizationNow({ references: viewed() }), 'db-1')
    const specs = { created_at: '2025-01-01T00:00:00Z', engine: 'mysql', state: 'available', multi_az: false }
    const found = { resourceUid: 'db-1', type: 'aws-rds', instanceType: 'db.m5.large', region: 'eu-west-1', specs }
    db.discover(found)
    const bill = { 'bill.cost_30d': 72, 'bill.on_demand_cost_30d': 72, 'bill.component.compute_30d': 72 }
    const use = { 'bill.usage_hours_30d': 720, 'bill.on_demand_share_30d': 1, 'hist.running_share_30d': 1 }
    const { emitted } = db.gather({ ...bill, ...use })
    const buy = emitted.map(({ data }) => data.finding).find(({ ruleId }) => ruleId === 'RC-1505')!
    // Of 72 dollars 0.66 remain: 24.48 saved; 72 / 720 is 0.1 an hour, 0.066 with the reservation.
    expect([buy.savingsUsd, buy.tierRates]).to.deep.equal([24.48, { onDemand: 0.1, oneYear: 0.066 }])
    expect(buy.evidence['prices']).to.deep.equal([
      {
        name: 'aws-rds-reserved 1yr_no_upfront',
        share: 0.66,
        source: 'price list of AWS',
        effectiveOn: '2026-11-01',
      },
    ])
  })

  it('are the prices of an estimate, item by item', () => {
    const config = { instanceType: 'm5.large', min: 2, max: 3, createLoadBalancer: false }
    const { items, hourlyUSD } = estimate(
      'vm_pool',
      config as never,
      { provider: 'aws', region: 'eu-west-1' },
      viewed(),
    )
    // Two machines at 0.107.
    expect([hourlyUSD, items.map(({ price }) => price)]).to.deep.equal([
      0.214,
      [{ source: 'price list of AWS', effectiveOn: '2026-11-01' }],
    ])
  })
})
