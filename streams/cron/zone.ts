/**
 * The wall clock of a zone, as arithmetic: where a calendar year's offsets change is looked up once a process, so that a
 * step from a wall minute to a moment asks nobody. All times are whole minutes since 1970: `wall` as a clock in the zone
 * shows them, `utc` as they are.
 */
import { minuteMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'

export const dayMinutes = 1440

/** A year of a zone, with two days at either end: what changes at New Year is seen from both sides. */
interface Year {
  /** First minute of each stretch of one offset, the oldest first; the first of them is -Infinity. */
  starts: readonly number[]
  /** Minutes that the clock is ahead of UTC. */
  offsets: readonly number[]
  /** Wall minutes below it were shown, or jumped over, before the stretch began. */
  floors: readonly number[]
}

/** A minute that stands for a wall minute. */
export interface ClockMinute {
  utc: number
  /** What the clock shows then: later than was asked for where that was jumped over. */
  wall: number
}

export class Zone {
  private readonly years = new Map<number, Year>()
  private readonly format: Intl.DateTimeFormat

  /** @throws RangeError for a name that no zone has */
  constructor(name: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  }

  /** The wall minute that the clock shows at `utc`. */
  wall(utc: number): number {
    const { starts, offsets } = this.year(utc)
    let i = starts.length - 1
    while (starts[i]! > utc) i--
    return utc + offsets[i]!
  }

  /** The latest wall minute that has been shown by `utc`; during the second pass of a repeated hour its last one. */
  reached(utc: number): number {
    const { starts, offsets, floors } = this.year(utc)
    let i = starts.length - 1
    while (starts[i]! > utc) i--
    return Math.max(utc + offsets[i]!, floors[i]! - 1)
  }

  /** The first minute at which the clock shows `wall` or later: of a repeated minute the first, of one jumped over that behind the gap. */
  first(wall: number): ClockMinute {
    const { starts, offsets } = this.year(wall)
    for (let i = 0; ; i++) {
      const utc = Math.max(starts[i]!, wall - offsets[i]!)
      const isHere = i === starts.length - 1 || utc < starts[i + 1]!
      if (isHere) return { utc, wall: utc + offsets[i]! }
    }
  }

  /** The latest wall minute that was shown before any of `wall` or later was. */
  before(wall: number): number {
    return this.reached(this.first(wall).utc - 1)
  }

  /** The minutes behind `from`, up to `to`, at which the clock is put forward or back; within a year of one another. */
  changes(from: number, to: number): number[] {
    const starts = [...this.year(from).starts, ...this.year(to).starts]
    return [...new Set(starts)].filter((start) => start > from && start <= to)
  }

  private year(minute: number): Year {
    const number = new Date(minute * minuteMs).getUTCFullYear()
    const known = this.years.get(number)
    if (known) return known
    const made = this.looked(number)
    this.years.set(number, made)
    return made
  }

  private looked(number: number): Year {
    const from = Date.UTC(number, 0, -1) / minuteMs
    const to = Date.UTC(number + 1, 0, 3) / minuteMs
    const starts = [-Infinity]
    const offsets = [this.offset(from)]
    const floors = [-Infinity]
    for (let day = from; day < to; day += dayMinutes) {
      const offset = this.offset(day + dayMinutes)
      const earlier = offsets.at(-1)!
      if (offset === earlier) continue
      const change = this.change(day, day + dayMinutes, earlier)
      starts.push(change)
      offsets.push(offset)
      floors.push(Math.max(change + earlier, floors.at(-1)!))
    }
    return { starts, offsets, floors }
  }

  /** The first minute in (`from`, `to`] that has another offset than `earlier`, which `from` has and `to` has not. */
  private change(from: number, to: number, earlier: number): number {
    if (to - from === 1) return to
    const middle = Math.floor((from + to) / 2)
    return this.offset(middle) === earlier ? this.change(middle, to, earlier) : this.change(from, middle, earlier)
  }

  private offset(utc: number): number {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(this.format.format(utc * minuteMs))!
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
  }
}

/** By name in lower case, as which a zone has one only. */
const zones = new Map<string, Zone>()
/** No offsets such as `+02:00`: these have no clock that is put forward and back. */
const zoneNameShape = /^[A-Za-z][\w+\-/]*$/

/** @throws Fault `invalid` for a name that no zone has */
export function zoneOf(name: string): Zone {
  const known = zones.get(name.toLowerCase())
  if (known) return known
  const made = zoneNameShape.test(name) ? tryZone(name) : undefined
  if (!made) throw Fault.invalid('zone_unknown', 'is not an IANA time zone, for example Europe/Berlin')
  zones.set(name.toLowerCase(), made)
  return made
}

function tryZone(name: string): Zone | undefined {
  try {
    return new Zone(name)
  } catch {
    return undefined
  }
}

/** Whether an IANA zone has this name. */
export function isZone(name: string): boolean {
  return zones.has(name.toLowerCase()) || (zoneNameShape.test(name) && tryZone(name) !== undefined)
}
