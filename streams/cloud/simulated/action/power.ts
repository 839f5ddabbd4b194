import { clusterTypes } from '#streams/cloud/resource/resource-type.ts'
import { dayOf, isWeekend, startOf } from '#engine/value/day.ts'
import type { ActionLog, PowerChange } from './log.ts'
import { hoursOn, type Hours, type SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'

/**
 * The number of units that run at a moment; 0 if the resource is off or does not exist yet. 1 for a running resource
 * without units.
 */
export function unitsAt(world: World, log: ActionLog, accountId: string, resource: SimResource, at: number): number {
  if (dayOf(at) < resource.born) return 0
  const cluster = clusterOf(world, resource)
  if (cluster && !stateAt(log, accountId, cluster, at).running) return 0
  const { running, units } = stateAt(log, accountId, resource, at)
  return running ? units : 0
}

/** Unit-hours in the given hours of a UTC day, by the state at the beginning of each. */
export function unitHours(
  world: World,
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  day: string,
  { from, to }: { from: number; to: number } = { from: 0, to: 24 },
): number {
  const cluster = clusterOf(world, resource)
  const untouched = [resource, cluster].every((held) => !held || log.changes(accountId, held.uid).length === 0)
  if (untouched && to - from === 24 && (!cluster || hoursOn(cluster, day) === 'always'))
    return scheduledHours(hoursOn(resource, day), day) * (resource.units ?? 1)
  let total = 0
  for (let hour = from; hour < to; hour += 1)
    total += unitsAt(world, log, accountId, resource, startOf(day) + hour * 3_600_000)
  return total
}

/** The state that the resource is set to, even if its cluster is off; `units` is the number while running. */
export function stateAt(
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  at: number,
): { running: boolean; units: number } {
  const change = log.changes(accountId, resource.uid).findLast((made) => made.at <= at)
  return {
    running: change?.running ?? isScheduled(hoursOn(resource, dayOf(at)), at),
    units: change?.units ?? resource.units ?? 1,
  }
}

/** The reported status: starting or stopping until the requested change is complete. */
export function statusAt(
  world: World,
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  at: number,
): ResourceStatus {
  const cluster = clusterOf(world, resource)
  if (cluster && !stateAt(log, accountId, cluster, at).running) return 'stopped'
  const pending = underWay(log, accountId, resource.uid, at)
  if (pending && pending.running !== stateAt(log, accountId, resource, at).running) return showing(pending)
  return unitsAt(world, log, accountId, resource, at) > 0 ? 'running' : 'stopped'
}

/** The last requested change; undefined if there is none. */
export const askedLast = (log: ActionLog, accountId: string, uid: string, at: number): PowerChange | undefined =>
  log.changes(accountId, uid).findLast(({ asked }) => asked <= at)

/** The last requested change if it is not complete yet. */
function underWay(log: ActionLog, accountId: string, uid: string, at: number): PowerChange | undefined {
  const change = askedLast(log, accountId, uid, at)
  return change && change.at > at ? change : undefined
}

export const showing = ({ running }: PowerChange): ResourceStatus => (running ? 'starting' : 'stopping')

/** The cluster; if it stops, the resource stops too. */
function clusterOf(world: World, resource: SimResource): SimResource | undefined {
  const parent = resource.parentUid === undefined ? undefined : world.byUid.get(resource.parentUid)
  return clusterTypes.find((type) => type === parent?.type) && parent
}

function isScheduled(hours: Hours, at: number): boolean {
  const hour = new Date(at).getUTCHours()
  if (hours === 'office') return !isWeekend(at) && hour >= 8 && hour < 20
  return hours === 'always' || (hours === 'nightly' && hour < 6)
}

function scheduledHours(hours: Hours, day: string): number {
  if (hours === 'always') return 24
  const starts = Array.from({ length: 24 }, (_, hour) => startOf(day) + hour * 3_600_000)
  return starts.filter((at) => isScheduled(hours, at)).length
}
