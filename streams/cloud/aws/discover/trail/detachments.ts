/** Since when volumes are unattached, by what CloudTrail says. */
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { eventsNamed, ifTold, type TrailEvent } from './trail.ts'

type Times = ReadonlyMap<string, Date>

const unknown: Times = new Map()

/**
 * Times of the last detachments, by volume. A volume is left out if CloudTrail does not say when: its machine was terminated,
 * the event is too old, or the volume was attached again later.
 */
export const detachmentsOf = async (place: RegionScan, volumeIds: ReadonlySet<string>): Promise<Times> =>
  volumeIds.size === 0 ? unknown : ifTold(place, 'detachments', () => readDetachments(place, volumeIds), unknown)

async function readDetachments(place: RegionScan, volumeIds: ReadonlySet<string>): Promise<Times> {
  const detached = await lastEvents(place, 'DetachVolume', volumeIds)
  if (detached.times.size === 0) return unknown
  const since = new Date(Math.min(...[...detached.times.values()].map(Number)))
  const attached = await lastEvents(place, 'AttachVolume', new Set(detached.times.keys()), since)
  const isStill = ([id, at]: [string, Date]) => at > attached.readTo && !(attached.times.get(id)! >= at)
  return new Map([...detached.times].filter(isStill))
}

interface LastEvents {
  /** Of the newest event of each volume. */
  times: Times
  /** Events at this time and before were not read. */
  readTo: Date
}

async function lastEvents(
  place: RegionScan,
  name: string,
  volumeIds: ReadonlySet<string>,
  from?: Date,
): Promise<LastEvents> {
  const times = new Map<string, Date>()
  for await (const { events, readTo } of eventsNamed(place, name, from)) {
    for (const event of events)
      for (const id of volumesOf(event)) if (volumeIds.has(id) && !times.has(id)) times.set(id, event.EventTime)
    if (times.size === volumeIds.size) break
    if (readTo) return { times, readTo }
  }
  return { times, readTo: new Date(0) }
}

const volumesOf = ({ Resources }: TrailEvent): readonly string[] =>
  listOf(Resources).flatMap(({ ResourceName = '' }) => (ResourceName.startsWith('vol-') ? [ResourceName] : []))
