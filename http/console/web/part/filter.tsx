/** What a view is narrowed by, as chips that can be taken away, and where one more is added. All of it stands in the address. */
import { useState } from 'preact/hooks'
import type { Query } from '../address.ts'
import { addValue, addTagKey, dimensions, dimOf, isTag, valueOf, without, wordsOf, type Chip } from '../filter.ts'
import { go } from '../router.ts'
import { useReport } from '../report.ts'
import { may } from '../session.ts'
import { anyValue, useSuggestions } from './filter-value.ts'
import { Suggest } from './suggest.tsx'

export interface FilterBarProps {
  chips: readonly Chip[]
  /** Days, cost and moment that values are suggested for. */
  of: Query
  /** Where other filters lead. */
  hrefOf: (chips: readonly Chip[]) => string
  /** Dimensions that may be added, each with the values that something has; left out: all of them. */
  dims?: readonly string[]
}

export function FilterBar({ chips, of, hrefOf, dims }: FilterBarProps) {
  const names = useNames(chips, of)
  const to = (next: readonly Chip[]) => {
    const { pathname, search } = new URL(hrefOf(next), location.href)
    go(pathname.split('/').at(-1)!, new URLSearchParams(search))
  }
  return (
    <div class="bar filters" role="search" aria-label="Filters">
      {chips.length > 0 && (
        <ul class="chips" aria-label="Active filters">
          {chips.map((chip) => {
            const { title, value } = wordsOf(chip)
            const name = names.get(chip.value) ?? value
            return (
              <li class="chip" key={`${chip.name} ${chip.value}`}>
                <span class="faint nowrap">{title}</span>{' '}
                <span class="clip" dir="auto" title={value}>
                  {name}
                </span>
                <button type="button" aria-label={`Remove ${title} ${name}`} onClick={() => to(without(chips, chip))}>
                  ✕
                </button>
              </li>
            )
          })}
        </ul>
      )}
      <Adder chips={chips} of={of} dims={dims} onChips={to} />
      {chips.length > 1 && (
        <button type="button" class="quiet" onClick={() => to([])}>
          Remove all
        </button>
      )}
    </div>
  )
}

/** Accounts, sub-accounts, teams and clusters are known by their names; those of sub-accounts and clusters are of the days given. */
export function useNames(chips: readonly Chip[], { from, to }: Query = {}): ReadonlyMap<string, string> {
  const has = (dim: string) => chips.some((chip) => dimOf(chip) === dim)
  const accounts = useReport('GET /cloud-accounts', {
    query: { limit: 100 },
    when: (has('cloud_account_id') || has('billing_account')) && may('space.view'),
  })
  const teams = useReport('GET /teams', { query: { limit: 100 }, when: has('team_id') })
  const clusters = useReport('GET /reports/kubernetes', {
    query: { from, to, group_by: 'cluster', limit: 500 },
    when: has('cluster'),
  })
  const ofSubs = useSubAccounts(chips, { from, to })
  const named = [...(accounts.data?.items ?? []), ...(teams.data?.items ?? [])].map(
    ({ id, name }): [string, string] => [id, name],
  )
  const ofClusters = [...(clusters.data?.items ?? []), ...(clusters.data?.gaps ?? [])].flatMap(
    ({ clusterUID, clusterName }): [string, string][] => (clusterUID && clusterName ? [[clusterUID, clusterName]] : []),
  )
  return new Map([...named, ...ofSubs, ...ofClusters, ['unassigned', 'Unassigned']])
}

function useSubAccounts(chips: readonly Chip[], { from, to }: Query): [string, string][] {
  const asked = chips.filter((chip) => dimOf(chip) === 'sub_account').map(({ value }) => value)
  const { data } = useReport('GET /reports/costs/breakdown', {
    query: { from, to, dims: 'sub_account', 'filter[sub_account]': asked },
    when: asked.length > 0,
  })
  return (data?.nodes ?? []).map(({ id, label }) => [valueOf(id), label ?? valueOf(id)])
}

/** `tag` narrows by keys first, then by the values of one. */
const addable = [...dimensions, { name: 'tag', title: 'Tag' }]

interface AdderProps {
  chips: readonly Chip[]
  of: Query
  dims: readonly string[] | undefined
  onChips: (chips: readonly Chip[]) => void
}

function Adder({ chips, of, dims, onChips }: AdderProps) {
  const offered = addable.filter(({ name }) => dims?.includes(name) ?? true)
  const [dim, setDim] = useState(dims?.[0] ?? 'service_name')
  const [text, setText] = useState('')
  const [isOpened, setOpened] = useState(false)
  const choose = (next: string) => {
    setDim(next)
    setText('')
  }
  const keyOf = isTag(dim) ? dim.slice(4) : undefined
  const found = useSuggestions(dim, chips, of, isOpened)
  const suggestions = dims ? found.suggestions.filter(({ value }) => value !== '(none)') : found.suggestions
  /** A key leads to its values; KEY:VALUE, typed as it is, is both. */
  const tagged = (text: string) => {
    const [, key, value] = /^([^:]+):(.+)$/s.exec(text) ?? []
    const isKey = key === undefined || found.suggestions.some((one) => one.value === text)
    return isKey ? choose(`tag:${text}`) : onChips(addValue(chips, `tag:${key}`, value!))
  }
  const pick = (value: string) => {
    setText('')
    if (dim === 'tag') return tagged(value)
    if (keyOf !== undefined) setDim('tag')
    onChips(value === anyValue && keyOf !== undefined ? addTagKey(chips, keyOf) : addValue(chips, dim, value.trim()))
  }
  const title = keyOf === undefined ? addable.find(({ name }) => name === dim)!.title : `Tag ${keyOf}`
  return (
    <span class="adder">
      <label>
        Filter{' '}
        <select onChange={(event: Event) => choose((event.target as HTMLSelectElement).value)}>
          {offered.map(({ name, title: of }) => (
            <option key={name} value={name} selected={name === (keyOf === undefined ? dim : 'tag')}>
              {of}
            </option>
          ))}
        </select>
      </label>
      {keyOf !== undefined && (
        <button type="button" class="quiet" onClick={() => choose('tag')} aria-label={`Change tag key ${keyOf}`}>
          <span class="clip">{keyOf}:</span>
        </button>
      )}
      <Suggest
        id="add-filter"
        label={dim === 'tag' ? 'Tag key' : `${title} is…`}
        text={text}
        isSearch={true}
        suggestions={suggestions}
        isAsking={found.isAsking}
        problem={found.problem}
        onText={setText}
        onOpen={() => setOpened(true)}
        onPick={pick}
      />
    </span>
  )
}
