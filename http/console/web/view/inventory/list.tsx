/** The resources of a page: what each is, whose, its cost in thirty days and how much of it was used. */
import type { Reply } from '../../api.ts'
import { percent } from '../../figure.ts'
import { Amount } from '../../part/amount.tsx'
import { Driver } from '../../part/driver.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Status } from '../../part/power-state.tsx'
import { hrefOf } from '../../router.ts'
import { may } from '../../session.ts'
import { lastDays } from './query.ts'
import type { ResourceFigures } from './resource-figures.ts'

type Resource = Reply<'GET /resources'>[number]

/** The page of a resource: of a uid alone where it is one of one account. */
export const resourceHref = ({ uid, cloudAccountID }: Pick<Resource, 'uid' | 'cloudAccountID'>): string =>
  hrefOf('resource', { uid, cloud_account_id: cloudAccountID })

const p95 = (title: string, figures: ResourceFigures, what: 'cpu' | 'memory'): Column<Resource> => ({
  title,
  csv: (row) => figures.p95Of(row, what),
  isFigure: true,
  show: (row) => {
    const value = figures.p95Of(row, what)
    return value === null ? <span class="faint">–</span> : percent(value)
  },
})

/** Columns with `by` are sorted by the API, under their keys. */
export const columnsOf = (figures: ResourceFigures): Column<Resource>[] => [
  {
    key: 'name',
    title: 'Name',
    text: ({ name, uid }) => name || uid,
    hint: ({ uid }) => uid,
    href: resourceHref,
    sub: ({ childCount }) => childCount > 0 && `contains ${childCount}`,
  },
  { key: 'type', title: 'Type', text: ({ type }) => type, sub: ({ instanceType }) => instanceType },
  { key: 'status', title: 'Status', by: ({ status }) => status, csv: ({ status }) => status, show: Status },
  {
    key: 'provider',
    title: 'Account',
    text: ({ cloudAccountName }) => cloudAccountName,
    sub: ({ provider, region, cloudAccountDriver }) => (
      <>
        {provider}
        {region && ` · ${region}`} <Driver driver={cloudAccountDriver} />
      </>
    ),
  },
  { title: 'Team', csv: ({ team }) => team?.name, show: ({ team }) => teamText(team) },
  {
    key: 'cost_usd',
    title: 'Cost, 30 days',
    isFigure: true,
    ...(may('service.view') && { by: (row: Resource) => figures.costOf(row) ?? 0 }),
    csv: (row) => figures.costOf(row),
    show: (row) => <Cost row={row} figures={figures} />,
  },
  p95('CPU p95', figures, 'cpu'),
  p95('Memory p95', figures, 'memory'),
  { key: 'updated_at', title: 'Changed', ago: ({ updatedAt }) => updatedAt },
]

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

function Cost({ row, figures }: { row: Resource; figures: ResourceFigures }) {
  const { cloudAccountID, uid, name } = row
  const usd = figures.costOf(row)
  if (usd === undefined && figures.isAsking)
    return (
      <span class="faint" title="Loading">
        …
      </span>
    )
  const receipt = { ...lastDays(), 'filter[cloud_account_id]': cloudAccountID, 'filter[resource_uid]': uid }
  return <Amount usd={usd} receipt={receipt} label={name} />
}
