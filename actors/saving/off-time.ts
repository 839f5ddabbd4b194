/**
 * When a resource was stopped by a cause, and what that saves. Computed from all known stops and all times at which it
 * was observed running, so that their order and repeats do not matter.
 */
import { dayOf, startOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'

/** A successful stop. */
export interface Stop {
  actionId: string
  at: string
  /** The cause that it counts for; empty if the resource was observed stopped without a known cause. */
  source: string
  sourceId: string
  /** The workflow that requested it; empty for none. */
  jobId?: string
  provider: string
  region: string
  resourceType: string
  /** Of the resource when it was stopped; null if unknown. */
  instanceType: string | null
  /** US dollars per hour before, as text; null if unknown. */
  rate: string | null
}

/** The known power history of one resource. Times are RFC 3339. */
export interface PowerHistory {
  stops: Stop[]
  /** Times at which it was observed running, deleted or resized. */
  ends: string[]
  /** Anything before it is ignored now; empty if nothing is. */
  since: string
  /** What stops from before `since` saved on its day: US dollars x 10^14 x milliseconds/hour of `rate`, as text. */
  carried: CarriedSaving[]
}

export interface CarriedSaving {
  source: string
  sourceId: string
  units: string
}

/**
 * A time in which it was stopped, without a cause if `source` is empty: `from` <= t < `until`, milliseconds since 1970.
 */
export interface Off extends Stop {
  from: number
  until: number
}

const places = 14
const hourMs = 3_600_000n

const monthsMax = 12

/** In order of time, without overlap. A stop of a stopped resource starts none. */
export function offsOf({ stops, ends }: Pick<PowerHistory, 'stops' | 'ends'>): Off[] {
  const events = [
    ...ends.map((at) => ({ at: Date.parse(at), stop: undefined })),
    ...stops.map((stop) => ({ at: Date.parse(stop.at), stop })),
  ].toSorted((a, b) => a.at - b.at || order(a.stop, b.stop))
  const offs: Off[] = []
  for (const { at, stop } of events) {
    const last = offs.at(-1)
    const isOff = last !== undefined && at < last.until
    const isNobodys = isOff && last.source === '' && stop !== undefined && stop.source !== ''
    if (isOff && (!stop || isNobodys)) last.until = at
    if (stop && (!isOff || isNobodys)) offs.push({ ...stop, from: at, until: longest(at) })
  }
  return offs
}

/** At the same time, an end comes before a stop: the resource is stopped. */
const order = (a: Stop | undefined, b: Stop | undefined): number =>
  Number(a !== undefined) - Number(b !== undefined) || ((a?.actionId ?? '') < (b?.actionId ?? '') ? -1 : 1)

/** The latest end of a saving: savings end after a maximum time. */
export function longest(from: number): number {
  const at = new Date(from)
  return at.setUTCMonth(at.getUTCMonth() + monthsMax)
}

/** The first time at which the two differ; undefined if they do not. */
export function firstChange(before: readonly Off[], after: readonly Off[]): number | undefined {
  const apart = (offs: readonly Off[], others: readonly Off[]) =>
    offs.flatMap((off) => {
      const twin = others.find(({ actionId }) => actionId === off.actionId)
      if (twin?.from !== off.from || twin.rate !== off.rate || keyOf(twin) !== keyOf(off)) return [off.from]
      return twin.until === off.until ? [] : [Math.min(off.until, twin.until)]
    })
  const moments = [...apart(before, after), ...apart(after, before)]
  return moments.length === 0 ? undefined : Math.min(...moments)
}

/** US dollars x 10^14 x milliseconds/hour of `rate` until `now`; 0 if the rate is unknown. */
function unitsOn({ from, until, rate }: Off, day: string, now: number): bigint {
  const begin = startOf(day)
  const ms = Math.min(until, now, begin + 86_400_000) - Math.max(from, begin)
  return ms > 0 && rate !== null ? (toUnits(rate, places) ?? 0n) * BigInt(ms) : 0n
}

const touches = ({ from, until }: Off, day: string): boolean => from < startOf(day) + 86_400_000 && until > startOf(day)

/** What one cause saved on a day: one row. */
export interface DaySaving {
  /** The newest of its stopped times. */
  off: Off
  /** US dollars, rounded once to 14 decimals, otherwise exact. */
  usd: string
}

/**
 * What each cause saved on a day until `now`, for all with a stopped time on that day and a rate, even if it is zero.
 */
export function savedOn(
  known: Pick<PowerHistory, 'since' | 'carried'>,
  offs: readonly Off[],
  before: readonly Off[],
  day: string,
  now: number,
): DaySaving[] {
  const all = new Map<string, Off>()
  for (const off of [...before, ...offs])
    if (off.source !== '' && off.rate !== null && touches(off, day)) all.set(keyOf(off), off)
  return [...all].map(([key, off]) => {
    const carried = known.since !== '' && dayOf(Date.parse(known.since)) === day ? known.carried : []
    const units = [
      ...carried.filter((one) => keyOf(one) === key).map((one) => BigInt(one.units)),
      ...offs.filter((one) => keyOf(one) === key).map((one) => unitsOn(one, day, now)),
    ].reduce((sum, one) => sum + one, 0n)
    return { off, usd: plain((units + hourMs / 2n) / hourMs, places) }
  })
}

const keyOf = ({ source, sourceId }: Pick<Stop, 'source' | 'sourceId'>): string => `${source}/${sourceId}`

/** Maximum stopped times kept separately; changes of older ones are ignored. */
const offsMax = 50
const eventsMax = 200

const yesterdayOf = (now: number): number => startOf(dayOf(now - 86_400_000))

/** Whether nothing is known of today and yesterday, and the resource is not stopped. */
export const isQuiet = (known: PowerHistory, now: number): boolean => newest(known) < yesterdayOf(now)

/**
 * Keeps the last stopped time, and others that ended today or yesterday, since late or repeated messages about them may
 * arrive.
 */
export function pruneHistory(known: PowerHistory, now: number): PowerHistory {
  const offs = offsOf(known)
  const isHeld = ({ until }: Off, at: number) =>
    at === offs.length - 1 || (at >= offs.length - offsMax && until >= yesterdayOf(now))
  const first = offs.findIndex(isHeld)
  const kept = first <= 0 ? known : cut(known, offs.slice(0, first), now)
  return kept.stops.length + kept.ends.length > eventsMax ? thinHistory(kept) : kept
}

/** The last known time, also that at which a current stop will end by itself. */
export const newest = (known: Pick<PowerHistory, 'stops' | 'ends'>): number =>
  Math.max(...known.ends.map((at) => Date.parse(at)), ...offsOf(known).map(({ until }) => until))

/** Removes ended stopped times, and everything before the end of the last of them. */
function cut(known: PowerHistory, dropped: readonly Off[], now: number): PowerHistory {
  const since = dropped.at(-1)!.until
  const day = dayOf(since)
  const isSameDay = known.since !== '' && dayOf(Date.parse(known.since)) === day
  const sums = new Map<string, CarriedSaving>()
  const add = ({ source, sourceId }: Pick<Stop, 'source' | 'sourceId'>, units: bigint) => {
    const key = keyOf({ source, sourceId })
    sums.set(key, { source, sourceId, units: String(BigInt(sums.get(key)?.units ?? 0) + units) })
  }
  for (const one of isSameDay ? known.carried : []) add(one, BigInt(one.units))
  for (const off of dropped) if (touches(off, day)) add(off, unitsOn(off, day, now))
  return {
    stops: known.stops.filter(({ at }) => Date.parse(at) >= since),
    ends: known.ends.filter((at) => Date.parse(at) > since),
    since: new Date(since).toISOString(),
    carried: [...sums.values()],
  }
}

/** Removes stops and ends without effect. */
function thinHistory(known: PowerHistory): PowerHistory {
  const offs = offsOf(known)
  const began = new Set(offs.map(({ actionId }) => actionId))
  const ended = new Set(offs.map(({ until }) => until))
  return {
    ...known,
    stops: known.stops.filter(({ actionId }) => began.has(actionId)),
    ends: known.ends.filter((at) => ended.has(Date.parse(at))),
  }
}
