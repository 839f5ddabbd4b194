/** Values that costs may be narrowed to, with their dollars in the days shown. */
import type { Query } from '../address.ts'
import { usd } from '../figure.ts'
import { isTag } from '../filter-dimension.ts'
import { otherThan, queryOf, valueOf, type Chip } from '../filter.ts'
import { useReport, type Report } from '../report.ts'
import { may } from '../session.ts'
import type { Suggestion } from '../part/suggest.tsx'

/** Stands for whatever value a tag has. No text holds a NUL. */
export const anyValue = '\0'

/** Resources that are suggested: those that cost most. */
const dearestMax = 50

export interface SuggestionResult {
  suggestions: readonly Suggestion[]
  isAsking: boolean
  problem: Report<unknown>['problem']
}

/** The dearest first; behind them what is known and costs nothing in these days. `tag` has keys, tag:KEY the values of one. */
export function useSuggestions(
  dim: string,
  chips: readonly Chip[],
  { from, to, cost, asOf }: Query,
  when: boolean,
): SuggestionResult {
  // Values of the same dimension are alternatives to those chosen.
  const query = { from, to, cost, asOf, ...queryOf(otherThan(chips, dim)) }
  const keys = useKeys({ from, to, cost, asOf }, when && dim === 'tag')
  const dearest = useDearest(query, when && dim === 'resource_uid')
  const values = useValues(dim, query, when && dim !== 'tag' && dim !== 'resource_uid')
  const known = useKnown(dim, when)
  const { report, charged } = { tag: keys, resource_uid: dearest }[dim] ?? values
  const any = isTag(dim) && !dim.slice(4).includes(':') ? [{ value: anyValue, label: 'any value' }] : []
  const others = known.filter(({ value }) => !charged.some((one) => one.value === value))
  return {
    suggestions: [...any, ...charged, ...others],
    isAsking: report.isAsking || (report.data === undefined && !report.problem),
    problem: report.problem,
  }
}

interface ChargedValues {
  report: Report<unknown>
  charged: Suggestion[]
}

function useKeys(query: Query, when: boolean): ChargedValues {
  const report = useReport('GET /reports/tags', { query: { ...query, limit: 100 }, when })
  const charged = (report.data?.items ?? []).map((one) => ({
    value: one.tagKey,
    label: one.tagKey,
    detail: 'costUSD' in one ? usd(one.costUSD) : '',
  }))
  return { report, charged }
}

/** Resources are too many to be asked for all. */
function useDearest(query: Query, when: boolean): ChargedValues {
  const dims = 'resource_uid'
  const report = useReport('GET /reports/costs/series', {
    query: { ...query, group_by: dims, granularity: 'monthly', top: dearestMax },
    when,
  })
  const series = report.data?.series ?? []
  return {
    report,
    charged: series.map(({ key, label, costUSD }) => ({ value: key[dims]!, label, detail: usd(costUSD) })),
  }
}

function useValues(dims: string, query: Query, when: boolean): ChargedValues {
  const report = useReport('GET /reports/costs/breakdown', { query: { ...query, group_by: dims }, when })
  const charged = (report.data?.nodes ?? []).map(({ id, label, valueUSD }) => {
    const value = valueOf(id)
    return { value, label: label ?? value, detail: usd(valueUSD) }
  })
  return { report, charged }
}

const fieldOf: Readonly<Record<string, 'providers' | 'regions' | 'types'>> = {
  provider: 'providers',
  region: 'regions',
  resource_type: 'types',
}

/** What there is in the inventory, costs or none. */
function useKnown(dim: string, when: boolean): Suggestion[] {
  const field = fieldOf[dim]
  const query = { limit: 100 }
  const fields = useReport('GET /resources/filter-fields', { when: when && field !== undefined })
  const accounts = useReport('GET /cloud-accounts', {
    query,
    when: when && dim === 'cloud_account_id' && may('space.view'),
  })
  const teams = useReport('GET /teams', { query, when: when && dim === 'team_id' })
  if (field !== undefined) return (fields.data?.[field] ?? []).map((value) => ({ value, label: value }))
  const page = { cloud_account_id: accounts.data, team_id: teams.data }[dim]
  return (page?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
}
