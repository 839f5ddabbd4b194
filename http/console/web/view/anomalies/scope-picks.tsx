/** Filters by account, team and amount, of lists of anomalies and of recommendations. */
import { useState } from 'preact/hooks'
import { change, param } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Pick } from './pick.tsx'

/** Things offered at once; others are found by name. */
const optionsMax = 20

export function AccountPick() {
  const [search, setSearch] = useState('')
  const { data } = useReport('GET /cloud-accounts', { query: { search, limit: optionsMax } })
  const options = (data?.items ?? []).map(({ id, name }) => ({ value: id, title: name }))
  const isMany = search !== '' || (data?.total ?? 0) > optionsMax
  return <Pick title="Account" name="cloud_account_id" options={options} onSearch={isMany ? setSearch : undefined} />
}

export function TeamPick() {
  const [search, setSearch] = useState('')
  const { data } = useReport('GET /teams', { query: { search, limit: optionsMax } })
  const teams = (data?.items ?? []).map(({ id, name }) => ({ value: id, title: name }))
  const isMany = search !== '' || (data?.total ?? 0) > optionsMax
  const options = [...teams, { value: 'unassigned', title: 'unassigned' }]
  return <Pick title="Team" name="team_id" options={options} onSearch={isMany ? setSearch : undefined} />
}

interface LeastProps {
  name: string
  /** After the amount. */
  of: string
  /** `/` leads here. */
  isSearch?: boolean
}

export function LeastAmount({ name, of, isSearch }: LeastProps) {
  const set = (event: Event) => change({ [name]: (event.target as HTMLInputElement).value || null, page: null })
  return (
    <label>
      At least ${' '}
      <input
        class="least"
        type="number"
        min="0"
        step="any"
        inputmode="decimal"
        data-search={isSearch ? '' : undefined}
        value={param(name) ?? ''}
        onChange={set}
      />{' '}
      {of}
    </label>
  )
}
