import type { EntityManager } from '@mikro-orm/postgresql'
import { accountNames } from '#actors/account/queries.ts'
import { providers, type Provider } from '#streams/names.ts'

export interface AccountCount {
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

const countsSql = `
  SELECT provider, cloud_account_id AS account, type, count(*)::int AS resources
  FROM resource WHERE org_id = ? AND deleted_at IS NULL AND (cardinality(?::text[]) = 0 OR cloud_account_id = ANY(?::text[]))
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`

interface Counted {
  provider: Provider
  account: string
  type: string
  resources: number
}

/**
 * How many resources there are now, by provider, account and type. Providers in their own order, the rest by id and name.
 * No accounts mean all of them.
 */
export async function resourceSummary(
  em: EntityManager,
  orgId: string,
  accounts: readonly string[] = [],
): Promise<ProviderCount[]> {
  const list = `{${accounts.map((id) => JSON.stringify(id)).join(',')}}`
  const rows = await em.execute<Counted[]>(countsSql, [orgId, list, list])
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

const total = (counts: readonly Counted[]): number => counts.reduce((sum, { resources }) => sum + resources, 0)
