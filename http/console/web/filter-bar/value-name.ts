/** What the values of filters are called: accounts, sub-accounts, teams, clusters and resources have names. */
import type { Query } from '../address.ts'
import { dimOf, whereName, type Chip } from '../filter.ts'
import { useReport } from '../report.ts'
import { may } from '../session.ts'
import { parseWhere } from '../where.ts'

/** Values of filters and conditions by dimension. */
function valuesOf(chips: readonly Chip[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  const add = (dim: string, some: readonly string[]) => values.set(dim, [...(values.get(dim) ?? []), ...some])
  for (const chip of chips) {
    if (chip.name !== whereName) add(dimOf(chip), [chip.value])
    else for (const { dim, values: of = [] } of (parseWhere(chip.value) ?? []).flat()) add(dim, of)
  }
  return values
}

/** Names by value. Those of sub-accounts, resources and clusters are of the days given. */
export function useNames(chips: readonly Chip[], { from, to }: Query = {}): ReadonlyMap<string, string> {
  const values = valuesOf(chips)
  const days = { from, to }
  const owners = useOwners(values)
  const clusters = useClusters(values.has('cluster'), days)
  const subAccounts = useLabels('sub_account', values.get('sub_account') ?? [], days)
  const resources = useLabels('resource_uid', values.get('resource_uid') ?? [], days)
  return new Map([...owners, ...subAccounts, ...resources, ...clusters, ['unassigned', 'Unassigned']])
}

/** Accounts and teams. */
function useOwners(values: ReadonlyMap<string, readonly string[]>): [string, string][] {
  const query = { limit: 100 }
  const hasAccounts = values.has('cloud_account_id') || values.has('billing_account')
  const accounts = useReport('GET /cloud-accounts', { query, when: hasAccounts && may('space.view') })
  const teams = useReport('GET /teams', { query, when: values.has('team_id') })
  return [...(accounts.data?.items ?? []), ...(teams.data?.items ?? [])].map(({ id, name }) => [id, name])
}

function useClusters(when: boolean, days: Query): [string, string][] {
  const { data } = useReport('GET /reports/kubernetes', { query: { ...days, group_by: 'cluster', limit: 500 }, when })
  return [...(data?.items ?? []), ...(data?.gaps ?? [])].flatMap(({ clusterUID, clusterName }): [string, string][] =>
    clusterUID && clusterName ? [[clusterUID, clusterName]] : [],
  )
}

const labelsMax = 50

/** As the report of these values calls them. */
function useLabels(dims: string, values: readonly string[], days: Query): [string, string][] {
  const asked = values.filter((value) => value !== '(none)').slice(0, labelsMax)
  const { data } = useReport('GET /reports/costs/series', {
    query: { ...days, group_by: dims, granularity: 'monthly', top: labelsMax, [`filter[${dims}]`]: asked },
    when: asked.length > 0,
  })
  return (data?.series ?? []).map(({ key, label }) => [key[dims]!, label])
}
