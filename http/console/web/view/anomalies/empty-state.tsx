/** Why the list is empty: what leaves everything out, or that the days were judged and are as usual, or have no bills. */
import type { Reply } from '../../api.ts'
import { dayText, rangeText } from '../../day.ts'
import { pluralize } from '../../figure.ts'
import { Next, ToBills } from '../../part/next-step.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { change, hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { judgedDays, knownFrom } from './evaluated-days.ts'
import { reviewName, severityName, typeName } from './labels.ts'
import type { AnomaliesQuery, Filter } from './query.ts'

type List = Reply<'GET /reports/anomalies'>
type Trends = Reply<'GET /reports/trends'>

export function EmptyState({ asked }: { asked: AnomaliesQuery }) {
  const { page, set, withSuppressed } = asked
  if (page > 1)
    return (
      <Empty title="This page does not exist.">
        <p>
          <button type="button" onClick={() => change({ page: null })}>
            Go to first page
          </button>
        </p>
      </Empty>
    )
  return (
    <>
      {set.length > 0 ? (
        <Empty title="No anomalies in this period match these filters.">
          <ul class="list">
            {set.map(({ name, values }) => (
              <Without key={name} name={name} values={values} asked={asked} />
            ))}
          </ul>
          {set.length > 1 && (
            <p>
              <button type="button" onClick={() => change(Object.fromEntries(set.map(({ name }) => [name, null])))}>
                Remove all filters
              </button>
            </p>
          )}
        </Empty>
      ) : (
        <Usual asked={asked} />
      )}
      {!withSuppressed && <SuppressedNote asked={asked} />}
    </>
  )
}

const titles: Readonly<Record<Filter, string>> = {
  severity: 'Severity',
  review: 'Status',
  type: 'Scope',
  cloud_account_id: 'Account',
  team_id: 'Team',
  min_usd: 'At least',
}
const valueName = (name: Filter, value: string): string => {
  if (name === 'severity') return severityName(value)
  if (name === 'review') return reviewName(value)
  if (name === 'type') return typeName(value)
  return name === 'min_usd' ? `$${value} above expected` : value
}

/** What there is without one of the filters. */
function Without({ name, values, asked }: { name: Filter; values: readonly string[]; asked: AnomaliesQuery }) {
  const report = useReport('GET /reports/anomalies', {
    query: { ...asked.query, [name]: undefined, page: 1, limit: 1 },
    on: ['anomaly.'],
  })
  const said = values.map((value) => valueName(name, value)).join(', ')
  return (
    <li>
      <span class="clip wide" title={said}>
        {titles[name]}: {said}
      </span>
      <span class="end">
        <ReportContent report={report} rows={1}>
          {({ total }: List) => (
            <button type="button" onClick={() => change({ [name]: null })}>
              Remove filter: {total === 0 ? 'still nothing' : pluralize(total, asked.isFolded ? 'cause' : 'row')}
            </button>
          )}
        </ReportContent>
      </span>
    </li>
  )
}

function SuppressedNote({ asked }: { asked: AnomaliesQuery }) {
  const { data } = useReport('GET /reports/anomalies', {
    query: { ...asked.query, include_suppressed: true, page: 1, limit: 1 },
    on: ['anomaly.'],
  })
  if (!data || data.total === 0) return null
  return (
    <p class="note">
      {pluralize(data.total, 'anomaly', 'anomalies')} explained by new resources {data.total === 1 ? 'is' : 'are'}{' '}
      hidden; no one is notified about those.{' '}
      <button type="button" onClick={() => change({ include_suppressed: true })}>
        Include suppressed
      </button>
    </p>
  )
}

/** The days were looked at, and which of them. */
function Usual({ asked: { period } }: { asked: AnomaliesQuery }) {
  const report = useReport('GET /reports/trends', {
    query: { from: knownFrom(period.from), to: period.to },
    on: ['costs.changed'],
  })
  return (
    <ReportContent report={report} rows={3}>
      {(trends: Trends) => <EvaluatedDays trends={trends} period={period} />}
    </ReportContent>
  )
}

function EvaluatedDays({ trends: { items }, period }: { trends: Trends; period: { from: string; to: string } }) {
  // Days without bills are there too, as 0.
  const billed = items.flatMap(({ date, costUSD }) => (costUSD === 0 ? [] : [date]))
  const days = judgedDays(billed, period.from)
  const range = rangeText(period.from, period.to)
  const rule = 'A day is evaluated if four of the seven days before it have bills and usually cost a dollar or more.'
  if (billed.filter((day) => day >= period.from).length === 0)
    return (
      <Empty title={`No bills for ${range} yet.`}>
        <p>
          <ToBills /> Or choose other days: <a href={hrefOf('anomalies', { range: '12m' })}>the last 12 months</a>.{' '}
          {rule}
        </p>
      </Empty>
    )
  if (days.length === 0)
    return (
      <Empty title={`Too few days have bills to evaluate ${range}.`}>
        <p>
          {rule}{' '}
          <Next needs="space.update" what="Uploading older bills">
            <a href={hrefOf('sources', { tab: 'bills' })}>Upload older bills</a>.
          </Next>{' '}
          Or wait for more data.
        </p>
      </Empty>
    )
  return (
    <Empty title={`No anomalies in ${range}.`}>
      <p>
        {pluralize(days.length, 'day')} evaluated, starting {dayText(days[0]!)}. {rule}
      </p>
      <p>
        <a href={hrefOf('costs', period)}>Show costs for these days</a>
      </p>
    </Empty>
  )
}
