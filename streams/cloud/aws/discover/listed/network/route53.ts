import type { ListResourceRecordSetsResponse, ResourceRecordSet, Tag, TagResourceType } from '@aws-sdk/client-route-53'
import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { callsAtOnce, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf, nameIn } from '#streams/cloud/aws/map/resource.ts'

export const hostedZones = listType('route-53', {
  type: 'aws-route53-zone',
  permissions: ['route53:ListHostedZones', 'route53:ListResourceRecordSets', 'route53:ListTagsForResources'],
  scope: 'global',
  list: (m, Marker) => new m.ListHostedZonesCommand({ MaxItems: 100, ...(Marker && { Marker }) }),
  next: ({ NextMarker }) => NextMarker,
  items: async ({ HostedZones }, place) => {
    const zones = listOf(HostedZones).map((zone) => ({ ...zone, id: idOf(zone.Id) }))
    const tags = await tagsById(
      place,
      'hostedzone',
      zones.map(({ id }) => id),
    )
    return zones.map((zone) => ({ ...zone, tags: tags.get(zone.id) }))
  },
  detail: ({ id }, place) => recordsOf(place, id),
  uid: ({ id }) => id,
  fields: ({ Name, tags }) => ({ name: Name?.replace(/\.$/, ''), tags }),
  specs: {
    private: ({ Config }) => Config?.PrivateZone ?? false,
    // Every zone has its own NS and SOA.
    record_count: ({ ResourceRecordSetCount: count }) => (count === undefined ? undefined : Math.max(0, count - 2)),
    lone_latency_records: (_, records) => records?.loneLatencyNames,
    // Of a service, such as Cloud Map, which deletes it.
    managed: ({ LinkedService }) => LinkedService !== undefined,
  },
})

export const healthChecks = listType('route-53', {
  type: 'aws-route53-health-check',
  permissions: [
    'route53:ListHealthChecks',
    'route53:ListHostedZones',
    'route53:ListResourceRecordSets',
    'route53:ListTagsForResources',
    'cloudwatch:DescribeAlarms',
  ],
  scope: 'global',
  list: (m, Marker) => new m.ListHealthChecksCommand({ MaxItems: 1000, ...(Marker && { Marker }) }),
  next: ({ NextMarker }) => NextMarker,
  items: async ({ HealthChecks }, place) => {
    const ids = listOf(HealthChecks).flatMap(({ Id }) => Id ?? [])
    if (ids.length === 0) return []
    const [tags, uses] = await Promise.all([tagsById(place, 'healthcheck', ids), usesOf(place)])
    return listOf(HealthChecks).map((check) => ({
      ...check,
      tags: tags.get(check.Id ?? ''),
      useCount: uses?.filter((id) => id === check.Id).length,
    }))
  },
  uid: ({ Id }) => Id,
  fields: ({ tags }) => ({ name: nameIn(tags), tags }),
  specs: {
    check_type: ({ HealthCheckConfig }) => HealthCheckConfig?.Type,
    record_count: ({ useCount }) => useCount,
    // Of a service, such as Cloud Map, which deletes it.
    managed: ({ LinkedService }) => LinkedService !== undefined,
  },
})

const idOf = (id: string | undefined): string => id?.replace('/hostedzone/', '') ?? ''

