/** What something would cost, against amounts worked out by hand. */
import { expect } from 'chai'
import type { Configs } from '#actors/catalog/config/config.ts'
import { estimate, type CloudRegion } from '#actors/catalog/config/estimate.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import type { OwnValue } from '#actors/recommendation/reference/book/own-values.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'

const at = { now: new Date('2026-01-15T10:00:00Z'), families: [] }
const tables = new ReferenceTables().at(at)
const aws: CloudRegion = { provider: 'aws', region: 'us-east-1' }
const cost = <Kind extends ProvisioningKind>(kind: Kind, config: Configs[Kind], place = aws, of = tables) =>
  estimate(kind, config, place, of)

const cluster: Configs['kubernetes'] = {
  name: 'shop',
  version: '1.31',
  nodeGroups: [{ name: 'general', instanceType: 'm5.large', min: 2, max: 6 }],
  vpcID: 'vpc-1',
  subnetIDs: ['s-1'],
}
const postgres: Configs['datastore'] = {
  engine: 'postgres',
  version: '16.3',
  instanceClass: 'db.m5.large',
  allocatedStorageGB: 100,
  multiAZ: true,
  backupRetentionDays: 7,
}
const pool: Configs['vm_pool'] = {
  name: 'workers',
  instanceType: 'm5.large',
  min: 1,
  max: 3,
  createLoadBalancer: true,
  listenerPorts: [80],
}
const priced = (effectiveOn: string) => ({ source: 'price tables', effectiveOn })
const names = ({ items, unknown }: ReturnType<typeof cost>) => [items.map(({ name }) => name), unknown]

