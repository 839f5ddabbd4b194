import { Fault } from '#engine/value/fault.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { daysSince, type ListedFinder } from '#streams/cloud/aws/discover/listed.ts'
import { arnOf, listOf, resource, timeOf, type AwsTags, type Where } from '#streams/cloud/aws/map/resource.ts'
import { isNotOffered, isWord } from '#streams/cloud/aws/session/fault.ts'
import { isCredentialsRefused, type DiscoveredResource } from '#streams/cloud/connector.ts'
import { permissionIn } from '#streams/cloud/scan/scan.ts'

const types = ['aws-reserved-instance']
const pageMax = 100

/** What the services tell of a reservation, each in its own words. */
interface Reservation {
  /** As bills name it. */
  arn: string | undefined
  name: string | undefined
  type: string | undefined
  count: number | undefined
  start: Date | undefined
  /** Seconds. */
  duration: number | undefined
  state: string | undefined
  /** EC2 alone has classes and zones. */
  class?: string | undefined
  zone?: string | undefined
  tags?: AwsTags
}

type Product = (place: RegionScan) => AsyncGenerator<Reservation[]>

const products: Readonly<Record<string, Product>> = {
  async *ec2(place) {
    const { ReservedInstances } = await place.ask('ec2', (m) => new m.DescribeReservedInstancesCommand({}))
    yield listOf(ReservedInstances).map((one) => ({
      arn: arnIn('ec2', place, 'reserved-instances/', one.ReservedInstancesId),
      name: one.ReservedInstancesId,
      type: one.InstanceType,
      count: one.InstanceCount,
      start: one.Start,
      duration: one.Duration,
      state: one.State,
      class: one.OfferingClass,
      zone: one.AvailabilityZone,
      tags: one.Tags,
    }))
  },
  async *rds(place) {
    const answers = place.pages(
      'rds',
      (m, Marker) => new m.DescribeReservedDBInstancesCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    for await (const { ReservedDBInstances } of answers)
      yield listOf(ReservedDBInstances).map((one) => ({
        arn: one.ReservedDBInstanceArn ?? arnIn('rds', place, 'ri:', one.ReservedDBInstanceId),
        name: one.ReservedDBInstanceId,
        type: one.DBInstanceClass,
        count: one.DBInstanceCount,
        start: one.StartTime,
        duration: one.Duration,
        state: one.State,
      }))
  },
  async *elasticache(place) {
    const answers = place.pages(
      'elasticache',
      (m, Marker) => new m.DescribeReservedCacheNodesCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    for await (const { ReservedCacheNodes } of answers)
      yield listOf(ReservedCacheNodes).map((one) => ({
        arn: one.ReservationARN ?? arnIn('elasticache', place, 'reserved-instance:', one.ReservedCacheNodeId),
        name: one.ReservedCacheNodeId,
        type: one.CacheNodeType,
        count: one.CacheNodeCount,
        start: one.StartTime,
        duration: one.Duration,
        state: one.State,
      }))
  },
  async *redshift(place) {
    const answers = place.pages(
      'redshift',
      (m, Marker) => new m.DescribeReservedNodesCommand({ MaxRecords: pageMax, ...(Marker && { Marker }) }),
      ({ Marker }) => Marker,
    )
    for await (const { ReservedNodes } of answers)
      yield listOf(ReservedNodes).map((one) => ({
        arn: arnIn('redshift', place, 'reserved-node:', one.ReservedNodeId),
        name: one.ReservedNodeId,
        type: one.NodeType,
        count: one.NodeCount,
        start: one.StartTime,
        duration: one.Duration,
        state: one.State,
      }))
  },
  async *opensearch(place) {
    const answers = place.pages(
      'opensearch',
      (m, NextToken) =>
        new m.DescribeReservedInstancesCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { ReservedInstances } of answers)
      yield listOf(ReservedInstances).map((one) => ({
        arn: arnIn('es', place, 'reserved-instances/', one.ReservedInstanceId),
        name: one.ReservationName || one.ReservedInstanceId,
        type: one.InstanceType,
        count: one.InstanceCount,
        start: one.StartTime,
        duration: one.Duration,
        state: one.State,
      }))
  },
  async *memorydb(place) {
    const answers = place.pages(
      'memorydb',
      (m, NextToken) => new m.DescribeReservedNodesCommand({ MaxResults: pageMax, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    for await (const { ReservedNodes } of answers)
      yield listOf(ReservedNodes).map((one) => ({
        arn: one.ARN ?? arnIn('memorydb', place, 'reservednode/', one.ReservationId),
        name: one.ReservationId,
        type: one.NodeType,
        count: one.NodeCount,
        start: one.StartTime,
        duration: one.Duration,
        state: one.State,
      }))
  },
}

const arnIn = (service: string, where: Where, kind: string, id: string | undefined): string | undefined =>
  id && arnOf(service, where, kind + id)

/** Those that have ended, or never began, are listed for a long time: they commit to nothing. */
const over = new Set(['retired', 'payment-failed', 'queued-deleted'])

/** Regions in which a service did not answer: what is missing there may still be reserved. */
const partial = new WeakSet<RegionScan>()

export const reservedInstances: ListedFinder = {
  types,
  service: 'ec2',
  scope: 'region',
  permissions: [
    'ec2:DescribeReservedInstances',
    'rds:DescribeReservedDBInstances',
    'elasticache:DescribeReservedCacheNodes',
    'redshift:DescribeReservedNodes',
    'es:DescribeReservedInstances',
    'memorydb:DescribeReservedNodes',
  ],
  attributes: [
    'specs.created_at',
    'specs.product',
    'specs.offering_class',
    'specs.reserved_type',
    'specs.reserved_count',
    'specs.end',
    'specs.days_to_end',
    'specs.state',
  ],
  async *find(place) {
    for (const product of Object.keys(products)) yield* found(place, product)
  },
  seen: (place) => (partial.has(place) ? [] : [{ types, regions: [place.region] }]),
}

/** A service that does not answer, or refuses, hides its own reservations alone. */
async function* found(place: RegionScan, product: string): AsyncGenerator<DiscoveredResource[]> {
  try {
    for await (const reservations of products[product]!(place))
      yield reservations.flatMap((one) => reservationResource(product, one, place))
  } catch (error) {
    // The service is not offered in the region: its endpoint has no address, or says so.
    if (isWord(error, /^ENOTFOUND$/) || isNotOffered(error)) return
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    partial.add(place)
    const permission = permissionIn(error)
    if (permission !== undefined) place.notes.missing(permission)
    place.notes.lost(types, error)
  }
}

function reservationResource(product: string, one: Reservation, where: Where): DiscoveredResource[] {
  const { arn, name, type, count, start, duration, state = '', zone, tags } = one
  if (over.has(state)) return []
  const end = start && duration !== undefined ? start.getTime() + duration * 1000 : undefined
  return resource('aws-reserved-instance', arn, where, {
    name,
    state,
    zone,
    tags,
    parentUID: where.account,
    instanceType: type,
    unitCount: count,
    specs: {
      created_at: timeOf(start),
      product,
      offering_class: product === 'ec2' ? one.class : null,
      reserved_type: type,
      reserved_count: count,
      end: timeOf(end),
      days_to_end: end === undefined ? undefined : daysSince(new Date(), end),
      state: state || undefined,
    },
  })
}
