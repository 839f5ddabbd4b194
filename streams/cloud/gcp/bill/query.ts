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

interface Parameter {
  name: string
  parameterType: { type: 'TIMESTAMP' | 'STRING' | 'BOOL' }
  parameterValue: { value: string }
}

/**
 * Parameters for lines of the bill of `month` (YYYY-MM) on the days `from` to `to`, both included. With the month's
 * first day come lines for days before it, with its last day lines for days after. Google writes the lines of a month
 * from a day before it (the month is in Pacific time) until weeks after it.
 */
export function queryPeriod(month: string, { from, to }: { from: string; to: string }): Parameter[] {
  const first = firstOf(month)
  const at = (day: string, days = 0) => new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString()
  const parameter = (name: string, type: Parameter['parameterType']['type'], value: string): Parameter => ({
    name,
    parameterType: { type },
    parameterValue: { value },
  })
  return [
    parameter('written_from', 'TIMESTAMP', at(first, -1)),
    parameter('written_to', 'TIMESTAMP', at(first, 76)),
    parameter('invoice', 'STRING', month.replace('-', '')),
    parameter('since', 'TIMESTAMP', at(from)),
    parameter('until', 'TIMESTAMP', at(to, 1)),
    parameter('first', 'TIMESTAMP', at(first)),
    parameter('with_earlier', 'BOOL', String(from <= first)),
    parameter('with_later', 'BOOL', String(to >= lastOf(month))),
  ]
}
