/** What the list is narrowed by and how it is ordered. */
import { useState } from 'preact/hooks'
import { Choice, PeriodBar } from '../../part/period.tsx'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Pick } from './pick.tsx'
import { reviewName, reviews, severities, severityName, typeName, types } from './labels.ts'
import type { AnomaliesQuery } from './query.ts'

/** Things offered at once; others are found by name. */
const optionsMax = 20

export function Bar({ asked }: { asked: AnomaliesQuery }) {
  const fold = (event: Event) =>
    change({ fold: (event.target as HTMLInputElement).checked ? null : 'none', page: null })
  const suppressed = (event: Event) =>
    change({ include_suppressed: (event.target as HTMLInputElement).checked || null, page: null })
  return (
    <>
      <PeriodBar untilToday takes={[]} />
      <div class="bar" role="group" aria-label="Filters">
        <Pick
          title="Severity"
          name="severity"
          options={severities.map((value) => ({ value, title: severityName(value) }))}
        />
        <Pick title="Status" name="review" options={reviews.map((value) => ({ value, title: reviewName(value) }))} />
        <Pick title="Scope" name="type" options={types.map((value) => ({ value, title: typeName(value) }))} />
        {may('space.view') && <Accounts />}
        <Teams />
        <Least />
        <label>
          <input type="checkbox" checked={asked.withSuppressed} onChange={suppressed} /> Include suppressed
        </label>
        <label title="Combines rows of the same day that share a cause: a resource, its team, its account and the organization">
          <input type="checkbox" checked={asked.isFolded} onChange={fold} /> Group by cause
        </label>
        <Choice title="Sort" name="sort_by" none="largest excess first" choices={[['date', 'newest first']]} />
      </div>
    </>
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

/** `/` leads here. */
function Least() {
  const set = (event: Event) => change({ min_usd: (event.target as HTMLInputElement).value || null, page: null })
  return (
    <label>
      At least ${' '}
      <input
        class="least"
        type="number"
        min="0"
        step="any"
        inputmode="decimal"
        data-search
        value={param('min_usd') ?? ''}
        onChange={set}
      />{' '}
      above expected
    </label>
  )
}
