/** Publishes a changed recommendation: a row for analysts, an event for live subscribers. */
import { recommendationTable } from '#analytics/recommendation/tables.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { recommendationsChanged } from '#streams/live/messages.ts'
import { severityRank, type RecommendationStatus } from '#streams/recommendation.ts'
import type { Recommendation } from '#actors/recommendation/entity.ts'

/** The lowest severity with events: there are too many findings below it. */
const toldFrom = severityRank('high')

const names: Readonly<Record<RecommendationStatus, string>> = {
  open: 'recommendation.reopened',
  applied: 'recommendation.applied',
  dismissed: 'recommendation.dismissed',
  optimised: 'recommendation.optimised',
  rule_retired: 'recommendation.rule_retired',
}

const iso = (at: Date | null | undefined): string | null => at?.toISOString() ?? null

export function show(row: Recommendation, from: RecommendationStatus, turn: Turn): void {
  turn.append(recommendationTable, rowOf(row, turn), turn.now)
  const isNew = row.generatedAt.getTime() === turn.now.getTime()
  const { place: cloudAccountID } = turn.address
  if (isNew || from !== row.status)
    turn.tell(recommendationsChanged, { cloudAccountIDs: [cloudAccountID] }, { cloudAccountID })
  if ((isNew || from !== row.status) && row.severityRank >= toldFrom)
    turn.publish('recommendation', isNew ? 'recommendation.opened' : names[row.status], eventOf(row, turn))
}

const eventOf = (row: Recommendation, turn: Turn) => ({
  recommendationId: row.id,
  ruleId: row.ruleId,
  category: row.category,
  severity: row.severity,
  status: row.status,
  title: row.title,
  savingsUsd: Number(row.savingsUsd),
  resourceUid: row.resourceUid,
  cloudAccountId: turn.address.place,
})

const rowOf = (row: Recommendation, { address: { orgId, place } }: Turn) => ({
  org_id: orgId,
  id: row.id,
  cloud_account_id: place,
  resource_uid: row.resourceUid,
  resource_name: row.resourceName,
  resource_type: row.resourceType,
  provider: row.provider,
  region: row.region,
  rule_id: row.ruleId,
  category: row.category,
  status: row.status,
  severity: row.severity,
  title: row.title,
  action_type: row.actionType,
  destructive: Number(row.destructive),
  current_cost_usd: row.currentCostUsd,
  savings_usd: row.savingsUsd,
  gross_savings_usd: row.grossSavingsUsd,
  confidence: row.confidence,
  priority: row.priority,
  held_back_by: row.heldBackBy,
  evidence: JSON.stringify(row.evidence),
  generated_at: row.generatedAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  decided_at: iso(row.decidedAt),
  snoozed_until: iso(row.snoozedUntil),
  stale_since: iso(row.staleSince),
})
