/** The days of the month: as billed through the last settled day, then as expected, each within its band. */
import type { Reply } from '../../api.ts'
import { addDays, dayShort, dayText, firstOf, today } from '../../day.ts'
import { usd } from '../../figure.ts'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { go } from '../../router.ts'
import type { Report } from '../../report.ts'

type Series = Reply<'GET /reports/costs/series'>
type Forecast = Reply<'GET /reports/forecast'>

export interface MonthForecastProps {
  forecast: Report<Forecast>
  /** Of days, the month among them. */
  days: Report<Series>
}

/** Nothing where there is too little to tell from: the tile says so. */
export function MonthForecast({ forecast, days }: MonthForecastProps) {
  if (!forecast.data || !days.data) return null
  const { data } = forecast
  const about = `${usd(data.month.expectedUSD)} expected${bandText(data)}`
  return (
    <Panel title="This month and its forecast" about={about} tools={<Copies report={forecast} />}>
      <ReportContent report={forecast}>
        {(said: Forecast) => <MonthChart forecast={said} days={days.data!} />}
      </ReportContent>
    </Panel>
  )
}

const bandText = ({ month: { lowUSD, highUSD } }: Forecast): string =>
  lowUSD === null || highUSD === null ? '' : `, ${usd(lowUSD)} – ${usd(highUSD)}`

function MonthChart({ forecast, days }: { forecast: Forecast; days: Series }) {
  const { periods, billed, expected, low, high } = toMonth(forecast, days)
  return (
    <>
      <Chart
        title="Daily costs of this month, billed and expected"
        kind="lines"
        periods={periods}
        name={dayShort}
        series={[
          { label: 'Billed', values: billed },
          { label: 'Expected', values: expected },
        ]}
        band={{ low, high, label: 'Range of the forecast' }}
        height={150}
        onPick={(day: string) => day <= today() && go('costs', { from: day, to: day })}
      />
      <p class="faint">
        Billed through {dayText(forecast.settledThrough)}; later days are expected from {forecast.completeDays} complete
        days.
      </p>
    </>
  )
}

interface Month {
  periods: string[]
  billed: (number | null)[]
  expected: (number | null)[]
  low: (number | null)[]
  high: (number | null)[]
}

/** By day of the forecast's month. Where the lines meet, the last billed day is in both, so that there is no gap. */
function toMonth({ settledThrough, days: coming, month }: Forecast, { periods: known, total }: Series): Month {
  const first = firstOf(`${month.period}-01`)
  const last = coming.at(-1)?.date ?? settledThrough
  const periods: string[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) periods.push(day)
  const costs = new Map(known.map((day, at) => [day, total.values[at] ?? 0]))
  const ahead = new Map(coming.map((one) => [one.date, one]))
  const billed = periods.map((day) => (day <= settledThrough ? (costs.get(day) ?? null) : null))
  const joined = (pick: (one: Forecast['days'][number]) => number | null) =>
    periods.map((day) => {
      const one = ahead.get(day)
      return one ? pick(one) : day === settledThrough ? (costs.get(day) ?? null) : null
    })
  return {
    periods,
    billed,
    expected: joined(({ expectedUSD }) => expectedUSD),
    low: joined(({ lowUSD }) => lowUSD),
    high: joined(({ highUSD }) => highUSD),
  }
}
