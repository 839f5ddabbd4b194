import { listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, nameIn, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** A reservation is listed for a while after it ended. */
const ended = new Set<string | undefined>(['cancelled', 'expired', 'failed', 'payment-failed', 'unsupported'])

export const capacityReservations = listType('ec2', {
  type: 'aws-capacity-reservation',
  permissions: ['ec2:DescribeCapacityReservations'],
  list: (m, NextToken) =>
    new m.DescribeCapacityReservationsCommand({ MaxResults: 1000, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  // Other accounts share reservations, and pay for them.
  items: ({ CapacityReservations }, { account }) =>
    listOf(CapacityReservations).filter(({ OwnerId = account }) => OwnerId === account),
  isOwn: ({ State }) => !ended.has(State),
  uid: ({ CapacityReservationId }) => CapacityReservationId,
  fields: ({ AvailabilityZone, InstanceType, TotalInstanceCount, Tags }) => ({
    name: nameIn(Tags),
    zone: AvailabilityZone,
    instanceType: InstanceType,
    unitCount: TotalInstanceCount,
    tags: Tags,
  }),
  specs: {
    created_at: ({ CreateDate }) => timeOf(CreateDate),
    total_count: ({ TotalInstanceCount }) => TotalInstanceCount,
    state: ({ State }) => State,
    // A capacity block is paid for in advance and cannot be cancelled.
    reservation_type: ({ ReservationType }) => ReservationType,
    ends_at: ({ EndDate }) => timeOf(EndDate) ?? null,
  },
})

export const dedicatedHosts = listType('ec2', {
  type: 'aws-dedicated-host',
  permissions: ['ec2:DescribeHosts'],
  list: (m, NextToken) => new m.DescribeHostsCommand({ MaxResults: 500, ...(NextToken && { NextToken }) }),
  next: ({ NextToken }) => NextToken,
  // Other accounts share hosts, and pay for them.
  items: ({ Hosts }, { account }) => listOf(Hosts).filter(({ OwnerId = account }) => OwnerId === account),
  // A released host is listed for a while.
  isOwn: ({ State }) => !String(State).startsWith('released'),
  uid: ({ HostId }) => HostId,
  fields: ({ AvailabilityZone, HostProperties, Tags }) => ({
    name: nameIn(Tags),
    zone: AvailabilityZone,
    instanceType: HostProperties?.InstanceType ?? HostProperties?.InstanceFamily,
    tags: Tags,
  }),
  specs: {
    created_at: ({ AllocationTime }) => timeOf(AllocationTime),
    state: ({ State }) => State,
    instance_count: ({ Instances }) => listOf(Instances).length,
  },
})
