/** Since when volumes are unattached, from CloudTrail's event history: it has the last 90 days and costs nothing. */
import type { Event } from '@aws-sdk/client-cloudtrail'
import { Fault } from '#engine/value/fault.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'

/** Of one kind of event, this many pages of 50 events are read, the newest first: AWS allows two calls a second. */
const pagesMax = 10
const pageMax = 50

type Times = ReadonlyMap<string, Date>

const unknown: Times = new Map()

/**
 * Times of the last detachments, by volume. A volume is left out if CloudTrail does not say when: its machine was terminated,
 * the event is too old, or the volume was attached again later.
 */
export async function detachmentsOf(place: RegionScan, volumeIds: ReadonlySet<string>): Promise<Times> {
  if (volumeIds.size === 0) return unknown
  try {
    return (await place.more('detachments', () => readDetachments(place, volumeIds))) ?? unknown
  } catch (error) {
    // Volumes are found without their history.
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    return unknown
  }
}

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
  StartTime?: Date,
): Promise<LastEvents> {
  const times = new Map<string, Date>()
  let readTo = new Date(0)
  let pages = 0
  const answers = place.pages(
    'cloudtrail',
    (m, NextToken) =>
      new m.LookupEventsCommand({
        LookupAttributes: [{ AttributeKey: 'EventName', AttributeValue: name }],
        MaxResults: pageMax,
        ...(StartTime && { StartTime }),
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Events, NextToken } of answers) {
    for (const event of listOf(Events))
      for (const id of volumesOf(event)) if (volumeIds.has(id) && !times.has(id)) times.set(id, event.EventTime!)
    if (times.size === volumeIds.size) break
    if (++pages === pagesMax && NextToken) {
      readTo = listOf(Events).at(-1)?.EventTime ?? new Date()
      break
    }
  }
  return { times, readTo }
}

/** Volumes that an event is about; none if its call failed. */
function volumesOf({ CloudTrailEvent = '', EventTime, Resources }: Event): readonly string[] {
  if (!EventTime || /"errorCode"\s*:/.test(CloudTrailEvent)) return []
  return listOf(Resources).flatMap(({ ResourceName = '' }) => (ResourceName.startsWith('vol-') ? [ResourceName] : []))
}
