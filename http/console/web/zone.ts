/** Times on the wall clock of a zone: schedules and events are meant by it, the API tells moments. */

const language = (): string | undefined => (typeof navigator === 'undefined' ? 'en-US' : navigator.language)

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone)
  if (known) return known
  try {
    const made = new Intl.DateTimeFormat(language(), {
      timeZone: zone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(zone, made)
    return made
  } catch {
    return undefined
  }
}

/** Minutes that the wall clock of a zone is ahead of UTC at a moment; NaN for a zone there is not. */
export function offsetOf(time: string, zone: string): number {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    }).formatToParts(new Date(time))
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
    const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'))
    return Math.round((wall - Math.floor(Date.parse(time) / 60_000) * 60_000) / 60_000)
  } catch {
    return Number.NaN
  }
}

/** UTC+1, UTC−3:30. */
export function offsetText(time: string, zone: string): string {
  const minutes = offsetOf(time, zone)
  if (Number.isNaN(minutes)) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}

/** Sun, Mar 31, 2030, 03:00 as the zone's wall clock shows it; UTC for a zone that this browser does not know. */
export function wallText(time: string, zone: string): string {
  const format = formatOf(zone)
  return format ? format.format(new Date(time)) : `${formatOf('UTC')!.format(new Date(time))} UTC`
}

/** The same with the zone's distance to UTC, which changes over a year. */
export const zonedText = (time: string, zone: string): string => `${wallText(time, zone)} (${offsetText(time, zone)})`

const shortFormat = new Intl.DateTimeFormat(language(), {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Nov 18, 16:00, of UTC: as it stands at an axis. */
export const momentShort = (time: string): string => shortFormat.format(new Date(time))

const dayMs = 86_400_000

/**
 * The moment at which the wall clock of a zone shows `wall`, YYYY-MM-DDTHH:MM; the first of two, and behind a gap what is as long behind
 * it. Undefined for what is no time, and for a zone there is not.
 */
export function momentOf(wall: string, zone: string): string | undefined {
  const ms = Date.parse(`${wall}Z`)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(wall) || Number.isNaN(ms)) return undefined
  const around = [ms - dayMs, ms + dayMs].map((at) => offsetOf(new Date(at).toISOString(), zone))
  if (around.some(Number.isNaN)) return undefined
  const at = (offset: number) => new Date(ms - offset * 60_000).toISOString()
  const found = around.map(at).filter((one, n) => offsetOf(one, zone) === around[n])
  return found.toSorted()[0] ?? at(around[0]!)
}

/** What `momentOf` takes, of a moment. */
export const wallOf = (time: string, zone: string): string => {
  const offset = offsetOf(time, zone)
  return new Date(Date.parse(time) + (Number.isNaN(offset) ? 0 : offset) * 60_000).toISOString().slice(0, 16)
}

/** Where whoever looks is. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** Zones that can be chosen, as far as the browser knows them. */
export const zones = (): readonly string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]
