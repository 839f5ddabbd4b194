import type { EntityManager } from '@mikro-orm/postgresql'
import { accountNames } from '#actors/account/queries.ts'
import type { ResourceFilter } from './queries.ts'
import { resourceCounts, type ResourceCount } from './row.ts'
import { providers, type Provider } from '#streams/names.ts'

interface AccountCount {
  id: string
  name: string
  total: number
  byType: Record<string, number>
}

export interface ProviderCount {
  name: Provider
  total: number
  accounts: AccountCount[]
}

/**
 * Number of existing resources that match, by provider, account and type. Providers in their own order, the rest by id
 * and name.
 */
export async function resourceSummary(
  em: EntityManager,
  orgId: string,
  filter: ResourceFilter,
): Promise<ProviderCount[]> {
  const rows = await resourceCounts(em, orgId, filter)
  const names = await accountNames(
    em,
    orgId,
    rows.map((row) => row.account),
  )
  const byProvider = Map.groupBy(rows, (row) => row.provider)
  return providers
    .filter((name) => byProvider.has(name))
    .map((name) => {
      const accounts = [...Map.groupBy(byProvider.get(name)!, (row) => row.account)].map(([id, counts]) => ({
        id,
        name: names.get(id) ?? id,
        total: total(counts),
        byType: Object.fromEntries(counts.map(({ type, resources }) => [type, resources])),
      }))
      return { name, total: accounts.reduce((sum, account) => sum + account.total, 0), accounts }
    })
}

const total = (counts: readonly ResourceCount[]): number => counts.reduce((sum, { resources }) => sum + resources, 0)
