/** All plans, newest first. */
import { pluralize } from '../../figure.ts'
import { change, go, hrefOf, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { zonedText } from '../../zone.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { useEvery } from '../../part/polling.ts'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'
import { isUnderWay, statuses, windowOf, type ReadinessPlan, type Plans } from './labels.ts'

const pageSize = 20

export function List() {
  const [page, search, status] = [Number(param('page') ?? 1), param('search'), param('status')]
  const report = useReport('GET /event-readiness', { query: { search, status, page, limit: pageSize } })
  useEvery(10, report.data?.items.some((plan) => isUnderWay(plan.status)) ?? false, report.again)
  const isNarrowed = search !== undefined || status !== undefined
  const set = (name: string) => (event: Event) =>
    change({ [name]: (event.target as HTMLInputElement).value || null, page: null }, { replace: true })
  return (
    <Panel
      title="Plans"
      tools={
        <>
          <Act needs="service.create" class="main" onClick={() => go('events', { new: 'plan' })}>
            New plan
          </Act>
          <Copies report={report} />
        </>
      }
    >
      <p class="bar">
        <label>
          Search <input type="search" data-search value={search ?? ''} onChange={set('search')} />
        </label>
        <label>
          Status{' '}
          <select onChange={set('status')}>
            <option value="">all</option>
            {Object.entries(statuses).map(([value, { text }]) => (
              <option key={value} value={value} selected={status === value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </p>
      <ReportContent report={report} rows={4}>
        {(data: Plans) =>
          data.total === 0 ? (
            <Empty title={isNarrowed ? 'No plans match these filters.' : 'No events are planned.'}>
              <p>
                {isNarrowed ? (
                  <a href={hrefOf('events')}>Show all plans</a>
                ) : (
                  <>
                    A plan scales up a fleet ahead of an event and restores it afterwards. It refers to{' '}
                    <a href={hrefOf('scaling')}>autoscaling policies</a>.{' '}
                    <Next needs="service.create" what="Creating one">
                      <a href={hrefOf('scaling', { new: 'policy' })}>Create a policy for the fleet</a>, then{' '}
                      <a href={hrefOf('events', { new: 'plan' })}>create the plan</a>. Nothing happens until it is
                      scheduled.
                    </Next>
                  </>
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Plans" columns={columns} rows={data.items} keyOf={({ id }: ReadinessPlan) => id} />
              <Pages page={page} limit={pageSize} total={data.total} onPage={(to: number) => change({ page: to })} />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

export const Badge = ({ plan: { status } }: { plan: ReadinessPlan }) => (
  <span class={`badge ${statuses[status].look}`}>{statuses[status].text}</span>
)

const columns = [
  {
    key: 'name',
    title: 'Event',
    show: ({ id, name, expectedMultiplier }: ReadinessPlan) => (
      <>
        <a class="clip wide" dir="auto" title={name} href={hrefOf('events', { plan: id })}>
          {name}
        </a>
        <span class="sub faint">{expectedMultiplier} times the usual load</span>
      </>
    ),
  },
  { key: 'status', title: 'Status', show: (plan: ReadinessPlan) => <Badge plan={plan} /> },
  {
    key: 'start',
    title: 'Starts',
    by: ({ eventStart }: ReadinessPlan) => eventStart,
    show: ({ eventStart, timezone }: ReadinessPlan) => (
      <>
        {zonedText(eventStart, timezone)}
        <span class="sub faint">{timezone}</span>
      </>
    ),
  },
  {
    key: 'raised',
    title: 'Scale-up',
    show: (plan: ReadinessPlan) => zonedText(windowOf(plan).raisedAt, plan.timezone),
  },
  { key: 'back', title: 'Restore', show: (plan: ReadinessPlan) => zonedText(windowOf(plan).backAt, plan.timezone) },
  {
    key: 'targets',
    title: 'Targets',
    isFigure: true,
    show: ({ targets }: ReadinessPlan) => pluralize(targets.length, 'policy', 'policies'),
  },
]
