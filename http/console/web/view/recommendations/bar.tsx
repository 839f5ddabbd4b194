/** What the lists are narrowed by and how they are ordered. */
import { Clip } from '../../part/clip.tsx'
import { Search } from '../../part/list/filters.tsx'
import { Choice } from '../../part/period.tsx'
import { change, params } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Pick } from '../anomalies/pick.tsx'
import { AccountPick, LeastAmount, TeamPick } from '../anomalies/scope-picks.tsx'
import { categoryName, severities, statusList, statusName } from './labels.ts'

const orders = [
  ['priority', 'priority'],
  ['severity', 'highest severity first'],
  ['updated_at', 'latest change first'],
]

export function Bar() {
  const fields = useReport('GET /recommendations/filter-fields')
  const statuses = [...statusList.filter((one) => one !== 'open').map((one) => [one, statusName(one)]), ['any', 'any']]
  return (
    <>
      <div class="bar" role="group" aria-label="Filters">
        <Search placeholder="Resource or title" />
        <Choice title="Status" name="status" none="open" choices={statuses} />
        <Pick title="Severity" name="severity" options={severities.map((value) => ({ value, title: value }))} />
        <Pick
          title="Category"
          name="category"
          options={(fields.data?.categories ?? []).map((value) => ({ value, title: categoryName(value) }))}
        />
        <Pick
          title="Provider"
          name="provider"
          options={(fields.data?.providers ?? []).map((value) => ({ value, title: value }))}
        />
        {may('space.view') && <AccountPick />}
        <TeamPick />
        <LeastAmount name="min_savings" of="a month" />
        <Choice title="Sort" name="sort_by" none="highest savings first" choices={orders} />
      </div>
      <Others />
    </>
  )
}

/** Filters that links set and no field of this bar shows. */
const linkFilters = [
  ['rule_id', 'Rule'],
  ['resource_uid', 'Resource'],
  ['resource_type', 'Type'],
  ['region', 'Region'],
  ['group_id', 'Resource group'],
] as const

function Others() {
  const chips = linkFilters.flatMap(([name, title]) => params(name).map((value) => ({ name, title, value })))
  if (chips.length === 0) return null
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map(({ name, title, value }) => (
        <li class="chip" key={`${name} ${value}`}>
          <span class="faint nowrap">{title}</span> <Clip text={value} />
          <button
            type="button"
            aria-label={`Remove ${title} ${value}`}
            onClick={() => change({ [name]: params(name).filter((one) => one !== value), page: null })}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  )
}
