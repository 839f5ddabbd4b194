/** What the address asks of the list, under the names that the API has for it. */
import type { Query } from '../../address.ts'
import { addDays, today } from '../../day.ts'
import { param, params } from '../../router.ts'
import { may } from '../../session.ts'

/** Resources on a page: costs and metrics are asked for so many at once. */
export const pageSize = 50

export const filters = [
  { name: 'provider', title: 'Provider' },
  { name: 'cloud_account_id', title: 'Account' },
  { name: 'region', title: 'Region' },
  { name: 'type', title: 'Type' },
  { name: 'status', title: 'Status' },
  { name: 'team_id', title: 'Team' },
  { name: 'tag', title: 'Tag' },
] as const
export type Filter = (typeof filters)[number]['name']

export interface SelectedFilter {
  name: Filter
  value: string
}

export interface InventoryQuery {
  search: string
  chosen: readonly SelectedFilter[]
  page: number
  sort: { key: string; isAscending: boolean }
  query: Query
}

/** Costs are sorted by whoever may see them. */
const sortsOf = () => ['name', 'type', 'status', 'provider', 'updated_at', ...(may('service.view') ? ['cost_usd'] : [])]

/** Largest and newest first. */
export const isDescendingFirst = (key: string): boolean => key === 'updated_at' || key === 'cost_usd'

export function readInventoryQuery(): InventoryQuery {
  const search = param('search') ?? ''
  const page = Math.max(1, Math.trunc(Number(param('page'))) || 1)
  const chosen = filters.flatMap(({ name }) =>
    params(name)
      .filter((value) => value !== '')
      .map((value) => ({ name, value })),
  )
  const key = sortsOf().find((one) => one === param('sort_by')) ?? 'name'
  const sort = { key, isAscending: (param('sort_order') ?? (isDescendingFirst(key) ? 'desc' : 'asc')) === 'asc' }
  const narrowed = Object.fromEntries(
    filters.map(({ name }) => [name, chosen.filter((one) => one.name === name).map(({ value }) => value)]),
  )
  const order = { sort_by: key, sort_order: sort.isAscending ? 'asc' : 'desc' }
  return { search, chosen, page, sort, query: { search, ...narrowed, ...order, page, limit: pageSize } }
}

/** The days that costs and metrics of the list are of: thirty, today the last. */
export const lastDays = () => ({ from: addDays(today(), -29), to: today() })
