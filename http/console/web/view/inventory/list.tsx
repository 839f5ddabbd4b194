/** The resources of a page: what each is, whose, what it cost in thirty days and how much of it was used. */
import type { Reply } from '../../api.ts'
import { ago, timeText } from '../../day.ts'
import { percent } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Driver } from '../../part/driver.tsx'
import { Status } from '../../part/power-state.tsx'
import { Table, type TableColumn } from '../../part/table.tsx'
import { change, hrefOf } from '../../router.ts'
import { lastDays, type InventoryQuery } from './query.ts'
import type { ResourceFigures } from './resource-figures.ts'

type Resource = Reply<'GET /resources'>[number]

/** The page of a resource: of a uid alone where it is one of one account. */
export const resourceHref = ({ uid, cloudAccountID }: Pick<Resource, 'uid' | 'cloudAccountID'>): string =>
  hrefOf('resource', { uid, cloud_account_id: cloudAccountID })

export function List({
  rows,
  asked,
  beside,
}: {
  rows: readonly Resource[]
  asked: InventoryQuery
  beside: ResourceFigures
}) {
  const onSort = (key: string) => {
    const isAscending = key === asked.sort.key ? !asked.sort.isAscending : key !== 'updated_at'
    change({ sort_by: key, sort_order: isAscending ? 'asc' : 'desc', page: null })
  }
  return (
    <div aria-busy={beside.isAsking}>
      <Table
        caption="Resources"
        columns={columnsOf(beside)}
        rows={rows}
        keyOf={({ id }: Resource) => id}
        sorted={{ ...asked.sort, onSort }}
      />
    </div>
  )
}

const columnsOf = (beside: ResourceFigures): TableColumn<Resource>[] => [
  {
    key: 'name',
    title: 'Name',
    by: ({ name }) => name,
    show: (row) => (
      <>
        <a href={resourceHref(row)} title={row.uid}>
          <span class="clip wide" dir="auto">
            {row.name || row.uid}
          </span>
        </a>
        {row.childCount > 0 && <span class="faint">contains {row.childCount}</span>}
      </>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    by: ({ type }) => type,
    show: ({ type, instanceType }) => (
      <>
        <span class="clip" title={type}>
          {type}
        </span>
        <span class="faint">
          <span class="clip tight" title={instanceType}>
            {instanceType}
          </span>
        </span>
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    by: ({ status }) => status,
    show: ({ status }) => <Status status={status} />,
  },
  {
    key: 'provider',
    title: 'Account',
    by: ({ provider }) => provider,
    show: ({ cloudAccountName, cloudAccountDriver, provider, region }) => (
      <>
        <span class="clip" dir="auto" title={cloudAccountName}>
          {cloudAccountName}
        </span>
        <span class="faint">
          {provider}
          {region && ` · ${region}`}
        </span>{' '}
        <Driver driver={cloudAccountDriver} />
      </>
    ),
  },
  { key: 'team', title: 'Team', show: ({ team }) => teamText(team) },
  {
    key: 'cost',
    title: 'Cost, 30 days',
    isFigure: true,
    show: (row) => <Cost row={row} beside={beside} />,
  },
  { key: 'cpu', title: 'CPU p95', isFigure: true, show: (row) => percentText(beside.p95Of(row, 'cpu')) },
  { key: 'memory', title: 'Memory p95', isFigure: true, show: (row) => percentText(beside.p95Of(row, 'memory')) },
  {
    key: 'updated_at',
    title: 'Changed',
    by: ({ updatedAt }) => updatedAt,
    show: ({ updatedAt }) => (
      <span class="cell short" title={timeText(updatedAt)}>
        {ago(updatedAt)}
      </span>
    ),
  },
]

const percentText = (value: number | null) => (value === null ? <span class="faint">–</span> : percent(value))

const teamText = (team: Resource['team']) =>
  team === undefined || team.id === 'unassigned' ? (
    <span class="faint">{team ? 'unassigned' : '–'}</span>
  ) : (
    <a href={hrefOf('teams', { team: team.id })}>
      <span class="clip tight" dir="auto" title={team.name}>
        {team.name}
      </span>
    </a>
  )

function Cost({ row, beside }: { row: Resource; beside: ResourceFigures }) {
  const { cloudAccountID, uid, name } = row
  const usd = beside.costOf(row)
  if (usd === undefined && beside.isAsking)
    return (
      <span class="faint" title="Loading">
        …
      </span>
    )
  const receipt = { ...lastDays(), 'filter[cloud_account_id]': cloudAccountID, 'filter[resource_uid]': uid }
  return <Amount usd={usd} receipt={receipt} label={name} />
}
