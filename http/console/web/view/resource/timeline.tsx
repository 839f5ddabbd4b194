/** Cost, use and what happened, on one axis of days: whatever is pointed at in one chart is pointed at in all. */
import { Fragment } from 'preact'
import type { Query } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { bytes } from '../../bytes.ts'
import { dayShort } from '../../day.ts'
import { percent } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Chart, type Mark } from '../../part/chart.tsx'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis, PeriodBar, periodUntilToday } from '../../part/period.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { change, param } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { may } from '../../session.ts'
import { costsSql } from '../../sql.ts'
import { Events } from './events.tsx'
import { kinds, marksOf, useResourceHistory, type ResourceEvent, type EventKind } from './history.ts'

type Costs = Reply<'GET /reports/costs/series'>
type Metrics = Reply<'GET /reports/resources/metrics/daily'>

const sync = 'resource'

export interface TimelineProps {
  uid: string
  account: string | undefined
  /** Its costs are none that the role shows. */
  isHidden?: boolean
}

/** Of the reports of what happened, in their order. */
const historyReports = ['changes', 'actions', 'anomalies']

export function Timeline({ uid, account, isHidden = false }: TimelineProps) {
  const when = may('service.view') && !isHidden
  const period = periodUntilToday('30d')
  const of = { ...period, cost: param('cost'), 'filter[cloud_account_id]': account, 'filter[resource_uid]': uid }
  const costs = useReport('GET /reports/costs/series', {
    query: { ...of, granularity: 'daily' },
    on: ['costs.changed'],
    when,
  })
  const metrics = useReport('GET /reports/resources/metrics/daily', {
    query: { ...period, resource_uid: uid, cloud_account_id: account },
    on: ['inventory.'],
    when,
  })
  const happened = useResourceHistory(uid, account, period, when)
  if (isHidden)
    return (
      <Panel title="Timeline">
        <Empty title="Your role cannot view its costs and activity.">
          <p>
            Your role covers only some accounts and teams, and this resource belongs to none of them. An administrator
            of your organization can extend your role.
          </p>
        </Empty>
      </Panel>
    )
  if (!when)
    return (
      <Panel title="Timeline">
        <Empty title="Your role cannot view its costs and activity.">
          <p>
            It requires the permission <code>service.view</code>. An administrator can grant it to you.
          </p>
        </Empty>
      </Panel>
    )
  const shown = kindsShown(happened.events)
  const tools = (
    <>
      <Copies report={costs} of="costs" sql={costsSql(of, [], 'daily')} />
      <Copies report={metrics} of="metrics" />
    </>
  )
  return (
    <>
      <Panel title="Timeline" about={<CostBasis meta={costs.meta} />} tools={tools}>
        <PeriodBar fallback="30d" untilToday takes={['cost']} />
        <ReportContent report={costs} rows={6}>
          {(data: Costs) => <Cost data={data} receipt={of} marks={marksOf(shown, true)} />}
        </ReportContent>
        <ReportContent report={metrics} rows={6}>
          {(data: Metrics) => <Use data={data} marks={marksOf(shown, false)} />}
        </ReportContent>
        <p class="faint">
          Letters in the charts:{' '}
          {kinds.map(({ letter, title }, at) => (
            <Fragment key={letter}>
              {at > 0 && ', '}
              <kbd>{letter}</kbd> {title}
            </Fragment>
          ))}
          . Click a day to show its events.
        </p>
      </Panel>
      <Panel
        title="Events"
        tools={happened.reports.map((report: Report<unknown>, at: number) => (
          <Copies key={report.operation} report={report} of={historyReports[at]} />
        ))}
      >
        {happened.reports.map(
          (report: Report<unknown>) =>
            report.problem && <ProblemMessage key={report.operation} problem={report.problem} again={report.again} />,
        )}
        <Events
          events={shown}
          all={happened.events}
          isAsking={happened.reports.some((report: Report<unknown>) => report.data === undefined && !report.problem)}
          isCut={happened.isCut}
        />
      </Panel>
    </>
  )
}

/** Those of the kinds that the address names; all where it names none. */
function kindsShown(events: readonly ResourceEvent[]): readonly ResourceEvent[] {
  const kind = param('kind') as EventKind | undefined
  return kind === undefined ? events : events.filter((one) => one.kind === kind)
}

const pick = (day: string) => change({ day: param('day') === day ? null : day })

interface CostProps {
  data: Costs
  receipt: Query
  marks: readonly Mark[]
}

function Cost({ data: { periods, total }, receipt, marks }: CostProps) {
  const series = [{ label: 'cost', values: total.values }]
  return (
    <>
      <h3>Cost</h3>
      <p>
        <Amount usd={total.costUSD} receipt={receipt} label="Cost of this period" />{' '}
        <span class="faint">in this period</span>
      </p>
      <Chart
        title="Daily cost"
        kind="bars"
        periods={periods}
        name={dayShort}
        series={series}
        estimated={total.estimatedUSD}
        marks={marks}
        sync={sync}
        height={150}
        onPick={pick}
      />
    </>
  )
}

const isMeasured = (...lists: (readonly (number | null)[])[]): boolean =>
  lists.some((values) => values.some((value) => value !== null))

function Use({ data, marks }: { data: Metrics; marks: readonly Mark[] }) {
  const { cpu, memory, disk, network } = data
  const parts = [
    { title: 'CPU', values: cpu },
    { title: 'Memory', values: memory },
    { title: 'Disk', values: disk },
  ].filter(({ values }) => isMeasured(values.avgPercent))
  const hasNetwork = isMeasured(network.inBytes, network.outBytes)
  if (parts.length === 0 && !hasNetwork) return <p class="faint">No CPU, memory or network metrics in this period.</p>
  const traffic = [
    { label: 'in', values: network.inBytes },
    { label: 'out', values: network.outBytes },
  ]
  const common = { kind: 'lines' as const, periods: data.days, name: dayShort, marks, sync, height: 120, onPick: pick }
  return (
    <div class="uses">
      {parts.map(({ title, values }) => (
        <div key={title}>
          <h3>{title}</h3>
          <Chart
            {...common}
            title={`${title} per day, percent`}
            series={linesOf(values)}
            show={percent}
            showShort={percent}
          />
        </div>
      ))}
      {hasNetwork && (
        <div>
          <h3>Network</h3>
          <Chart {...common} title="Network per day, bytes" series={traffic} show={bytes} showShort={bytes} />
        </div>
      )}
    </div>
  )
}

const linesOf = ({ avgPercent, p95Percent, maxPercent }: Metrics['cpu']) => [
  { label: 'mean', values: avgPercent },
  { label: 'p95', values: p95Percent },
  { label: 'max', values: maxPercent },
]
