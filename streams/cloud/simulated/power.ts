import { clusterTypes } from '#streams/cloud/resource-type.ts'
import { dayOf, isWeekend, startOf } from '#engine/day.ts'
import type { Hours, SimResource } from '#streams/cloud/simulated/resource.ts'
import type { Status } from '#streams/resource.ts'
import type { World } from '#streams/cloud/simulated/world.ts'

/** Somebody started, stopped or scaled a resource. From then on this says what it does, no longer its own hours. */
export interface PowerChange {
  /** When it was asked for, and when it is so: milliseconds since 1970. */
  asked: number
  at: number
  running: boolean
  /** What it has when it is on. */
  units?: number
  /** Bounds of what is counted. */
  min?: number
  max?: number
}

/**
 * What `act` has changed, for each account that connects the simulated cloud: two organizations never see each other's
 * switching.
 */
export interface PowerLog {
  changes(accountId: string, uid: string): readonly PowerChange[]
  add(accountId: string, uid: string, change: PowerChange): void
}

export function powerLog(): PowerLog {
  const log = new Map<string, PowerChange[]>()
  const key = (accountId: string, uid: string) => `${accountId}\n${uid}`
  return {
    changes: (accountId, uid) => log.get(key(accountId, uid)) ?? [],
    add(accountId, uid, change) {
      const made = log.get(key(accountId, uid))
      if (made) made.push(change)
      else log.set(key(accountId, uid), [change])
    },
  }
}

/** How many units of a resource run at a moment; 0 when it is off or not there yet. One unit where it is not counted. */
export function unitsAt(world: World, log: PowerLog, accountId: string, resource: SimResource, at: number): number {
  if (dayOf(at) < resource.born) return 0
  const cluster = clusterOf(world, resource)
  if (cluster && !stateAt(log, accountId, cluster, at).running) return 0
  const { running, units } = stateAt(log, accountId, resource, at)
  return running ? units : 0
}

/** Unit-hours of a resource on a UTC day on which it exists, by the state at the beginning of each hour. */
export function unitHours(world: World, log: PowerLog, accountId: string, resource: SimResource, day: string): number {
  const cluster = clusterOf(world, resource)
  const untouched = [resource, cluster].every((held) => !held || log.changes(accountId, held.uid).length === 0)
  if (untouched && (!cluster || cluster.hours === 'always'))
    return scheduledHours(resource.hours, day) * (resource.units ?? 1)
  let total = 0
  for (let hour = 0; hour < 24; hour += 1)
    total += unitsAt(world, log, accountId, resource, startOf(day) + hour * 3_600_000)
  return total
}

/** What the resource is set to, whatever runs it: `units` is what it has when it is on. */
export function stateAt(
  log: PowerLog,
  accountId: string,
  resource: SimResource,
  at: number,
): { running: boolean; units: number } {
  const change = log.changes(accountId, resource.uid).findLast((made) => made.at <= at)
  return {
    running: change?.running ?? scheduled(resource.hours, at),
    units: change?.units ?? resource.units ?? 1,
  }
}

/** What a resource shows: on the way while what was asked for is not so yet. */
export function statusAt(world: World, log: PowerLog, accountId: string, resource: SimResource, at: number): Status {
  const cluster = clusterOf(world, resource)
  if (cluster && !stateAt(log, accountId, cluster, at).running) return 'stopped'
  const pending = underWay(log, accountId, resource.uid, at)
  if (pending && pending.running !== stateAt(log, accountId, resource, at).running) return showing(pending)
  return unitsAt(world, log, accountId, resource, at) > 0 ? 'running' : 'stopped'
}

/** What was asked for last; undefined where nothing was. */
export const askedLast = (log: PowerLog, accountId: string, uid: string, at: number): PowerChange | undefined =>
  log.changes(accountId, uid).findLast(({ asked }) => asked <= at)

/** What was asked for last and is not so yet. */
export function underWay(log: PowerLog, accountId: string, uid: string, at: number): PowerChange | undefined {
  const change = askedLast(log, accountId, uid, at)
  return change && change.at > at ? change : undefined
}

export const showing = ({ running }: PowerChange): Status => (running ? 'starting' : 'stopping')

/** The cluster whose stop stops the resource with it. */
function clusterOf(world: World, resource: SimResource): SimResource | undefined {
  const parent = resource.parentUid === undefined ? undefined : world.byUid.get(resource.parentUid)
  return clusterTypes.find((type) => type === parent?.type) && parent
}

function scheduled(hours: Hours, at: number): boolean {
  const hour = new Date(at).getUTCHours()
  if (hours === 'office') return !isWeekend(at) && hour >= 8 && hour < 20
  return hours === 'always' || hour < 6
}

function scheduledHours(hours: Hours, day: string): number {
  if (hours === 'always') return 24
  const starts = Array.from({ length: 24 }, (_, hour) => startOf(day) + hour * 3_600_000)
  return starts.filter((at) => scheduled(hours, at)).length
}
