/** Events of CloudTrail's history: the last 90 days, the newest first; reading them costs nothing. */
import type { Event } from '@aws-sdk/client-cloudtrail'
import { Fault } from '#engine/value/fault.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'

/** Of one kind of event, this many pages of 50 events are read: AWS allows two calls a second. */
const pagesMax = 10
const pageMax = 50

/** An event of a call that succeeded. */
export type TrailEvent = Event & { EventTime: Date }

interface TrailPage {
  events: readonly TrailEvent[]
  /** Of the last page if more are left: events at this time and before were not read. */
  readTo?: Date
}

export async function* eventsNamed(place: RegionScan, name: string, StartTime?: Date): AsyncGenerator<TrailPage> {
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
    const isLast = ++pages === pagesMax && NextToken !== undefined
    const events = listOf(Events).filter(isSuccess)
    yield { events, ...(isLast && { readTo: listOf(Events).at(-1)?.EventTime ?? new Date() }) }
    if (isLast) return
  }
}

const isSuccess = (event: Event): event is TrailEvent =>
  event.EventTime !== undefined && !/"errorCode"\s*:/.test(event.CloudTrailEvent ?? '')

/** `otherwise` if CloudTrail refuses or fails: resources are found without their history. */
export async function ifTold<T>(place: RegionScan, name: string, read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return (await place.more(name, read)) ?? otherwise
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    return otherwise
  }
}
