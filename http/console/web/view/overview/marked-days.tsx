/** The anomalies that the chart of days marks, each a link to its story: the largest first. */
import type { Reply } from '../../api.ts'
import { dayShort } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'

type Trends = Reply<'GET /reports/trends'>
export type MarkedDay = { date: string } & NonNullable<Trends['items'][number]['anomaly']>

const shownMax = 4

export const toMarkedDays = (trends: Trends | undefined): MarkedDay[] =>
  (trends?.items ?? []).flatMap(({ date, anomaly }) => (anomaly ? [{ date, ...anomaly }] : []))

export function MarkedDays({ days }: { days: readonly MarkedDay[] }) {
  if (days.length === 0) return null
  const largest = days.toSorted((a, b) => b.excessUsd - a.excessUsd)
  const shown = largest.slice(0, shownMax)
  return (
    <ul class="marked-days" aria-label="Marked days">
      {shown.map(({ id, date, excessUsd, severity }) => (
        <li key={id}>
          <a href={hrefOf('anomalies', { anomaly: id, include_suppressed: true })} class={`badge ${severity}`}>
            {dayShort(date)}: {usd(excessUsd)} above expected
          </a>
        </li>
      ))}
      {largest.length > shown.length && (
        <li>
          <a href={hrefOf('anomalies')}>{pluralize(largest.length - shown.length, 'other marked day')}</a>
        </li>
      )}
    </ul>
  )
}
