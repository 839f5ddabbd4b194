/** One plan: its course, what it raises and costs, whether it could be carried out, and what happened. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { usd } from '../../figure.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Copies } from '../../part/copy.tsx'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { Acts } from './acts.tsx'
import { Checks } from './checks.tsx'
import { PlanForm } from './form.tsx'
import { Badge } from './list.tsx'
import { Timeline } from './timeline.tsx'
import { isUnderWay, statuses, type ReadinessPlan, type PlanStatus } from './labels.ts'

type Cost = Reply<'GET /event-readiness/:eventID/cost-estimate'>
type Policies = Reply<'GET /autoscaler-policies'>

export function PlanDetail({ id }: { id: string }) {
  const params = { eventID: id }
  const report = useReport('GET /event-readiness/:eventID', { params })
  const cost = useReport('GET /event-readiness/:eventID/cost-estimate', { params })
  const policies = useReport('GET /autoscaler-policies', { query: { limit: 100, include_removed: true } })
  const [isEditing, setEditing] = useState(false)
  const again = () => {
    setEditing(false)
    report.again()
    cost.again()
  }
  const status = report.data?.status
  useEvery(
    status && isUnderWay(status) ? 5 : 30,
    status !== undefined && !['draft', 'completed', 'cancelled'].includes(status),
    report.again,
  )
  const names = new Map((policies.data?.items ?? ([] as Policies['items'])).map((one) => [one.id, one.name]))
  return (
    <ReportContent report={report} rows={6}>
      {(plan: ReadinessPlan) => (
        <>
          <div class="view-head">
            <h1>
              <a href={hrefOf('events')}>Event readiness</a> /{' '}
              <span class="clip wide" dir="auto" title={plan.name}>
                {plan.name}
              </span>{' '}
              <Badge plan={plan} />
            </h1>
            <span class="tools">
              <Acts plan={plan} cost={cost.data} onEdit={() => setEditing(!isEditing)} onDone={again} />
              <Copies report={report} />
            </span>
          </div>
          <p class={plan.status === 'failed' ? 'note bad' : 'faint'}>{statuses[plan.status].says}</p>
          {plan.description && <p dir="auto">{plan.description}</p>}
          {isEditing && <PlanForm plan={plan} onClose={() => setEditing(false)} onDone={again} />}
          <Panel
            title="Timeline"
            about={`in time zone ${plan.timezone}; expected: ${plan.expectedMultiplier} times the usual load`}
          >
            <Timeline plan={plan} />
          </Panel>
          <Panel title="Targets and cost" about="extra cost from scale-up to restore" tools={<Copies report={cost} />}>
            <Targets plan={plan} cost={cost} names={names} />
          </Panel>
          <Checks plan={plan} names={names} />
          <Log id={plan.id} status={plan.status} names={names} />
        </>
      )}
    </ReportContent>
  )
}

type Target = ReadinessPlan['targets'][number]

function Targets({
  plan,
  cost,
  names,
}: {
  plan: ReadinessPlan
  cost: Report<Cost>
  names: ReadonlyMap<string, string>
}) {
  const costs = new Map((cost.data?.perTarget ?? []).map(({ policyId, extraCost }) => [policyId, extraCost]))
  const columns = [
    {
      key: 'policy',
      title: 'Policy',
      show: ({ policyId }: Target) => (
        <a
          class="clip wide"
          dir="auto"
          title={names.get(policyId) ?? policyId}
          href={hrefOf('scaling', { policy: policyId })}
        >
          {names.get(policyId) ?? policyId}
        </a>
      ),
    },
    {
      key: 'was',
      title: 'Units before',
      isFigure: true,
      show: ({ originalDesired, originalMin, originalMax }: Target) =>
        originalDesired === undefined ? (
          <span class="faint">recorded when it is scheduled</span>
        ) : (
          <>
            {originalDesired}
            <span class="sub faint">
              within {originalMin} to {originalMax}
            </span>
          </>
        ),
    },
    {
      key: 'cost',
      title: 'Extra cost',
      isFigure: true,
      show: ({ policyId }: Target) => (costs.has(policyId) ? usd(costs.get(policyId)!) : '–'),
    },
  ]
  return (
    <>
      <Table caption="Targets" columns={columns} rows={plan.targets} keyOf={({ policyId }: Target) => policyId} />
      <ReportContent report={cost} rows={1}>
        {({ estimatedExtraCost, warnings = [] }: Cost) => (
          <>
            <p>
              <strong>{usd(estimatedExtraCost)}</strong> extra in total, from unit prices, not from bills.
            </p>
            {warnings.length > 0 && (
              <ul class="note">
                {warnings.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            )}
          </>
        )}
      </ReportContent>
    </>
  )
}

type Lines = Reply<'GET /event-readiness/:eventID/logs'>
type Line = Lines['items'][number]
const pageSize = 20
const logTexts: Readonly<Record<Line['kind'], string>> = {
  transition: 'change',
  intent: 'command',
  callback: 'response',
}

function Log({ id, status, names }: { id: string; status: PlanStatus; names: ReadonlyMap<string, string> }) {
  const page = Number(param('page') ?? 1)
  const report = useReport('GET /event-readiness/:eventID/logs', {
    params: { eventID: id },
    query: { page, limit: pageSize },
  })
  useEvery(5, isUnderWay(status), report.again)
  const columns = [
    {
      key: 'at',
      title: 'When',
      show: ({ createdAt }: Line) => <span class="nowrap">{timeText(createdAt)}</span>,
    },
    {
      key: 'what',
      title: 'Event',
      show: ({ from, to, kind }: Line) =>
        to ? (
          <>
            {from ? `${statuses[from].text} → ` : ''}
            <span class={`badge ${statuses[to].look}`}>{statuses[to].text}</span>
          </>
        ) : (
          logTexts[kind]
        ),
    },
    {
      key: 'said',
      title: 'Message',
      isLong: true,
      show: ({ message, policyId }: Line) => (
        <>
          {message}
          {policyId && (
            <span class="sub faint clip wide" dir="auto">
              {names.get(policyId) ?? policyId}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'who',
      title: 'Actor',
      show: ({ actor }: Line) => (
        <span class="clip" title={actor}>
          {actor}
        </span>
      ),
    },
  ]
  return (
    <Panel key={status} title="Log" about="oldest first" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={3}>
        {(data: Lines) =>
          data.total === 0 ? (
            <Empty title="No activity yet.">
              <p>Each status change and each command to a target is logged here.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Plan log" columns={columns} rows={data.items} keyOf={(one: Line) => one.id} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}
