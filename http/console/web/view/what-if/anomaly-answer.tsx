/** Of thresholds: which anomalies there would be. */
import { dayShort, dayText } from '../../day.ts'
import { count, percentChange, usd } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Chart } from '../../part/chart.tsx'
import { Severity } from '../anomalies/list.tsx'
import { typeName } from '../anomalies/labels.ts'
import type { WhatIfOf } from './reply.ts'
import { TitledTable, Sides } from './before-after.tsx'

type Anomalies = WhatIfOf<'anomaly'>
type Item = Anomalies['added'][number] & { severityBefore?: string }

const names = ['anomalies', 'info', 'warning', 'critical', 'emergency'] as const

export function AnomalyAnswer({ answer }: { answer: Anomalies }) {
  const { before, after, byDay } = answer
  const rows = names.map((name) => ({
    title: name === 'anomalies' ? 'All anomalies' : name === 'info' ? 'info: suppressed' : name,
    before: count(before[name]),
    after: count(after[name]),
  }))
  return (
    <>
      <Sides caption="Before and after" rows={rows} />
      <Chart
        title="Anomalies per day"
        kind="lines"
        height={170}
        periods={byDay.map(({ date }) => date)}
        name={dayShort}
        series={[
          { label: 'before', values: byDay.map((day) => day.before) },
          { label: 'after', values: byDay.map((day) => day.after) },
        ]}
        show={count}
        showShort={count}
      />
      <TitledTable
        title="Additional anomalies"
        count={answer.addedCount}
        rows={answer.added}
        columns={columns}
        none="None."
      />
      <TitledTable
        title="Removed anomalies"
        count={answer.removedCount}
        rows={answer.removed}
        columns={columns}
        none="None."
      />
      <TitledTable
        title="Changed severity"
        count={answer.regradedCount}
        rows={answer.regraded}
        columns={columns}
        none="None."
      />
      <p class="faint">Only the daily run is replayed. Intraday findings that were later withdrawn are not included.</p>
    </>
  )
}

/** The lines of what an anomaly is of; groups are narrowed by a parameter of their own. */
const narrowing: Readonly<Record<string, string>> = {
  cloud_account: 'cloud_account_id',
  resource: 'filter[resource_uid]',
  team: 'team_id',
}

function receiptOf({ date, anomalyType, anomalyKey }: Item) {
  const name = narrowing[anomalyType]
  if (anomalyType === 'resource_group') return { from: date, to: date, resource_group_id: anomalyKey }
  return { from: date, to: date, ...(name && { [name]: anomalyKey }) }
}

const columns = [
  { key: 'day', title: 'Day', show: ({ date }: Item) => <span class="nowrap">{dayText(date)}</span> },
  {
    key: 'of',
    title: 'Scope',
    show: ({ anomalyType, anomalyKey }: Item) => (
      <>
        <span class="clip" dir="auto" title={anomalyKey}>
          {anomalyKey}
        </span>
        <span class="faint">{typeName(anomalyType)}</span>
      </>
    ),
  },
  {
    key: 'severity',
    title: 'Severity',
    show: ({ severity, severityBefore }: Item) => (
      <>
        {severityBefore && (
          <>
            <Severity severity={severityBefore} /> →{' '}
          </>
        )}
        <Severity severity={severity} />
      </>
    ),
  },
  {
    key: 'cost',
    title: 'Cost',
    isFigure: true,
    show: (one: Item) => (
      <>
        <Amount usd={one.actualCostUsd} receipt={receiptOf(one)} label={one.anomalyKey} />
        <span class="faint">expected {usd(one.expectedCostUsd)}</span>
      </>
    ),
  },
  {
    key: 'deviation',
    title: 'Deviation',
    isFigure: true,
    show: ({ deviationPercent }: Item) => percentChange(deviationPercent),
  },
]
