import type { EntityManager } from '@mikro-orm/postgresql'
import { accountNames } from '#actors/account/queries.ts'
import type { ResourceScope } from './queries.ts'
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
  FROM resource WHERE org_id = ? AND deleted_at IS NULL
    AND (?::jsonb IS NULL
      OR cloud_account_id IN (SELECT jsonb_array_elements_text(?::jsonb -> 'accounts'))
      OR uid IN (
        SELECT resource_uid FROM team_resource
        WHERE org_id = ? AND team_id IN (SELECT jsonb_array_elements_text(?::jsonb -> 'teams'))))
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`

interface Counted {
  provider: Provider
  account: string
  type: string
  resources: number
}

/**
 * How many resources there are now, by provider, account and type. Providers in their own order, the rest by id and name.
 * Without a scope all of them count.
 */
export async function resourceSummary(
  em: EntityManager,
  orgId: string,
  { scope }: { scope?: ResourceScope },
): Promise<ProviderCount[]> {
  const seen = scope ? JSON.stringify(scope) : null
  const rows = await em.execute<Counted[]>(countsSql, [orgId, seen, seen, orgId, seen])
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
