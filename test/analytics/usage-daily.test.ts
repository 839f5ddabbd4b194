import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'

let generation = 0

describe('what was used by day', () => {
  let ch: ClickHouseClient
  let org: string
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = `org-${randomUUID()}`))

  const bill = (...values: object[]) => ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values })
  const recompute = () =>
    recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], String(++generation))
  const used = async (columns: string): Promise<string[]> => {
    const query = `SELECT ${columns} FROM usage_daily WHERE org_id = {org:String} ORDER BY ALL`
    const result = await ch.query({ query, query_params: { org }, format: 'TabSeparated' })
    return (await result.text()).split('\n').slice(0, -1)
  }

  it('says what a line is for by its service, its meter and its unit, of lines of all clouds', async () => {
    const lines: [provider: string, service: string, meter: string, unit: string, component: string][] = [
      ['aws', 'AmazonEC2', 'USW2-BoxUsage:m5.large', 'Hrs', 'compute'],
      ['aws', 'AmazonEC2', 'EBS:VolumeUsage.gp3', 'GB-Mo', 'storage'],
      ['aws', 'AmazonEC2', 'USE2-EBS:VolumeP-IOPS.gp3', 'IOPS-Mo', 'iops'],
      ['aws', 'AmazonEC2', 'EBS:VolumeP-Throughput.gp3', 'GiBps-mo', 'throughput'],
      ['aws', 'AmazonEC2', 'NatGateway-Bytes', 'GB', 'nat_processing'],
      ['aws', 'AmazonEC2', 'NatGateway-Hours', 'Hrs', 'compute'],
      ['aws', 'AmazonVPC', 'USW2-PublicIPv4:InUseAddress', 'Hrs', 'public_ipv4'],
      ['aws', 'AmazonEC2', 'DataTransfer-Regional-Bytes', 'GB', 'inter_az'],
      ['aws', 'AmazonS3', 'USE1-CAN1-AWS-Out-Bytes', 'GB', 'data_transfer'],
      ['aws', 'AmazonS3', 'USW2-Requests-Tier2', 'Requests', 'requests'],
      ['aws', 'AmazonS3', 'TimedStorage-ByteHrs', 'GB-Mo', 'storage'],
      ['aws', 'AmazonCloudWatch', 'CAN1-TimedStorage-ByteHrs', 'GB-Mo', 'log_storage'],
      ['aws', 'AmazonCloudWatch', 'USW2-DataProcessing-Bytes', 'GB', 'log_ingest'],
      ['aws', 'AmazonRDS', 'InstanceUsage:db.r6g.large', 'Hrs', 'compute'],
      ['aws', 'AmazonRDS', 'RDS:ChargedBackupUsage', 'GB-Mo', 'backup'],
      ['aws', 'AmazonRDS', 'USW2-ExtendedSupport:Yr1-Yr2:MySQL5.7', 'vCPU-hour', 'extended_support'],
      ['aws', 'AmazonRDS', 'Aurora:StorageIOUsage', 'IOs', 'io_requests'],
      ['aws', 'AWSLambda', 'Lambda-Provisioned-Concurrency', 'GB-Second', 'provisioned_concurrency'],
      ['aws', 'Amazon Elastic Compute Cloud', '', 'GB-Months', 'storage'],
      ['aws', 'Amazon Elastic Compute Cloud', '', 'IOPS-Months', 'iops'],
      ['aws', 'Elastic Load Balancing', '', 'LCU-Hours', 'capacity'],
      ['gcp', 'Compute Engine', 'N2 Instance Core running in Americas', 'seconds', 'compute'],
      ['gcp', 'Compute Engine', 'SSD backed PD Capacity', 'byte-seconds', 'storage'],
      ['gcp', 'Cloud Run', 'Memory Allocation Time', 'byte-seconds', 'memory'],
      ['gcp', 'Stackdriver Logging', 'Log Volume', 'bytes', 'log_ingest'],
      ['azure', 'Virtual Machines', 'D2 v3/D2s v3', '1 Hour', 'compute'],
      ['azure', 'Storage', 'P4 LRS Disk', '1/Month', 'storage'],
      ['azure', 'Storage', 'GRS List and Create Container Operations', '10K', 'requests'],
      ['azure', 'SQL Managed Instance', 'vCore', '1 Hour', 'compute'],
      ['azure', 'Bandwidth', 'Data Transfer Out', '1 GB', 'data_transfer'],
      ['azure', 'Azure Databricks', 'Premium All-purpose Compute DBU', '1 Hour', 'dbu'],
      ['aws', 'simulated', 'run', 'Hours', 'compute'],
      ['gcp', 'compute', '', '', 'other'],
      ['aws', 'AWSSomething', 'Nothing-anybody-knows', 'Things', 'other'],
    ]
    await bill(
      ...lines.map(([x_Provider, ServiceName, SkuMeter, ConsumedUnit], i) =>
        fact(org, `l${i}`, 1, { x_Provider, ServiceName, SkuMeter, ConsumedUnit, ResourceId: `r${i}` }),
      ),
    )
    await recompute()
    expect((await used('resource_uid, component')).toSorted()).to.deep.equal(
      lines.map(([, , , , component], i) => `r${i}\t${component}`).toSorted(),
    )
  })

  it('takes a line without meter and unit that has hours of usage for running', async () => {
    const line = { x_Provider: 'aws', ServiceName: 'Amazon Elastic Compute Cloud', ResourceType: 'aws-ec2' }
    await bill(
      fact(org, 'l1', 2.304, { ...line, ResourceId: 'i-1', x_UsageHours: 24 }),
      fact(org, 'l2', 2.304, { ...line, ResourceId: 'i-2' }),
      fact(org, 'l3', 2.304, { ...line, ResourceId: 'i-3', x_UsageHours: 24, ConsumedUnit: 'GB-Mo' }),
    )
    await recompute()
    expect(await used('resource_uid, component, hours')).to.deep.equal([
      'i-1\tcompute\t24',
      'i-2\tother\t0',
      'i-3\tstorage\t24',
    ])
  })

  it('adds up hours, quantities and the four costs by how they are priced and what commitment covered them', async () => {
    const run = { ResourceId: 'i-1', ServiceName: 'AmazonEC2', SkuMeter: 'BoxUsage:m5.large', ConsumedUnit: 'Hrs' }
    const plan = { CommitmentDiscountId: 'sp-1', x_PurchaseType: 'savings_plan', CommitmentDiscountStatus: 'Used' }
    await bill(
      fact(org, 'l1', '0.5', { ...run, ConsumedQuantity: '5' }),
      fact(org, 'l2', '0.7', { ...run, ConsumedQuantity: '7', PricingCategory: 'Standard', ListCost: '0.9' }),
      fact(org, 'l3', '0.3', {
        ...run,
        ...plan,
        x_UsageHours: 6,
        BilledCost: '0',
        ContractedCost: '0.6',
        ListCost: '0.8',
      }),
      fact(org, 'l4', '4', {
        ...run,
        x_PurchaseType: 'spot',
        PricingQuantity: '2',
        PricingUnit: 'Hrs',
        ConsumedUnit: '',
      }),
      fact(org, 'l5', '2', { ServiceName: 'Tax', ChargeCategory: 'Tax' }),
      fact(org, 'e1', '9', { ...run, x_Source: 'estimate' }),
    )
    await recompute()
    const columns = `resource_uid, component, purchase_type, pricing_category, commitment_id, commitment_status, unit, hours,
      quantity, billed_cost, effective_cost, contracted_cost, list_cost`
    expect(await used(columns)).to.deep.equal([
      ['', 'other', 'on_demand', '', '', '', '', 0, 0, 2, 2, 2, 2].join('\t'),
      ['i-1', 'compute', 'on_demand', 'Standard', '', '', 'Hrs', 12, 12, 1.2, 1.2, 1.2, 1.4].join('\t'),
      ['i-1', 'compute', 'savings_plan', 'Committed', 'sp-1', 'Used', 'Hrs', 6, 0, 0, 0.3, 0.6, 0.8].join('\t'),
      ['i-1', 'compute', 'spot', 'Dynamic', '', '', 'Hrs', 2, 2, 4, 4, 4, 4].join('\t'),
    ])
  })
})
