/** What a policy did and said, the newest first. */
import type { Reply } from '../../api.ts'
import { param } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'

type Event = Reply<'GET /autoscaler-policies/:policyID/events'>[number]

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
    <ListView
      key={updatedAt}
      title="Activity"
      noun="policy events"
      caption="Policy events"
      about="newest first"
      report={{ ...report, total: first.total }}
      rows={(data) => data.toReversed()}
      columns={columns}
      pageSize={pageSize}
      bones={4}
      empty={{
        title: 'No activity yet.',
        children: <p>It is evaluated whenever its target is measured and at the start and end of its triggers.</p>,
      }}
    />
  )
}

const bounds = (min: number | null, max: number | null): string => (min === null || max === null ? '' : `${min}–${max}`)

const columns: Column<Event>[] = [
  { title: 'When', ago: ({ createdAt }) => createdAt },
  {
    title: 'Event',
    text: ({ kind }) => kind.replace('_', ' '),
    badge: ({ kind }) => (kind === 'failure' ? 'failed' : ''),
  },
  {
    title: 'Units',
    show: ({ fromMin, fromMax, toMin, toMax }) =>
      toMin !== null && (
        <span class="nowrap">
          {bounds(fromMin, fromMax)} → {bounds(toMin, toMax)}
        </span>
      ),
  },
  { title: 'Reason', isLong: true, show: ({ reason }) => reason },
  { title: 'Actor', text: ({ appliedBy }) => appliedBy, none: 'automatic' },
]
