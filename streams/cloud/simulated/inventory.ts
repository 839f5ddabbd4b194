import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { isCounted, schedulable } from '#streams/cloud/resource-type.ts'
import { dayOf, daysBetween } from '#engine/day.ts'
import { askedLast, stateAt, statusAt, unitsAt, type PowerLog } from '#streams/cloud/simulated/power.ts'
import { attachment, stateAttributes } from '#streams/cloud/simulated/attributes.ts'
import { countsAt, countsTold } from '#streams/cloud/simulated/capacity.ts'
import { gigabytesOn, hourlyRateOn, sizeOn, type SimResource } from '#streams/cloud/simulated/resource.ts'
import type { World } from '#streams/cloud/simulated/world.ts'

/** What is in the account's regions now; every region when `regions` is empty. */
export const present = (resources: readonly SimResource[], regions: readonly string[], now: Date): SimResource[] =>
  resources.filter(({ born, region }) => born <= dayOf(now) && (regions.length === 0 || regions.includes(region)))

/** A resource as discovery describes it at the moment `now`. */
export function described(
  world: World,
  log: PowerLog,
  accountId: string,
  resource: SimResource,
  now: Date,
): DiscoveredResource {
  const { uid, name, type, region, parentUid, group, owned, tags } = resource
  const day = dayOf(now)
  const units = unitsAt(world, log, accountId, resource, now.getTime())
  const whole = stateAt(log, accountId, resource, now.getTime()).units
  const size = sizeOn(resource, day)
  const rate = hourlyRateOn(resource, day)
  const status = statusAt(world, log, accountId, resource, now.getTime())
  const asked = countsAsked(log, accountId, resource, now.getTime())
  return {
    resourceUid: uid,
    name,
    type,
    provider: resource.account.provider,
    region,
    status,
    schedulable: schedulable(type, owned),
    tags: { ...tags },
    specs: { ...specsOn(resource, day), ...stateAttributes(type, status), ...asked },
    ...(parentUid !== undefined && { parentUID: parentUid }),
    ...(size !== undefined && { instanceType: size }),
    ...(resource.sizeGB !== undefined && { sizeGB: Math.round(gigabytesOn(resource, day, world.today)) }),
    ...(resource.units !== undefined && { unitCount: units }),
    ...(group !== undefined && { resourceGroup: group }),
    ...(rate !== undefined && { hourlyRateUSD: Number((rate * whole).toFixed(10)) }),
  }
}

/** What a fleet says of its counts once somebody has set them; until then what it has always said. */
function countsAsked(log: PowerLog, accountId: string, resource: SimResource, at: number): Record<string, number> {
  const { type, uid, specs } = resource
  if (!isCounted(type) || !askedLast(log, accountId, uid, at)) return {}
  return countsTold(specs, countsAt(log, accountId, uid, resource, at))
}

/** What counts days moves once a day, so that two scans of one day find the same. */
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
