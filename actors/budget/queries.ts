import type { EntityManager } from '@mikro-orm/postgresql'
import type { Threshold } from '#actors/budget/threshold.ts'

const teamsSql = `
  select b.id, t.id as team_id from budget b
  join team t on t.org_id = b.org_id and lower(t.name) = lower(b.team_name)
  where b.org_id = ? and b.resource_group_id = '' and (? = '' or b.id = ?)`

/** By budget: the id of its team. Budgets of a group, or of a team that does not exist, are left out. */
export async function teamsOfBudgets(em: EntityManager, orgId: string, id = ''): Promise<Map<string, string>> {
  const rows = await em.execute<{ id: string; team_id: string }[]>(teamsSql, [orgId, id, id])
  return new Map(rows.map((row) => [row.id, row.team_id]))
}

/** A budget of an existing team or group, with its notified level. */
export interface WatchedBudget {
  id: string
  monthlyBudgetUsd: string
  alertThresholdPercent: string
  thresholds: Threshold[]
  revision: number
  scope_type: 'team' | 'resource_group'
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
  select b.id, b.monthly_budget_usd as "monthlyBudgetUsd", b.alert_threshold_percent as "alertThresholdPercent", b.thresholds, b.revision,
    case when g.id is null then 'team' else 'resource_group' end as scope_type,
    coalesce(g.id, t.id) as scope_id, coalesce(g.name, t.name) as scope_name,
    a.month as told_month, a.revision as told_revision, a.level as told_level,
    a.told as told_thresholds
  from budget b
  left join resource_group g on g.org_id = b.org_id and g.id = b.resource_group_id
  left join team t on t.org_id = b.org_id and b.resource_group_id = '' and lower(t.name) = lower(b.team_name)
  left join budget_alert a on a.org_id = b.org_id and a.budget_id = b.id
  where b.org_id = $1 and coalesce(g.id, t.id) is not null
  order by b.id`
