/** Windows of the week in which changes may be made: what is wrong with one, and how sentences name them. */
import type { SpecError } from '#actors/capability.ts'
import { isZone } from '#streams/cron/zone.ts'
import type { ChangeWindow } from '#streams/workflow.ts'

/** What the shape of a window cannot say; `at` is where it stands in its spec. */
export function windowErrors({ from, to, timezone }: ChangeWindow, at: string): SpecError[] {
  const errors: SpecError[] = []
  if (from === to) errors.push({ path: `${at}/to`, code: 'range', message: 'must differ from the start time (from)' })
  if (!isZone(timezone))
    errors.push({
      path: `${at}/timezone`,
      code: 'format',
      message: 'is not an IANA time zone, for example Europe/Berlin',
    })
  return errors
}

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** Windows that a sentence names. */
const namedMax = 3

/** Windows as sentences have them. */
export function windowsText(windows: readonly ChangeWindow[]): string {
  const named = windows.slice(0, namedMax).map(windowText).join('; ')
  return windows.length > namedMax ? `${named}; and ${windows.length - namedMax} more` : named
}

function windowText({ days, from, to, timezone }: ChangeWindow): string {
  const names = dayNames.filter((_, i) => days.includes(i + 1)).join(', ')
  return `${names} ${from} to ${to} ${timezone}`
}
