/** One anomaly: why it is one, what explains it, what happened, who was told and what people say of it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { dayShort, dayText } from '../../day.ts'
import { percentChange, usd, usdChange } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Chart } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { change, hrefOf } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { anomaliesSql } from '../../sql.ts'
import { Explanation } from './explanation.tsx'
import { ResourceActivity } from './activity.tsx'
import { Severity, Status } from './list.tsx'
import { useFocusOnOpen } from './focus-on-open.ts'
import { ReviewForm } from './review.tsx'
import { Story } from './story.tsx'
import { Notifications } from './notifications.tsx'
import { expectedText, explorerQuery, receiptOf, severityName, typeName, type Detail as Data } from './labels.ts'

const close = () => change({ anomaly: null })

export function AnomalyDetail({ id }: { id: string }) {
  const report = useReport('GET /reports/anomalies/:anomalyID', {
    params: { anomalyID: id },
    on: ['anomaly.', 'costs.changed'],
  })
  const place = useFocusOnOpen<HTMLDivElement>(id)
  const title = report.data?.label ?? 'Anomaly'
  const tools = (
    <>
      <Copies report={report} sql={anomaliesSql({ id })} />
      <button type="button" class="quiet" onClick={close}>
        Close ✕
      </button>
    </>
  )
  return (
    <div class="opened" tabindex={-1} ref={place} role="group" aria-label={title}>
      {report.data === undefined ? (
        <Panel title="Anomaly" tools={tools}>
          <ReportContent report={report} rows={8}>
            {() => null}
          </ReportContent>
        </Panel>
      ) : (
        <DetailBody data={report.data} report={report} tools={tools} />
      )}
    </div>
  )
}

function DetailBody({ data: told, report, tools }: { data: Data; report: Report<Data>; tools: ComponentChildren }) {
  // What was said here stands until the page has been asked again.
  const [fresh, setFresh] = useState<{ review: Data['review']; of: Data } | undefined>()
  const data: Data = fresh?.of === told && fresh.review ? { ...told, review: fresh.review } : told
  const onSaid = (review: Data['review']) => {
    setFresh({ review, of: told })
    report.again()
  }
  const about = `${typeName(data.anomalyType)} · ${dayText(data.date)} · ${data.cost} cost`
  return (
    <>
      <Panel title={data.label} about={about} tools={tools}>
        <ReportContent report={report}>{() => <Why data={data} />}</ReportContent>
      </Panel>
      <Explanation data={data} />
      <ReviewForm data={data} onSaid={onSaid} />
      <ResourceActivity data={data} />
      <Story data={data} />
      <Notifications data={data} />
    </>
  )
}

function Why({ data }: { data: Data }) {
  const { rootCause, severity, review, excessUsd, deviationPercent, expectedCostUsd, actualCostUsd, method } = data
  const explorer = explorerQuery(data)
  const now = data.series.at(-1)?.actualUsd ?? null
  return (
    <>
      <p class="sentence" dir="auto">
        {rootCause}
      </p>
      <p>
        <Severity severity={severity} /> <Status review={review} />{' '}
        {expectedText(data) && (
          <>
            <span class="badge">{expectedText(data)}</span>{' '}
          </>
        )}
        <strong class="figure">{usdChange(excessUsd)}</strong>{' '}
        <span class="faint">
          ({percentChange(deviationPercent)}
          {method === 'zscore' ? '; severity by standard deviations' : ''})
        </span>
      </p>
      <p>
        This day cost <Amount usd={actualCostUsd} receipt={receiptOf(data, data.cost)} label={data.label} />; the
        average of the previous seven days is <Amount usd={expectedCostUsd} />.
      </p>
      {now !== null && now !== actualCostUsd && (
        <p class="note" role="status">
          Its bills have changed since detection: the day now totals{' '}
          <Amount usd={now} receipt={receiptOf(data, data.cost)} label={data.label} />.
        </p>
      )}
      <Days data={data} />
      <p>
        {explorer ? (
          <a href={hrefOf('costs', explorer)}>Open this day in Explorer</a>
        ) : (
          <span class="faint">Explorer cannot filter by resource group. Click the amount above to see its lines.</span>
        )}
      </p>
    </>
  )
}

function Days({ data: { series, date, severity, excessUsd } }: { data: Data }) {
  const lines = [
    { label: 'cost', values: series.map(({ actualUsd }) => actualUsd) },
    { label: 'expected', values: series.map(({ expectedUsd }) => expectedUsd) },
  ]
  const band = {
    low: series.map(({ expectedUsd }) => expectedUsd),
    high: series.map(({ warningUsd }) => warningUsd),
    label: 'normal range',
  }
  const marks = [{ period: date, severity, text: `${severityName(severity)}: ${usd(excessUsd)} above expected` }]
  return (
    <Chart
      title="Cost and expected cost over 30 days"
      kind="lines"
      periods={series.map((day) => day.date)}
      name={dayShort}
      series={lines}
      band={band}
      marks={marks}
      height={200}
    />
  )
}
