import { CommitmentPool } from '#streams/billing/commitment-pool.ts'
import { columns, foldName } from '#streams/billing/columns.ts'
import { DayOrders, isNumbered, type DayOrder } from '#streams/billing/day-order.ts'
import type { Format } from '#streams/billing/format.ts'
import type { Fields } from '#streams/billing/source.ts'

/** What only the whole of a bill says: its files are read once for that, before their lines are. */
export class Survey {
  readonly days = new DayOrders()
  readonly commitments = new CommitmentPool()
  /** Some line says what it costs after negotiated discounts: then lines of discounts say it a second time. */
  hasNet = false
  /** As it was asked for, or as the dates say. */
  order: DayOrder | undefined
}

/** Whether lines of a file mean what only the whole of it says: by its columns, or by how its first row writes dates. */
export function needsSurvey(format: Format, header: readonly string[], first: Fields | undefined): boolean {
  if (first === undefined) return false
  const row = columns(first, format)
  if (format.dates.flat().some((name) => isNumbered(row[name]))) return true
  const names = new Set([...header.map(foldName), ...Object.keys(row)])
  return (format.surveyed ?? []).some((name) => names.has(name))
}
