/** What comes of it: claims that run at the rate that bills have proved, and what is open by what came true of its like. */
import { dayText, periodShort } from '../../day.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { ReportPanel } from '../../part/report-panel.tsx'
import { Chart } from '../../part/chart.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { rateText, rateTitle, weekdays, type Projection } from './labels.ts'

type Open = Projection['open']['items'][number]

export function ProjectionTab() {
  const report = useReport('GET /reports/savings/projection', { on: ['costs.changed', 'recommendation.'] })
  return (
    <>
      <ReportPanel
        title="Active claims"
        about="the rest of this month, then twelve full months"
        report={report}
        rows={5}
      >
        {(data: Projection) => <Running data={data} />}
      </ReportPanel>
      <Panel title="Open recommendations, by realization rate" about="over 30 days">
        <ReportContent report={report} rows={5}>
          {(data: Projection) => <OpenOnes data={data} />}
        </ReportContent>
      </Panel>
    </>
  )
}

function Running({ data: { runningClaims, provedClaims, provedThrough, months, runRate } }: { data: Projection }) {
  if (runningClaims === 0)
    return (
      <Empty title="No active claims.">
        <p>
          The projection appears once there is an active claim:{' '}
          <a href={hrefOf('recommendations')}>see recommendations</a>.
        </p>
      </Empty>
    )
  const series = [
    { label: 'At the verified rate', values: months.map(({ verifiedUSD }) => verifiedUSD) },
    { label: 'Unverified, as estimated', values: months.map(({ unprovedUSD }) => unprovedUSD), isOther: true },
  ]
  return (
    <>
      <p>
        {pluralize(runningClaims, 'claim')}, of which {count(provedClaims)} {provedClaims === 1 ? 'has' : 'have'} a day
        verified by bills{provedThrough === null ? '' : ` (latest ${dayText(provedThrough)})`}. Each ends at most twelve
        months after it started. The two series are separate: unverified savings may not materialize.
      </p>
      <Chart
        title="Projected savings of active claims by month"
        kind="lines"
        periods={months.map(({ period }) => period)}
        name={periodShort}
        series={series}
      />
      <p class="faint">
        Per day, at the verified rate:{' '}
        {runRate.map(({ weekday, verifiedUSD }) => `${weekdays[weekday]} ${usd(verifiedUSD)}`).join(', ')}.
      </p>
    </>
  )
}

function OpenOnes({ data: { open } }: { data: Projection }) {
  if (open.items.length === 0)
    return (
      <Empty title="No open recommendations.">
        <p>
          <a href={hrefOf('recommendations', { status: 'any' })}>Recommendations of any status</a>
        </p>
      </Empty>
    )
  return (
    <>
      <p>
        Estimated: {usd(open.openEstimatedUSD)}. Weighted by realization rate: {usd(open.expectedUSD)}, of which{' '}
        {usd(open.unprovedUSD)} has no track record yet. Recommendations are weighted once bills verify five claims of
        their rule or its category.
      </p>
      <Table
        caption="Open recommendations by rule"
        columns={columns}
        rows={open.items}
        keyOf={({ ruleID }: Open) => ruleID}
      />
    </>
  )
}

const basisText = { rule: 'for this rule', category: 'for its category', unproved: 'no data yet' }

const columns: Column<Open>[] = [
  {
    title: 'Rule',
    text: ({ ruleID }) => ruleID,
    href: ({ ruleID }) => hrefOf('recommendations', { rule_id: ruleID }),
    sub: ({ category }) => category,
  },
  { title: 'Estimated', usd: ({ openEstimatedUSD }) => openEstimatedUSD },
  {
    title: rateTitle,
    isFigure: true,
    by: ({ realisation }) => realisation ?? -1,
    show: ({ realisation }) => rateText(realisation),
    sub: ({ basis }) => basisText[basis],
  },
  { title: 'Expected', usd: ({ expectedUSD }) => expectedUSD },
]
