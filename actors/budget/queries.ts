import type { EntityManager } from '@mikro-orm/postgresql'
import type { Threshold } from '#actors/budget/threshold.ts'
import type { BudgetScope, BudgetScopeKind } from '#streams/budget.ts'

/** The scope of each budget `b`: the one place that resolves it. The id is empty while its team or group does not exist. */
const scopeColumns = `
  b.id, coalesce(nullif(b.scope_kind, ''), case when b.resource_group_id = '' then 'team' else 'resource_group' end) as scope_type,
  case when b.scope_kind = 'org' then b.org_id else coalesce(g.id, t.id, b.scope_id) end as scope_id,
  case when b.scope_kind = 'org' then 'Organization'
    else coalesce(g.name, t.name, nullif(c.name, ''), nullif(b.scope_id, ''), nullif(b.resource_group_id, ''), b.team_name) end as scope_name`
const scopeJoins = `
  left join resource_group g on g.org_id = b.org_id and g.id = b.resource_group_id
  left join team t on t.org_id = b.org_id and b.resource_group_id = '' and b.team_name <> '' and lower(t.name) = lower(b.team_name)
  left join cloud_account c on c.org_id = b.org_id and b.scope_kind = 'cloud_account' and c.id = b.scope_id`

const scopesSql = `
  select ${scopeColumns} from budget b ${scopeJoins}
  where b.org_id = ? and (? = '' or b.id = ?)`

/** By budget. The id of a scope is empty while its team or group does not exist. */
export async function scopesOfBudgets(em: EntityManager, orgId: string, id = ''): Promise<Map<string, BudgetScope>> {
  const rows = await em.execute<Pick<WatchedBudget, 'id' | 'scope_type' | 'scope_id' | 'scope_name'>[]>(scopesSql, [
    orgId,
    id,
    id,
  ])
  return new Map(rows.map((row) => [row.id, { type: row.scope_type, id: row.scope_id, name: row.scope_name }]))
}

/** The tags that budgets are for, as `key:value`. */
export async function tagScopes(em: EntityManager, orgId: string): Promise<string[]> {
  const sql = `select scope_id from budget where org_id = ? and scope_kind = 'tag'`
  return (await em.execute<{ scope_id: string }[]>(sql, [orgId])).map((row) => row.scope_id)
}

/** A budget of an existing scope, with its notified level. */
export interface WatchedBudget {
  id: string
  monthlyBudgetUsd: string
  alertThresholdPercent: string
  thresholds: Threshold[]
  revision: number
  scope_type: BudgetScopeKind
  scope_id: string
  scope_name: string
  /** Null if nothing was notified yet. */
  told_month: string | null
  told_revision: number | null
  told_level: number | null
  told_thresholds: string[] | null
}

/** For `Reads.rows`: the organization is `$1`. */
export const watchedSql = `
  select ${scopeColumns},
    b.monthly_budget_usd as "monthlyBudgetUsd", b.alert_threshold_percent as "alertThresholdPercent", b.thresholds, b.revision,
    a.month as told_month, a.revision as told_revision, a.level as told_level,
    a.told as told_thresholds
  from budget b ${scopeJoins}
  left join budget_alert a on a.org_id = b.org_id and a.budget_id = b.id
  where b.org_id = $1 and (b.scope_kind <> '' or coalesce(g.id, t.id) is not null)
  order by b.id`
