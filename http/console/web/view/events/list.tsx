/** All plans, newest first. */
import { pluralize } from '../../figure.ts'
import { go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { useEvery } from '../../part/polling.ts'
import { Next } from '../../part/next-step.tsx'
import { isUnderWay, statuses, windowOf, type ReadinessPlan } from './labels.ts'

const pageSize = 20
const filters = [
  { name: 'search', title: 'Search' },
  { name: 'status', title: 'Status', choices: Object.entries(statuses).map(([value, { text }]) => [value, text]) },
]

export function List() {
  const query = { search: param('search'), status: param('status'), page: param('page') ?? 1, limit: pageSize }
  const report = useReport('GET /event-readiness', { query })
  useEvery(10, report.data?.items.some((plan) => isUnderWay(plan.status)) ?? false, report.again)
  return (
    <ListView
      title="Plans"
      noun="plans"
      report={report}
      columns={columns}
      filters={filters}
      pageSize={pageSize}
      tools={
        <Act needs="service.create" class="main" onClick={() => go('events', { new: 'plan' })}>
          New plan
        </Act>
      }
      empty={{
        title: 'No events are planned.',
        children: (
          <p>
            A plan scales up a fleet ahead of an event and restores it afterwards. It refers to{' '}
            <a href={hrefOf('scaling')}>autoscaling policies</a>.{' '}
            <Next needs="service.create" what="Creating one">
              <a href={hrefOf('scaling', { new: 'policy' })}>Create a policy for the fleet</a>, then{' '}
              <a href={hrefOf('events', { new: 'plan' })}>create the plan</a>. Nothing happens until it is scheduled.
            </Next>
          </p>
        ),
      }}
    />
  )
}

export const Badge = ({ plan: { status } }: { plan: ReadinessPlan }) => (
  <span class={`badge ${statuses[status].look}`}>{statuses[status].text}</span>
)

const columns: Column<ReadinessPlan>[] = [
  {
    title: 'Event',
    text: ({ name }) => name,
    href: ({ id }) => hrefOf('events', { plan: id }),
    sub: ({ expectedMultiplier }) => `${expectedMultiplier} times the usual load`,
  },
  { title: 'Status', text: ({ status }) => statuses[status].text, badge: ({ status }) => statuses[status].look },
  {
    title: 'Starts',
    by: ({ eventStart }) => eventStart,
    csv: ({ eventStart }) => eventStart,
    show: ({ eventStart, timezone }) => zonedText(eventStart, timezone),
    sub: ({ timezone }) => timezone,
  },
  {
    title: 'Scale-up',
    csv: (plan) => windowOf(plan).raisedAt,
    show: (plan) => zonedText(windowOf(plan).raisedAt, plan.timezone),
  },
  {
    title: 'Restore',
    csv: (plan) => windowOf(plan).backAt,
    show: (plan) => zonedText(windowOf(plan).backAt, plan.timezone),
  },
  {
    title: 'Targets',
    count: ({ targets }) => targets.length,
    show: ({ targets }) => pluralize(targets.length, 'policy', 'policies'),
  },
]