describe('what something would cost', () => {
  it('is that of a control plane and of the nodes at their least, and beside it at their most', () => {
    // An m5.large is 0.096 an hour, a control plane 0.1: 0.292 and 0.676 an hour, times 730.
    expect(cost('kubernetes', cluster)).to.deep.equal({
      hourlyUSD: 0.292,
      monthlyUSD: 213.16,
      maxHourlyUSD: 0.676,
      maxMonthlyUSD: 493.48,
      items: [
        {
          name: 'control plane',
          units: 1,
          maxUnits: 1,
          unitHourlyUSD: 0.1,
          hourlyUSD: 0.1,
          monthlyUSD: 73,
          price: priced('2025-01'),
        },
        {
          name: 'node group general, m5.large',
          units: 2,
          maxUnits: 6,
          unitHourlyUSD: 0.096,
          hourlyUSD: 0.192,
          monthlyUSD: 140.16,
          price: priced('2026-08'),
        },
      ],
      unknown: ['node disks', 'traffic, billed by usage'],
    })
  })

  it('is that of a server, of the one that stands by, and of what it keeps', () => {
    // db.m5.large for postgres is 0.178, twice; a gigabyte-month of gp3 0.115, twice.
    expect(cost('datastore', postgres)).to.deep.equal({
      hourlyUSD: 0.387507,
      monthlyUSD: 282.88,
      maxHourlyUSD: 0.387507,
      maxMonthlyUSD: 282.88,
      items: [
        {
          name: 'db.m5.large',
          units: 1,
          maxUnits: 1,
          unitHourlyUSD: 0.356,
          hourlyUSD: 0.356,
          monthlyUSD: 259.88,
          price: priced('2025-01'),
        },
        {
          name: 'storage, 100 GB',
          units: 100,
          maxUnits: 100,
          unitHourlyUSD: 0.000315,
          hourlyUSD: 0.031507,
          monthlyUSD: 23,
          price: priced('2025-01'),
        },
      ],
      unknown: ['backups, billed by stored size', 'traffic, billed by usage'],
    })
    const one = cost('datastore', { ...postgres, multiAZ: false, backupRetentionDays: 0 })
    expect([one.monthlyUSD, one.unknown]).to.deep.equal([141.44, ['traffic, billed by usage']])
  })

  it('is that of two nodes of a cache whose second stands by, and of no storage', () => {
    const redis = { ...postgres, engine: 'redis' as const, instanceClass: 'cache.m5.large', allocatedStorageGB: 0 }
    const [node, ...others] = cost('datastore', redis).items
    expect([node!.units, others]).to.deep.equal([2, []])
    expect(cost('datastore', { ...redis, multiAZ: false }).monthlyUSD * 2).to.be.closeTo(
      cost('datastore', redis).monthlyUSD,
      0.011,
    )
  })

  it('is that of machines, and of the load balancer that is asked for', () => {
    const found = cost('vm_pool', pool)
    // 0.096 and 0.0225 an hour.
    expect([found.hourlyUSD, found.monthlyUSD, found.maxMonthlyUSD]).to.deep.equal([0.1185, 86.51, 226.67])
    expect(names(found)[0]).to.deep.equal(['machines, m5.large', 'load balancer'])
    expect(cost('vm_pool', { ...pool, createLoadBalancer: false }).monthlyUSD).to.equal(70.08)
    expect(cost('vm_pool', { ...pool, min: 0, createLoadBalancer: false }).monthlyUSD).to.equal(0)
  })

  it('counts what has no price as nothing, and says so', () => {
    expect(names(cost('vm_pool', { ...pool, instanceType: 'm99.huge' }))).to.deep.equal([
      ['load balancer'],
      ['machines, m99.huge', 'machine disks', 'traffic, billed by usage'],
    ])
    const elsewhere = { provider: 'aws', region: 'ap-south-1' } as const
    expect(names(cost('vm_pool', pool, elsewhere))[1]).to.include('load balancer')
    const azure = { provider: 'azure', region: 'eastus' } as const
    const flexible = { ...postgres, instanceClass: 'Standard_D2s_v3' }
    expect(names(cost('datastore', flexible, azure))).to.deep.equal([
      [],
      ['Standard_D2s_v3', 'storage, 100 GB', 'backups, billed by stored size', 'traffic, billed by usage'],
    ])
    expect(names(cost('registry', { name: 'images', immutableTags: false }, azure))[1]).to.include(
      'registry, billed by day',
    )
  })

  it('is by the prices of each cloud', () => {
    const google = { provider: 'gcp', region: 'us-central1' } as const
    // n1-standard-1 in us-central1: one vCPU and 3.75 GiB.
    const machines = cost('vm_pool', { ...pool, instanceType: 'n1-standard-1' }, google)
    expect(names(machines)[0]).to.deep.equal(['machines, n1-standard-1', 'load balancer'])
    // 2 vCPUs at 0.0413 and 7.5 GiB at 0.007, and as much again for the one that stands by.
    const sql = cost('datastore', { ...postgres, instanceClass: 'db-custom-2-7680' }, google)
    expect([sql.hourlyUSD, sql.items.length, sql.unknown[0]]).to.deep.equal([0.2702, 1, 'storage, 100 GB'])
  })

  it('takes the prices of an operator in place of the tables', () => {
    const own: OwnValue[] = [
      { kind: 'ec2', region: 'us-east-1', name: 'm5.large', field: 'usd_hour', value: '0.05' },
      { kind: 'price', region: '', name: 'aws.eks.cluster_hour', field: 'usd', value: '0.01' },
    ]
    expect(cost('kubernetes', cluster, aws, new ReferenceTables(own).at(at)).hourlyUSD).to.equal(0.11)
  })

  it('is nothing for networks, and by use alone for registries and components', () => {
    const network = { name: 'n', cidr: '10.0.0.0/16', subnets: [{ name: 'a', cidr: '10.0.0.0/24', public: true }] }
    expect(names(cost('network', network))).to.deep.equal([['network'], ['traffic, billed by usage']])
    expect(cost('registry', { name: 'r', immutableTags: true })).to.deep.equal({
      hourlyUSD: 0,
      monthlyUSD: 0,
      maxHourlyUSD: 0,
      maxMonthlyUSD: 0,
      items: [],
      unknown: ['images, billed by stored size', 'traffic, billed by usage'],
    })
    expect(cost('component', { componentID: 'flux', values: {} }).monthlyUSD).to.equal(0)
    const balancer = { name: 'b', scheme: 'public' as const, targetUID: 'asg', listeners: [] }
    expect(cost('load_balancer', balancer).monthlyUSD).to.equal(16.43)
  })
})
