import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import { isCounted, schedulable } from '#streams/cloud/resource/resource-type.ts'
import { dayOf, daysBetween } from '#engine/value/day.ts'
import type { ActionLog } from '#streams/cloud/simulated/action/log.ts'
import { gigabytesAt, goneAt, sizeAt, specsTold } from '#streams/cloud/simulated/action/alteration.ts'
import { askedLast, stateAt, statusAt, unitsAt } from '#streams/cloud/simulated/action/power.ts'
import { attachment, isStoppedInside, stateAttributes } from '#streams/cloud/simulated/world/attributes/attributes.ts'
import { countsAt, countsTold } from '#streams/cloud/simulated/action/capacity.ts'
import { policiesNow } from '#streams/cloud/simulated/action/native-policy.ts'
import { hourlyRateOn, type SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'

/** The resources in the account's regions now; in all regions if `regions` is empty. */
export const present = (
  world: World,
  log: ActionLog,
  { id, regions }: Pick<CloudAccount, 'id' | 'regions'>,
  resources: readonly SimResource[],
  now: Date,
): SimResource[] =>
  resources.filter(
    ({ uid, born, region }) =>
      born <= dayOf(now) &&
      (regions.length === 0 || regions.includes(region)) &&
      goneAt(world, log, id, uid) > now.getTime(),
  )

/** A resource as discovery reports it at the time `now`. */
export function describeResource(
  world: World,
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  now: Date,
): DiscoveredResource {
  const { uid, name, type, region, parentUid, group, owned, tags } = resource
  const day = dayOf(now)
  const units = unitsAt(world, log, accountId, resource, now.getTime())
  const whole = stateAt(log, accountId, resource, now.getTime()).units
  const size = sizeAt(log, accountId, resource, now.getTime())
  const rate = hourlyRateOn(resource, day, size)
  const { status, specs } = doing(world, log, accountId, resource, now)
  return {
    resourceUid: uid,
    name,
    type,
    provider: resource.account.provider,
    region,
    status,
    schedulable: schedulable(type, owned),
    tags: { ...tags },
    specs,
    ...(parentUid !== undefined && { parentUID: parentUid }),
    ...(size !== undefined && { instanceType: size }),
    ...(resource.sizeGB !== undefined && {
      sizeGB: Math.round(gigabytesAt(world, log, accountId, resource, now.getTime())),
    }),
    ...(resource.units !== undefined && { unitCount: units }),
    ...(group !== undefined && { resourceGroup: group }),
    ...(rate !== undefined && { hourlyRateUSD: Number((rate * whole).toFixed(10)) }),
  }
}

/** A machine may be off while its cloud considers it running: it was shut down from inside and is still charged. */
function doing(world: World, log: ActionLog, accountId: string, resource: SimResource, now: Date) {
  const at = now.getTime()
  const status = statusAt(world, log, accountId, resource, at)
  const specs = specsTold(log, accountId, resource.uid, at, {
    rest: { ...specsOn(resource, dayOf(at)), ...policiesTold(log, accountId, resource) },
    state: stateAttributes(resource.type, status),
    counts: countsAsked(log, accountId, resource, at),
  })
  return { status: isStoppedInside(resource.type, status, specs) ? ('stopped' as const) : status, specs }
}

/** Number of native policies, for types whose inventory has that. */
const policiesTold = (log: ActionLog, accountId: string, resource: SimResource): Record<string, number> =>
  resource.type === 'aws-asg'
    ? { scaling_policy_count: policiesNow(log, accountId, resource.uid, resource).length }
    : {}

/** The counts of a fleet after they were set; before that its specs are unchanged. */
function countsAsked(log: ActionLog, accountId: string, resource: SimResource, at: number): Record<string, number> {
  const { type, uid, specs } = resource
  if (!isCounted(type) || !askedLast(log, accountId, uid, at)) return {}
  return countsTold(specs, countsAt(log, accountId, uid, resource, at))
}

/** Values that count days change once a day, so that two scans on the same day find the same. */
function specsOn({ type, specs, since, until, born, unchanged }: SimResource, day: string): Record<string, unknown> {
  const past = Object.entries(since).map(([name, from]) => [name, Math.max(0, daysBetween(from, day))] as const)
  const ahead = Object.entries(until).map(([name, to]) => [name, daysBetween(day, to)] as const)
  return {
    simulated: true,
    created_at: `${born}T00:00:00Z`,
    ...attachment(type, specs),
    ...(unchanged !== undefined && { unchanged_since: `${unchanged}T00:00:00Z` }),
    ...specs,
    ...Object.fromEntries([...past, ...ahead]),
  }
}
