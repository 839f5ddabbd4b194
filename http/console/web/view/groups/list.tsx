/** All groups, each a link to its members. */
import { timeText } from '../../day.ts'
import { count } from '../../figure.ts'
import { hrefOf, withParams } from '../../router.ts'
import { Table } from '../../part/table.tsx'
import type { Group, Groups } from './view.tsx'

const columns = [
  {
    key: 'name',
    title: 'Name',
    show: ({ id, name }: Group) => (
      <a class="clip wide" dir="auto" title={name} href={hrefOf('groups', withParams({ group: id, new: null }))}>
        {name}
      </a>
    ),
    by: ({ name }: Group) => name,
  },
  {
    key: 'description',
    title: 'Description',
    isLong: true,
    show: ({ description }: Group) => <span dir="auto">{description ?? '–'}</span>,
  },
  {
    key: 'members',
    title: 'Resources',
    isFigure: true,
    show: ({ members }: Group) => count(members.length),
    by: ({ members }: Group) => members.length,
  },
  {
    key: 'updated',
    title: 'Changed',
    show: ({ updatedAt }: Group) => timeText(updatedAt),
    by: ({ updatedAt }: Group) => updatedAt,
  },
]

export const GroupList = ({ data: { items, total } }: { data: Groups }) => (
  <>
    <Table caption="Resource groups" columns={columns} rows={items} keyOf={({ id }: Group) => id} />
    {total > items.length && (
      <p class="faint">
        {items.length} of {total} groups shown.
      </p>
    )}
  </>
)
