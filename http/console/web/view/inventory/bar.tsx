/** What the list is searched for and narrowed by: all of it in the address. */
import { useState } from 'preact/hooks'
import { Search } from '../../part/list/filters.tsx'
import { Clip } from '../../part/clip.tsx'
import { Suggest, type Suggestion } from '../../part/suggest.tsx'
import { change, params } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { filters, type InventoryQuery, type SelectedFilter, type Filter } from './query.ts'

export function Bar({ asked }: { asked: InventoryQuery }) {
  const names = useNames(asked.chosen)
  const without = ({ name, value }: SelectedFilter) =>
    change({ [name]: params(name).filter((one) => one !== value), page: null })
  const none = () => change({ ...Object.fromEntries(filters.map(({ name }) => [name, null])), page: null })
  return (
    <div class="bar filters" role="search" aria-label="Search and filters">
      <Search placeholder="Name or UID" />
      {asked.chosen.length > 0 && (
        <ul class="chips" aria-label="Active filters">
          {asked.chosen.map((one) => {
            const { title } = filters.find(({ name }) => name === one.name)!
            const called = names.get(one.value) ?? one.value
            return (
              <li class="chip" key={`${one.name} ${one.value}`}>
                <span class="faint nowrap">{title}</span> <Clip text={called} title={one.value} />
                <button type="button" aria-label={`Remove ${title} ${called}`} onClick={() => without(one)}>
                  ✕
                </button>
              </li>
            )
          })}
        </ul>
      )}
      <Adder />
      {asked.chosen.length > 1 && (
        <button type="button" class="quiet" onClick={none}>
          Remove all
        </button>
      )}
    </div>
  )
}

/** Accounts and teams are known by their names. */
function useNames(chosen: readonly SelectedFilter[]): ReadonlyMap<string, string> {
  const has = (name: Filter) => chosen.some((one) => one.name === name)
  const query = { limit: 100 }
  const accounts = useReport('GET /cloud-accounts', { query, when: has('cloud_account_id') })
  const teams = useReport('GET /teams', { query, when: has('team_id') && may('service.view') })
  const named = [...(accounts.data?.items ?? []), ...(teams.data?.items ?? [])]
  return new Map([...named.map(({ id, name }): [string, string] => [id, name]), ['unassigned', 'Unassigned']])
}

function Adder() {
  const [name, setName] = useState<Filter>('type')
  const [text, setText] = useState('')
  const [isOpened, setOpened] = useState(false)
  const { suggestions, report } = useValues(name, isOpened)
  const pick = (value: string) => {
    setText('')
    const before = params(name)
    if (!before.includes(value)) change({ [name]: [...before, value.trim()], page: null })
  }
  const choose = (event: Event) => {
    setName((event.target as HTMLSelectElement).value as Filter)
    setText('')
  }
  const label = name === 'tag' ? 'KEY or KEY:VALUE' : `${filters.find((one) => one.name === name)!.title} is…`
  return (
    <span class="adder">
      <label>
        Filter{' '}
        <select onChange={choose}>
          {filters.map((one) => (
            <option key={one.name} value={one.name} selected={one.name === name}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      <Suggest
        id="add-resource-filter"
        label={label}
        text={text}
        suggestions={suggestions}
        isAsking={report.isAsking}
        problem={report.problem}
        onText={setText}
        onOpen={() => setOpened(true)}
        onPick={pick}
      />
    </span>
  )
}

const fieldOf = { provider: 'providers', region: 'regions', type: 'types', status: 'statuses' } as const

const plain = (values: readonly string[] = []): Suggestion[] => values.map((value) => ({ value, label: value }))

const toSuggestions = (page: { items: { id: string; name: string }[] } | undefined): Suggestion[] =>
  (page?.items ?? []).map(({ id, name: label }) => ({ value: id, label }))

/** What the inventory has of each. */
function useValues(name: Filter, when: boolean) {
  const field = name in fieldOf ? fieldOf[name as keyof typeof fieldOf] : undefined
  const query = { limit: 100 }
  const maySee = when && may('service.view')
  const fields = useReport('GET /resources/filter-fields', { when: when && field !== undefined, on: ['inventory.'] })
  const accounts = useReport('GET /cloud-accounts', { query, when: when && name === 'cloud_account_id' })
  const teams = useReport('GET /teams', { query, when: maySee && name === 'team_id' })
  const keys = useReport('GET /reports/tags', { query, when: maySee && name === 'tag' })
  if (field) return { report: fields, suggestions: plain(fields.data?.[field]) }
  if (name === 'cloud_account_id') return { report: accounts, suggestions: toSuggestions(accounts.data) }
  if (name === 'tag') return { report: keys, suggestions: plain(keys.data?.items.map(({ tagKey }) => tagKey)) }
  return { report: teams, suggestions: [{ value: 'unassigned', label: 'Unassigned' }, ...toSuggestions(teams.data)] }
}
