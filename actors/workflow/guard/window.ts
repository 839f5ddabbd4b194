/** Weekly change windows: their errors, and their text. */
import type { SpecError } from '#actors/capability.ts'
import { isZone } from '#streams/cron/zone.ts'
import type { ChangeWindow } from '#streams/workflow.ts'

/** Errors beyond the schema; `at` is the window's path in its spec. */
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
/** Maximum windows named in a sentence. */
const namedMax = 3

/** Windows as text for sentences. */
export function windowsText(windows: readonly ChangeWindow[]): string {
  const named = windows.slice(0, namedMax).map(windowText).join('; ')
  return windows.length > namedMax ? `${named}; and ${windows.length - namedMax} more` : named
}

function windowText({ days, from, to, timezone }: ChangeWindow): string {
  const names = dayNames.filter((_, i) => days.includes(i + 1)).join(', ')
  return `${names} ${from} to ${to} ${timezone}`
}
