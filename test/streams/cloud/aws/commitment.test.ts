/** Reservations and savings plans as AWS's services list them. */
import { expect } from 'chai'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { account, stubOf } from './stub.ts'

const yearSeconds = 31_536_000
const start = new Date('2026-03-01T00:00:00Z')
const one = { StartTime: start, Duration: yearSeconds, State: 'active' }

/** One of each service that sells reservations, and one that has ended. */
const answers: Record<string, unknown> = {
  'ec2.DescribeReservedInstances': {
    ReservedInstances: [
      {
        ReservedInstancesId: 'r-1',
        InstanceType: 'm5.large',
        InstanceCount: 3,
        Start: start,
        Duration: 3 * yearSeconds,
        State: 'active',
        OfferingClass: 'standard',
      },
      { ReservedInstancesId: 'r-0', Start: start, Duration: yearSeconds, State: 'retired' },
    ],
  },
  'rds.DescribeReservedDBInstances': {
    ReservedDBInstances: [{ ...one, ReservedDBInstanceId: 'db-1', DBInstanceClass: 'db.m5.large', DBInstanceCount: 2 }],
  },
  'elasticache.DescribeReservedCacheNodes': {
    ReservedCacheNodes: [{ ...one, ReservedCacheNodeId: 'c-1', CacheNodeType: 'cache.m5.large', CacheNodeCount: 1 }],
  },
  'opensearch.DescribeReservedInstances': {
    ReservedInstances: [{ ...one, ReservedInstanceId: 'o-1', InstanceType: 'm5.large.search', InstanceCount: 1 }],
  },
  'redshift.DescribeReservedNodes': {
    ReservedNodes: [{ ...one, ReservedNodeId: 'n-1', NodeType: 'ra3.xlplus', NodeCount: 4 }],
  },
  'savingsplans.DescribeSavingsPlans': {
    savingsPlans: [
      {
        savingsPlanId: 's-1',
        savingsPlanArn: 'arn:aws:savingsplans::123456789012:savingsplan/s-1',
        savingsPlanType: 'Compute',
        commitment: '0.70',
        start: '2026-02-01T00:00:00Z',
        end: '2029-01-31T23:59:59Z',
        state: 'active',
      },
    ],
  },
}

describe('commitments in the inventory of AWS', () => {
  it('have their ends, under the names that bills call them by', async () => {
    const stub = stubOf(({ service, operation }) => answers[`${service}.${operation}`] ?? {})
    const only = new Set(['aws-reserved-instance', 'aws-savings-plan'])
    const scan = discoverAws({ open: stub.open })({ ...account, regions: ['us-east-1'] }, undefined, only)
    const all = (await Array.fromAsync(scan.pages)).flat()
    const shown = all.map(({ resourceUid, instanceType, unitCount, specs }) => [
      resourceUid,
      instanceType,
      unitCount,
      specs?.['end'],
    ])
    const east = (service: string, rest: string) => `arn:aws:${service}:us-east-1:123456789012:${rest}`
    // A year of 365 days from 1 March 2026 ends on 1 March 2027; three, one of them of 366 days, on 28 February 2029.
    const end = '2027-03-01T00:00:00.000Z'
    expect(shown).to.have.deep.members([
      [east('ec2', 'reserved-instances/r-1'), 'm5.large', 3, '2029-02-28T00:00:00.000Z'],
      [east('rds', 'ri:db-1'), 'db.m5.large', 2, end],
      [east('elasticache', 'reserved-instance:c-1'), 'cache.m5.large', 1, end],
      [east('es', 'reserved-instances/o-1'), 'm5.large.search', 1, end],
      [east('redshift', 'reserved-node:n-1'), 'ra3.xlplus', 4, end],
      ['arn:aws:savingsplans::123456789012:savingsplan/s-1', undefined, undefined, '2029-01-31T23:59:59.000Z'],
    ])
  })
})
