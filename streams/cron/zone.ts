/**
 * Conversion between local and absolute times of a zone. The offset changes of a calendar year are looked up once per
 * process, so that conversions are only arithmetic. All times are whole minutes since 1970: `wall` is local time, `utc`
 * absolute time.
 */
import { minuteMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'

export const dayMinutes = 1440

/** A year of a zone, with two more days at both ends, so that changes at New Year are seen from both years. */
interface Year {
  /** First minute of each period with one offset, oldest first; the first is -Infinity. */
  starts: readonly number[]
  /** Offset from UTC in minutes. */
  offsets: readonly number[]
  /** Local minutes below this were already shown or skipped before the period began. */
  floors: readonly number[]
}

/** The absolute time for a local time. */
export interface ClockMinute {
  utc: number
  /** Local time at that moment; later than requested if the requested time was skipped. */
  wall: number
}

export class Zone {
  private readonly years = new Map<number, Year>()
  private readonly format: Intl.DateTimeFormat

  /** @throws RangeError if the zone does not exist */
  constructor(name: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  }

  /** The local time at `utc`. */
  wall(utc: number): number {
    const { starts, offsets } = this.year(utc)
    let i = starts.length - 1
    while (starts[i]! > utc) i--
    return utc + offsets[i]!
  }

  /**
   * The latest local time that has been shown up to `utc`; during the second pass of a repeated hour its last minute.
   */
  reached(utc: number): number {
    const { starts, offsets, floors } = this.year(utc)
    let i = starts.length - 1
    while (starts[i]! > utc) i--
    return Math.max(utc + offsets[i]!, floors[i]! - 1)
  }

  /**
   * The first minute whose local time is `wall` or later: the first one of a repeated minute, or the end of the gap for
   * a skipped minute.
   */
  first(wall: number): ClockMinute {
    const { starts, offsets } = this.year(wall)
    for (let i = 0; ; i++) {
      const utc = Math.max(starts[i]!, wall - offsets[i]!)
      const isHere = i === starts.length - 1 || utc < starts[i + 1]!
      if (isHere) return { utc, wall: utc + offsets[i]! }
    }
  }

  /** The latest local time shown before `wall` or anything later was shown. */
  before(wall: number): number {
    return this.reached(this.first(wall).utc - 1)
  }

  /** Minutes after `from`, up to `to`, at which the clock changes; `from` and `to` are at most a year apart. */
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

  /**
   * The first minute in (`from`, `to`] with another offset than `earlier`, the offset at `from`; the one at `to`
   * differs.
   */
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

/** By name in lower case, so that a zone has only one entry. */
const zones = new Map<string, Zone>()
/** Excludes offsets such as `+02:00`, which have no daylight saving time. */
const zoneNameShape = /^[A-Za-z][\w+\-/]*$/

/** @throws Fault `invalid` if the zone does not exist */
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

/** Whether an IANA zone with this name exists. */
export function isZone(name: string): boolean {
  return zones.has(name.toLowerCase()) || (zoneNameShape.test(name) && tryZone(name) !== undefined)
}
