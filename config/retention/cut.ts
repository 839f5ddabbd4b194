import { dayMs } from '#engine/value/day.ts'

/**
 * The time before which nothing is kept: the start of the day `keep` days ago, or of the month `keep` months ago.
 * Undefined if everything is kept.
 */
export function cutOf(keep: number, unit: string, now: Date): Date | undefined {
  if (keep === 0) return undefined
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  if (unit === 'months') return new Date(Date.UTC(year, month - keep, 1))
  return new Date(Date.UTC(year, month, now.getUTCDate()) - keep * dayMs)
}
