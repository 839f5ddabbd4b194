/** What the address asks of the lists, under the names that the API has for it. */
import { param, params } from '../../router.ts'

export const pageSize = 25

const filters = [
  'status',
  'severity',
  'category',
  'provider',
  'resource_type',
  'cloud_account_id',
  'resource_uid',
  'rule_id',
  'team_id',
  'group_id',
  'region',
  'min_savings',
  'search',
] as const
/** Those that sums take. */
const sums = ['team_id', 'group_id', 'region', 'min_savings'] as const

const readValues = (names: readonly string[]) =>
  Object.fromEntries(
    names
      .map((name) => [name, params(name).filter((value) => value !== '')])
      .filter(([, values]) => values!.length > 0),
  ) as Record<string, string[]>

const groupings = ['recommendation', 'resource', 'rule'] as const
export type Grouping = (typeof groupings)[number]

export function readRecommendationsQuery() {
  const by = groupings.find((one) => one === param('by')) ?? 'recommendation'
  const set = readValues(filters)
  const page = Math.max(1, Number(param('page')) || 1)
  // What is decided or gone is looked at on purpose.
  const status = set['status'] ?? ['open']
  const narrowed = Object.keys(set).filter((name) => name !== 'status')
  const query = {
    ...set,
    status: status.includes('any') ? undefined : status,
    sort_by: param('sort_by') ?? 'savings_usd',
    sort_order: param('sort_order') ?? 'desc',
    page,
    size: pageSize,
  }
  return { by, query, page, narrowed, isOpen: status.length === 1 && status[0] === 'open', sums: readValues(sums) }
}
export type RecommendationsQuery = ReturnType<typeof readRecommendationsQuery>
