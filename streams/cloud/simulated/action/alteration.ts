/** The state of a resource after changes; before them, or without any, that of the simulated world. */
import { dayOf, daysBetween, startOf } from '#engine/value/day.ts'
import type { ActionLog, NotedAlteration } from './log.ts'
import { gigabytesOn, sizeOn, type SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'

/** The size it was changed to; undefined if it was not changed. */
export const sizeMade = (log: ActionLog, accountId: string, uid: string, at: number): string | undefined =>
  log.alterations(accountId, uid).findLast((made) => made.size !== undefined && made.at <= at)?.size

export const sizeAt = (log: ActionLog, accountId: string, resource: SimResource, at: number): string | undefined =>
  sizeMade(log, accountId, resource.uid, at) ?? sizeOn(resource, dayOf(at))

/** After a resize the storage continues to grow at the same rate. */
export function gigabytesAt(
  world: World,
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  at: number,
): number {
  const made = log.alterations(accountId, resource.uid).findLast(({ gb, at: from }) => gb !== undefined && from <= at)
  return made?.gb === undefined
    ? gigabytesOn(resource, dayOf(at), world.today)
    : made.gb + resource.gbADay * daysBetween(dayOf(made.at), dayOf(at))
}

/**
 * When it is or will be deleted: milliseconds since 1970, `Infinity` if never. Resources inside it are deleted with it.
 */
export function goneAt(world: World, log: ActionLog, accountId: string, uid: string): number {
  const times = log.alterations(accountId, uid).flatMap(({ gone, at }) => (gone ? [at] : []))
  const parentUid = world.byUid.get(uid)?.parentUid
  return Math.min(...times, parentUid === undefined ? Infinity : goneAt(world, log, accountId, parentUid))
}

/** Hours of a day without a change, `from` <= hour < `to`. */
export interface DayPart {
  from: number
  to: number
  size: string | undefined
  gb: number
}

/** Divides a day by the resource's state at the beginning of each hour; no parts after its deletion. */
export function partsOf(
  world: World,
  log: ActionLog,
  accountId: string,
  resource: SimResource,
  day: string,
): readonly DayPart[] {
  const made = log.alterations(accountId, resource.uid)
  const gone = goneAt(world, log, accountId, resource.uid)
  if (made.length === 0 && gone === Infinity)
    return [{ from: 0, to: 24, size: sizeOn(resource, day), gb: gigabytesOn(resource, day, world.today) }]
  const hourOf = (at: number): number => Math.ceil((at - startOf(day)) / 3_600_000)
  const end = Math.min(24, hourOf(gone))
  const turns = made.map(({ at }) => hourOf(at))
  const begins = [0, ...turns.filter((hour) => hour > 0)].filter((hour) => hour < end)
  const parts: DayPart[] = []
  for (const from of new Set(begins.toSorted((one, other) => one - other))) {
    const at = startOf(day) + from * 3_600_000
    const size = sizeAt(log, accountId, resource, at)
    const gb = gigabytesAt(world, log, accountId, resource, at)
    const last = parts.at(-1)
    if (last) last.to = from
    if (last?.size !== size || last?.gb !== gb) parts.push({ from, to: end, size, gb })
    else last.to = end
  }
  return parts
}

/** Specs of a resource by origin: its own, those that follow from its state, and its counts. */
interface SpecLayers {
  rest: Readonly<Record<string, unknown>>
  state: Readonly<Record<string, unknown>>
  counts: Readonly<Record<string, unknown>>
}

/**
 * The specs that the resource reports. A set value counts, except if it describes the state and the resource was
 * switched afterwards.
 */
export function specsTold(
  log: ActionLog,
  accountId: string,
  uid: string,
  at: number,
  { rest, state, counts }: SpecLayers,
): Record<string, unknown> {
  const made = log.alterations(accountId, uid).filter((alteration) => alteration.at <= at)
  if (made.length === 0) return { ...rest, ...state, ...counts }
  const changes = log.changes(accountId, uid)
  const [isSo, isAsked] = [
    changes.findLastIndex((one) => one.at <= at),
    changes.findLastIndex((one) => one.asked <= at),
  ]
  const specs = {
    ...rest,
    ...specsSet(made),
    ...state,
    ...specsSet(made.filter(({ after }) => after > isSo)),
    ...counts,
    ...specsSet(made.filter(({ after }) => after > isAsked)),
  }
  const size = sizeMade(log, accountId, uid, at)
  const named = size === undefined ? [] : sizeNames.filter((name) => Object.hasOwn(specs, name))
  return { ...specs, ...Object.fromEntries(named.map((name) => [name, size])) }
}

/** Names of the size in specs. */
export const sizeNames = ['instance_type', 'instanceType'] as const

export const specsSet = (made: readonly NotedAlteration[]): Record<string, unknown> =>
  Object.assign({}, ...made.map(({ specs }) => specs))
