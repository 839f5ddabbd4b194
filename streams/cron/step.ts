/**
 * Steps that are longer than their range: one of 90 as the minute matches minute 0 alone, hourly, which nobody means.
 * Rules that are stored already keep this meaning.
 */
import { Fault } from '#engine/value/fault.ts'
import { dayMinutes } from './zone.ts'

/** In the order of a rule. */
const fields = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day of month', 1, 31],
  ['month', 1, 12],
  ['day of week', 0, 6],
] as const

const stepped = /^(?:\*|(\d+)-(\d+))\/(\d+)$/

/** @param text a valid rule. @throws Fault `invalid` `cron_step_invalid`, which names the rules to write instead */
export function checkSteps(text: string): void {
  const parts = text.trim().split(/\s+/)
  for (const [n, [name, min, max]] of fields.entries())
    for (const part of parts[n]!.split(',')) {
      const [, from = min, to = max, step] = stepped.exec(part) ?? []
      if (step === undefined || Number(step) <= Math.max(1, Number(to) - Number(from))) continue
      const alone = `"${part}" matches ${name} ${Number(from)} only; write ${Number(from)}`
      const instead = part.startsWith('*') ? everyMinutes(parts, n, Number(step)) : ''
      throw Fault.invalid('cron_step_invalid', `${name}: ${alone}${instead}`)
    }
}

/** For a rule that should run every so many minutes of all hours: those that do. */
function everyMinutes(parts: readonly string[], field: number, step: number): string {
  if (field !== 0 || parts[0] !== `*/${step}` || parts[1] !== '*') return ''
  if (dayMinutes % step !== 0) return `. No rules run every ${step} minutes: that does not divide a day`
  const times = Array.from({ length: dayMinutes / step }, (_, n) => n * step)
  const rest = parts.slice(2).join(' ')
  const rules = [...Map.groupBy(times, (time) => time % 60)].map(
    ([minute, of]) => `"${minute} ${hoursOf(of.map((time) => Math.floor(time / 60)))} ${rest}"`,
  )
  return `. Every ${step} minutes is ${rules.join(' and ')}`
}

/** @param hours ascending, equally far apart */
function hoursOf(hours: readonly number[]): string {
  const [first, second, last] = [hours[0]!, hours[1], hours.at(-1)!]
  if (second === undefined) return String(first)
  const step = second - first
  return first === 0 && last + step > 23 ? `*/${step}` : `${first}-${last}/${step}`
}
