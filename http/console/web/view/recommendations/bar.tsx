/** What the lists are narrowed by and how they are ordered. */
import { useState } from 'preact/hooks'
import { Choice } from '../../part/period.tsx'
import { change, param, params } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Pick } from '../anomalies/pick.tsx'
import { categoryName, severities, statusList, statusName } from './labels.ts'

/** Things offered at once; others are found by name. */
const optionsMax = 20

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
        <Search />
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
        {may('space.view') && <Accounts />}
        <Teams />
        <Least />
        <Choice title="Sort" name="sort_by" none="highest savings first" choices={orders} />
      </div>
      <Others />
    </>
  )
}

/** `/` leads here. */
function Search() {
  const set = (event: Event) =>
    change({ search: (event.target as HTMLInputElement).value.trim() || null, page: null }, { replace: true })
  return (
    <label>
      Search{' '}
      <input
        type="search"
        data-search
        dir="auto"
        maxlength={2048}
        placeholder="Resource or title"
        value={param('search') ?? ''}
        onChange={set}
      />
    </label>
  )
}

function Least() {
  const set = (event: Event) => change({ min_savings: (event.target as HTMLInputElement).value || null, page: null })
  return (
    <label>
      At least ${' '}
      <input
        class="least"
        type="number"
        min="0"
        step="any"
        inputmode="decimal"
        value={param('min_savings') ?? ''}
        onChange={set}
      />{' '}
      a month
    </label>
  )
}

function Accounts() {
  const [search, setSearch] = useState('')
  const { data } = useReport('GET /cloud-accounts', { query: { search, limit: optionsMax } })
  const options = (data?.items ?? []).map(({ id, name }) => ({ value: id, title: name }))
  const isMany = search !== '' || (data?.total ?? 0) > optionsMax
  return <Pick title="Account" name="cloud_account_id" options={options} onSearch={isMany ? setSearch : undefined} />
}

function Teams() {
  const [search, setSearch] = useState('')
  const { data } = useReport('GET /teams', { query: { search, limit: optionsMax } })
  const teams = (data?.items ?? []).map(({ id, name }) => ({ value: id, title: name }))
  const isMany = search !== '' || (data?.total ?? 0) > optionsMax
  return (
    <Pick
      title="Team"
      name="team_id"
      options={[...teams, { value: 'unassigned', title: 'unassigned' }]}
      onSearch={isMany ? setSearch : undefined}
    />
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
          <span class="faint nowrap">{title}</span>{' '}
          <span class="clip" dir="auto" title={value}>
            {value}
          </span>
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
