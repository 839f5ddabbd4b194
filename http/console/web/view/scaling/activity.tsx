/** What a policy did and said, the newest first. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Copies } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { Pages, Table } from '../../part/table.tsx'

type Events = Reply<'GET /autoscaler-policies/:policyID/events'>
type Event = Events[number]

const pageSize = 20

/** The API tells the oldest first: the newest stand on its last page. */
export function PolicyActivity({ id, updatedAt }: { id: string; updatedAt: string }) {
  const params = { policyID: id }
  const first = useReport('GET /autoscaler-policies/:policyID/events', {
    params,
    query: { limit: pageSize, page: 1 },
    on: ['inventory.'],
  })
  const last = Math.max(1, Math.ceil((first.total ?? 0) / pageSize))
  const page = Math.min(last, Number(param('page') ?? 1))
  const other = useReport('GET /autoscaler-policies/:policyID/events', {
    params,
    query: { limit: pageSize, page: last + 1 - page },
    when: last + 1 - page > 1,
    on: ['inventory.'],
  })
  const report = last + 1 - page > 1 ? other : first
  return (
    <Panel key={updatedAt} title="Activity" about="newest first" tools={<Copies report={report} />}>
      <ReportContent report={report} rows={4}>
        {(data: Events) =>
          data.length === 0 ? (
            <Empty title="No activity yet.">
              <p>It is evaluated whenever its target is measured and at the start and end of its triggers.</p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Policy events"
                columns={columns}
                rows={data.toReversed()}
                keyOf={(one: Event) => one.id}
              />
              <Pages
                page={page}
                limit={pageSize}
                total={first.total ?? 0}
                onPage={(to: number) => change({ page: to })}
              />
            </>
          )
        }
      </ReportContent>
    </Panel>
  )
}

const bounds = (min: number | null, max: number | null): string => (min === null || max === null ? '' : `${min}–${max}`)

const columns = [
  {
    key: 'at',
    title: 'When',
    show: ({ createdAt }: Event) => <span title={timeText(createdAt)}>{ago(createdAt)}</span>,
  },
  {
    key: 'kind',
    title: 'Event',
    show: ({ kind }: Event) => (
      <span class={`badge ${kind === 'failure' ? 'failed' : ''}`}>{kind.replace('_', ' ')}</span>
    ),
  },
  {
    key: 'units',
    title: 'Units',
    show: ({ fromMin, fromMax, toMin, toMax }: Event) =>
      toMin === null ? (
        ''
      ) : (
        <span class="nowrap">
          {bounds(fromMin, fromMax)} → {bounds(toMin, toMax)}
        </span>
      ),
  },
  { key: 'why', title: 'Reason', isLong: true, show: ({ reason }: Event) => reason },
  {
    key: 'who',
    title: 'Actor',
    show: ({ appliedBy }: Event) => appliedBy ?? <span class="faint">automatic</span>,
  },
]
