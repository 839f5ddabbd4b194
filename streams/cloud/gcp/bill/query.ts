/** The BigQuery query for the lines of a bill. */
import { dayMs, firstOf, lastOf } from '#engine/value/day.ts'
import type { BillPlace } from './location.ts'

/** Names cannot contain backticks: `location.ts` refuses them. */
export const billSql = ({ project, dataset, table }: Required<BillPlace>): string => `
SELECT TO_JSON_STRING(line) AS line
FROM \`${project}.${dataset}.${table}\` AS line
WHERE _PARTITIONTIME >= @written_from AND _PARTITIONTIME < @written_to
  AND invoice.month = @invoice
  AND (usage_start_time < @until OR @with_later)
  AND (usage_start_time >= @since OR (@with_earlier AND usage_start_time < @first))`

/** Types of the parameters, by name. */
export const periodTypes = {
  written_from: 'TIMESTAMP',
  written_to: 'TIMESTAMP',
  invoice: 'STRING',
  since: 'TIMESTAMP',
  until: 'TIMESTAMP',
  first: 'TIMESTAMP',
  with_earlier: 'BOOL',
  with_later: 'BOOL',
} as const

/**
 * Parameters for lines of the bill of `month` (YYYY-MM) on the days `from` to `to`, both included. With the month's
 * first day come lines for days before it, with its last day lines for days after. Google writes the lines of a month
 * from a day before it (the month is in Pacific time) until weeks after it.
 */
export function queryPeriod(
  month: string,
  { from, to }: { from: string; to: string },
): Record<keyof typeof periodTypes, Date | string> {
  const first = firstOf(month)
  const at = (day: string, days = 0) => new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs)
  return {
    written_from: at(first, -1),
    written_to: at(first, 76),
    invoice: month.replace('-', ''),
    since: at(from),
    until: at(to, 1),
    first: at(first),
    with_earlier: String(from <= first),
    with_later: String(to >= lastOf(month)),
  }
}
