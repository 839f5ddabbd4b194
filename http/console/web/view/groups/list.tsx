/** All groups, each a link to its members. */
import { timeText } from '../../day.ts'
import { count } from '../../figure.ts'
import { hrefOf, withParams } from '../../router.ts'
import { Table } from '../../part/table.tsx'
import type { GroupPage, GroupRow } from './group-row.ts'

const columns = [
  {
    key: 'name',
    title: 'Name',
    show: ({ id, name }: GroupRow) => (
      <a class="clip wide" dir="auto" title={name} href={hrefOf('groups', withParams({ group: id, new: null }))}>
        {name}
      </a>
    ),
    by: ({ name }: GroupRow) => name,
  },
  {
    key: 'description',
    title: 'Description',
    isLong: true,
    show: ({ description }: GroupRow) => <span dir="auto">{description ?? '–'}</span>,
  },
  {
    key: 'members',
    title: 'Resources',
    isFigure: true,
    show: ({ members }: GroupRow) => count(members.length),
    by: ({ members }: GroupRow) => members.length,
  },
  {
    key: 'updated',
    title: 'Changed',
    show: ({ updatedAt }: GroupRow) => timeText(updatedAt),
    by: ({ updatedAt }: GroupRow) => updatedAt,
  },
]

export const GroupList = ({ data: { items, total } }: { data: GroupPage }) => (
  <>
    <Table caption="Resource groups" columns={columns} rows={items} keyOf={({ id }: GroupRow) => id} />
    {total > items.length && (
      <p class="faint">
        {items.length} of {total} groups shown.
      </p>
    )}
  </>
)
