/** Since when Elastic IP addresses are not associated, by what CloudTrail says. */
import type { Address } from '@aws-sdk/client-ec2'
import { parseJson } from '#engine/value/json.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { eventsNamed, ifTold, type TrailEvent } from './trail.ts'

/** By allocation, or by IP address. */
type Times = ReadonlyMap<string, Date>

const unknown: Times = new Map()

export const isFree = ({ AssociationId, InstanceId, NetworkInterfaceId }: Address): boolean =>
  !(AssociationId ?? InstanceId ?? NetworkInterfaceId)

export const idOf = ({ AllocationId, PublicIp = '' }: Address): string => AllocationId ?? PublicIp

/**
 * Times at which a call ended the last association of each address. A call names the association alone, so the call that
 * began it must be among the events too. An address is left out if CloudTrail does not say: its machine was terminated, or
 * one of the events is too old.
 */
export const disassociationsOf = async (place: RegionScan, free: readonly Address[]): Promise<Times> =>
  free.length === 0 ? unknown : ifTold(place, 'disassociations', () => readDisassociations(place, free), unknown)

async function readDisassociations(place: RegionScan, free: readonly Address[]): Promise<Times> {
  const ends = new Map<string, Date>()
  for await (const { events } of eventsNamed(place, 'DisassociateAddress'))
    for (const event of events) for (const id of namesIn(event)) if (!ends.has(id)) ends.set(id, event.EventTime)
  if (ends.size === 0) return unknown
  const begins = await lastAssociations(place, free)
  const found = free.flatMap((one): [string, Date][] => {
    const began = begins.get(idOf(one)) ?? begins.get(one.PublicIp ?? '')
    const ended = began && (ends.get(began.association) ?? ends.get(one.PublicIp ?? ''))
    return ended && ended >= began.at ? [[idOf(one), ended]] : []
  })
  return new Map(found)
}

interface Association {
  association: string
  at: Date
}

/** The newest of each address, by allocation or by IP address. */
async function lastAssociations(
  place: RegionScan,
  free: readonly Address[],
): Promise<ReadonlyMap<string, Association>> {
  const wanted = new Set(free.flatMap((one) => [idOf(one), one.PublicIp ?? '']))
  const last = new Map<string, Association>()
  for await (const { events } of eventsNamed(place, 'AssociateAddress'))
    for (const event of events) {
      const association = textAt(contentOf(event), 'responseElements', 'associationId') ?? ''
      for (const id of namesIn(event))
        if (wanted.has(id) && !last.has(id)) last.set(id, { association, at: event.EventTime })
    }
  return last
}

/** What the call was about: an association, an allocation or an IP address. */
function namesIn(event: TrailEvent): string[] {
  const content = contentOf(event)
  return ['associationId', 'allocationId', 'publicIp'].flatMap(
    (name) => textAt(content, 'requestParameters', name) ?? [],
  )
}

function contentOf({ CloudTrailEvent = '' }: TrailEvent): unknown {
  try {
    return parseJson(CloudTrailEvent)
  } catch {
    return undefined
  }
}
