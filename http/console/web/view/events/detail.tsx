/** One plan: its course, what it raises and costs, whether it could be carried out, and what happened. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { timeText } from '../../day.ts'
import { usd } from '../../figure.ts'
import { hrefOf, param } from '../../router.ts'
import { useReport, type Report } from '../../report.ts'
import { Clip } from '../../part/clip.tsx'
import { Copies } from '../../part/copy.tsx'
import { useEvery } from '../../part/polling.ts'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { Head } from '../../part/head.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
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
          <Head title="Event readiness" of={{ name: plan.name, href: hrefOf('events') }} beside={<Badge plan={plan} />}>
            <Acts plan={plan} cost={cost.data} onEdit={() => setEditing(!isEditing)} onDone={again} />
            <Copies report={report} />
          </Head>
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
  const columns: Column<Target>[] = [
    {
      title: 'Policy',
      text: ({ policyId }) => names.get(policyId) ?? policyId,
      href: ({ policyId }) => hrefOf('scaling', { policy: policyId }),
    },
    {
      title: 'Units before',
      count: ({ originalDesired }) => originalDesired,
      none: 'recorded when it is scheduled',
      sub: ({ originalDesired, originalMin, originalMax }) =>
        originalDesired !== undefined && `within ${originalMin} to ${originalMax}`,
    },
    { title: 'Extra cost', usd: ({ policyId }) => costs.get(policyId) },
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

type Line = Reply<'GET /event-readiness/:eventID/logs'>['items'][number]
const pageSize = 20
const logTexts: Readonly<Record<Line['kind'], string>> = {
  transition: 'change',
  intent: 'command',
  callback: 'response',
}

function Log({ id, status, names }: { id: string; status: PlanStatus; names: ReadonlyMap<string, string> }) {
  const report = useReport('GET /event-readiness/:eventID/logs', {
    params: { eventID: id },
    query: { page: param('page') ?? 1, limit: pageSize },
  })
  useEvery(5, isUnderWay(status), report.again)
  const columns: Column<Line>[] = [
    {
      title: 'When',
      csv: ({ createdAt }) => createdAt,
      show: ({ createdAt }) => <span class="nowrap">{timeText(createdAt)}</span>,
    },
    {
      title: 'Event',
      show: ({ from, to, kind }) =>
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
      title: 'Message',
      isLong: true,
      show: ({ message }) => message,
      sub: ({ policyId }) => policyId && <Clip text={names.get(policyId) ?? policyId} size="wide" />,
    },
    { title: 'Actor', text: ({ actor }) => actor },
  ]
  return (
    <ListView
      key={status}
      title="Log"
      noun="log lines"
      caption="Plan log"
      about="oldest first"
      report={report}
      columns={columns}
      pageSize={pageSize}
      bones={3}
      empty={{
        title: 'No activity yet.',
        children: <p>Each status change and each command to a target is logged here.</p>,
      }}
    />
  )
}
