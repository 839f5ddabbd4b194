/** Are we all right? The month so far, where it ends, what is limited, strange or nobody's, and what changed. */
import { Copies } from '../../part/copy.tsx'
import { addDays, firstOf, today } from '../../day.ts'
import { daysBilled } from '../../forecast-readiness.ts'
import { useReport } from '../../report.ts'
import { Days } from './days.tsx'
import { SavingsPanel } from './savings.tsx'
import { FirstDay } from './first-day.tsx'
import { MonthForecast } from './month-forecast.tsx'
import { CostChanges } from './cost-changes.tsx'
import { Tiles } from './tile.tsx'
import { Start } from './getting-started.tsx'
import { OpenAnomalies } from './anomalies.tsx'

/** Days of the chart, today included. */
const daysShown = 35
/** Costs of a day are complete after so many days: before, a month has nothing to compare, and the one before is compared. */
const settlingDays = 3

export function View() {
  const period = { from: addDays(today(), 1 - daysShown), to: today() }
  const month = { from: firstOf(today()), to: today() }
  const settledMonth = firstOf(addDays(today(), -settlingDays))
  const sums = { granularity: 'monthly' }
  const summary = useReport('GET /reports/costs/series', { query: { ...month, ...sums }, on: ['costs.changed'] })
  // Without `to` both sides end with the last settled day.
  const compared = useReport('GET /reports/costs/series', {
    query: { from: settledMonth, ...sums, compare: 'previous' },
    on: ['costs.changed'],
  })
  const series = useReport('GET /reports/costs/series', {
    query: { ...period, group_by: 'provider' },
    on: ['costs.changed'],
  })
  const billed = series.data && daysBilled(series.data.total.values)
  // Requested with the others; where there is too little to tell from, not again.
  const forecast = useReport('GET /reports/forecast', { on: ['costs.changed'], when: billed?.canTell ?? true })
  return (
    <>
      <div class="view-head">
        <h1>Overview</h1>
        <span class="tools">
          <Copies report={summary} />
        </span>
      </div>
      <Tiles summary={summary} compared={compared} days={series} forecast={forecast} />
      <Start since={settledMonth} />
      <FirstDay />
      <div class="columns">
        <div>
          <Days period={period} series={series} />
          <MonthForecast forecast={forecast} days={series} />
          <OpenAnomalies />
          <SavingsPanel />
        </div>
        <CostChanges from={settledMonth} />
      </div>
    </>
  )
}
