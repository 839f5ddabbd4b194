import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

const moment = t.String()

/** Recommendations as the recommendation actor appends them, at each change. Times are ISO 8601 UTC; amounts US dollars for 30 days. */
export const recommendationTable = table({
  name: 'recommendation_state',
  row: t.Object({
    org_id: t.String(),
    id: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    resource_name: t.String(),
    resource_type: t.String(),
    provider: t.String(),
    region: t.String(),
    rule_id: t.String(),
    category: t.String(),
    status: t.String(),
    severity: t.String(),
    title: t.String(),
    action_type: t.String(),
    destructive: t.Integer(),
    current_cost_usd: t.String(),
    savings_usd: t.String(),
    gross_savings_usd: t.String(),
    confidence: t.Number(),
    priority: t.Integer(),
    held_back_by: t.String(),
    /** JSON. */
    evidence: t.String(),
    generated_at: moment,
    updated_at: moment,
    decided_at: t.Union([moment, t.Null()]),
    snoozed_until: t.Union([moment, t.Null()]),
    stale_since: t.Union([moment, t.Null()]),
  }),
})

/** Facts and findings of a resource at the sweep of a day, as the audit actor appends them. */
export const factSheetTable = table({
  name: 'fact_sheet',
  row: t.Object({
    org_id: t.String(),
    resource_type: t.String(),
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    day: t.String(),
    at: moment,
    is_recalled: t.Integer(),
    /** JSON. */
    resource: t.String(),
    /** Paths of the rule language, separated by commas. */
    layout: t.String(),
    /** In their order, as JSON; empty if unknown. */
    facts: t.Array(t.String()),
    /** JSON; empty if no rule found anything. */
    found: t.String(),
  }),
})

export const recommendationTables = [recommendationTable, factSheetTable]