async function tagsById(
  place: RegionScan,
  ResourceType: TagResourceType,
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, Tag[] | undefined>> {
  const answers = await mapConcurrently(chunks(ids, 10), callsAtOnce, (ResourceIds) =>
    also(place, `route53:ListTagsForResources ${ResourceType}`, () =>
      place.ask('route-53', (m) => new m.ListTagsForResourcesCommand({ ResourceType, ResourceIds })),
    ),
  )
  const sets = answers.flatMap((answer) => listOf(answer?.ResourceTagSets))
  return new Map(sets.map(({ ResourceId, Tags }) => [ResourceId, Tags]))
}

interface ZoneRecords {
  /** Names whose latency records are all of one region. */
  loneLatencyNames: number
  /** One for each record set that has one. */
  healthCheckIds: readonly string[]
}

/** Zones and health checks need the records of every zone: each zone is read once for a scan. */
const recordsByScan = new WeakMap<RegionScan, Map<string, Promise<ZoneRecords | undefined>>>()

/** Undefined where they may not be read, or the zone has gone. */
function recordsOf(place: RegionScan, zoneId: string): Promise<ZoneRecords | undefined> {
  const zones = recordsByScan.get(place) ?? new Map<string, Promise<ZoneRecords | undefined>>()
  recordsByScan.set(place, zones)
  const records = zones.get(zoneId) ?? also(place, 'route53:ListResourceRecordSets', () => readRecords(place, zoneId))
  zones.set(zoneId, records)
  return records
}

async function readRecords(place: RegionScan, HostedZoneId: string): Promise<ZoneRecords> {
  const latency = new Map<string, Set<string>>()
  const healthCheckIds: string[] = []
  for await (const { Name = '', Region, HealthCheckId } of recordSets(place, HostedZoneId)) {
    if (Region) latency.set(Name, (latency.get(Name) ?? new Set()).add(Region))
    if (HealthCheckId) healthCheckIds.push(HealthCheckId)
  }
  return { loneLatencyNames: [...latency.values()].filter(({ size }) => size === 1).length, healthCheckIds }
}

/** The place of the next page has three parts. */
async function* recordSets(place: RegionScan, HostedZoneId: string): AsyncGenerator<ResourceRecordSet> {
  let start: object | undefined = {}
  while (start) {
    const from: object = start
    const answer: ListResourceRecordSetsResponse = await place.ask(
      'route-53',
      (m) => new m.ListResourceRecordSetsCommand({ HostedZoneId, MaxItems: 300, ...from }),
    )
    yield* listOf(answer.ResourceRecordSets)
    const { IsTruncated, NextRecordName, NextRecordType, NextRecordIdentifier } = answer
    start = IsTruncated
      ? {
          StartRecordName: NextRecordName,
          StartRecordType: NextRecordType,
          ...(NextRecordIdentifier && { StartRecordIdentifier: NextRecordIdentifier }),
        }
      : undefined
  }
}

/** Health checks that records, other checks and alarms use, one entry for each use. Undefined where one of these may not be read. */
async function usesOf(place: RegionScan): Promise<readonly string[] | undefined> {
  const parts = [
    await recordUses(place),
    await place.more('route53:ListHealthChecks', () => checkUses(place)),
    await alarmUses(place),
  ]
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length ? known.flat() : undefined
}

async function recordUses(place: RegionScan): Promise<readonly string[] | undefined> {
  const answers = await place.more('route53:ListHostedZones', () =>
    Array.fromAsync(
      place.pages(
        'route-53',
        (m, Marker) => new m.ListHostedZonesCommand({ MaxItems: 100, ...(Marker && { Marker }) }),
        ({ NextMarker }) => NextMarker,
      ),
    ),
  )
  const ids = answers?.flatMap(({ HostedZones }) => listOf(HostedZones).map(({ Id }) => idOf(Id)))
  const zones = ids && (await mapConcurrently(ids, callsAtOnce, (id) => recordsOf(place, id)))
  const known = zones?.filter((zone) => zone !== undefined)
  return known?.length === zones?.length ? known?.flatMap(({ healthCheckIds }) => healthCheckIds) : undefined
}

async function checkUses(place: RegionScan): Promise<readonly string[]> {
  const answers = place.pages(
    'route-53',
    (m, Marker) => new m.ListHealthChecksCommand({ MaxItems: 1000, ...(Marker && { Marker }) }),
    ({ NextMarker }) => NextMarker,
  )
  const checks = (await Array.fromAsync(answers)).flatMap(({ HealthChecks }) => listOf(HealthChecks))
  return checks.flatMap(({ HealthCheckConfig }) => listOf(HealthCheckConfig?.ChildHealthChecks))
}

/** Metrics of Route 53 are in the region of what has none, where this is asked. */
async function alarmUses(place: RegionScan): Promise<readonly string[] | undefined> {
  const answers = await place.more('cloudwatch:DescribeAlarms', () =>
    Array.fromAsync(
      place.pages(
        'cloudwatch',
        (m, NextToken) =>
          new m.DescribeAlarmsCommand({
            AlarmTypes: ['MetricAlarm'],
            MaxRecords: 100,
            ...(NextToken && { NextToken }),
          }),
        ({ NextToken }) => NextToken,
      ),
    ),
  )
  return answers
    ?.flatMap(({ MetricAlarms }) => listOf(MetricAlarms))
    .flatMap(({ Dimensions, Metrics }) => [
      ...listOf(Dimensions),
      ...listOf(Metrics).flatMap(({ MetricStat }) => listOf(MetricStat?.Metric?.Dimensions)),
    ])
    .flatMap(({ Name, Value }) => (Name === 'HealthCheckId' && Value ? Value : []))
}
