/** What a resource is once it was altered: until then, and where nothing was altered, what the world says. */
import { dayOf, daysBetween, startOf } from '#engine/value/day.ts'
import type { ActionLog, NotedAlteration } from './log.ts'
import { gigabytesOn, sizeOn, type SimResource } from '#streams/cloud/simulated/world/resource.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'

/** The size somebody has made it; undefined where nobody has. */
export const sizeMade = (log: ActionLog, accountId: string, uid: string, at: number): string | undefined =>
  log.alterations(accountId, uid).findLast((made) => made.size !== undefined && made.at <= at)?.size

export const sizeAt = (log: ActionLog, accountId: string, resource: SimResource, at: number): string | undefined =>
  sizeMade(log, accountId, resource.uid, at) ?? sizeOn(resource, dayOf(at))

/** From what it was made on it grows as before. */
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

/** When it ceased to be, or will: milliseconds since 1970, `Infinity` for what nobody deletes. What a resource holds goes with it. */
export function goneAt(world: World, log: ActionLog, accountId: string, uid: string): number {
  const times = log.alterations(accountId, uid).flatMap(({ gone, at }) => (gone ? [at] : []))
  const parentUid = world.byUid.get(uid)?.parentUid
  return Math.min(...times, parentUid === undefined ? Infinity : goneAt(world, log, accountId, parentUid))
}

/** Hours of a day in which it is there and the same, `from` <= hour < `to`. */
export interface DayPart {
  from: number
  to: number
  size: string | undefined
  gb: number
}

/** The day of a resource by what it is at the beginning of each hour; none where it is gone. */
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

/** What a resource says by itself, by what it is doing, and by the counts it was asked to have. */
interface SpecLayers {
  rest: Readonly<Record<string, unknown>>
  state: Readonly<Record<string, unknown>>
  counts: Readonly<Record<string, unknown>>
}

/** The specs a resource tells: what was set, unless it was switched after that, in what says how it is switched. */
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

/** How specs call the size. */
export const sizeNames = ['instance_type', 'instanceType'] as const

export const specsSet = (made: readonly NotedAlteration[]): Record<string, unknown> =>
  Object.assign({}, ...made.map(({ specs }) => specs))
