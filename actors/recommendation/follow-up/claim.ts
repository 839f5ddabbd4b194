/** Notifies the savings actor when a recommendation is applied, and when that is undone. */
import type { Turn } from '#engine/actor/turn.ts'
import type { RecommendationStatus } from '#streams/recommendation.ts'
import { savingClaimed } from '#streams/saving.ts'
import type { Recommendation } from '#actors/recommendation/entity.ts'

/**
 * `from`: the status before; `appliedAt`: since when it is applied, default now. If an applied finding is cleared, the
 * change was made, and its saving continues.
 */
export function claim(row: Recommendation, from: RecommendationStatus, turn: Turn, appliedAt?: string): void {
  const { status } = row
  const isApplied = status === 'applied' && from !== 'applied'
  const isTakenBack = (from === 'applied' || from === 'optimised') && (status === 'open' || status === 'dismissed')
  if (!isApplied && !isTakenBack) return
  const size = row.targetSpec?.['instance_type']
  turn.emit(savingClaimed, {
    cloudAccountId: turn.address.place,
    resourceUid: row.resourceUid,
    recommendationId: row.id,
    isApplied,
    at: (appliedAt === undefined ? turn.now : new Date(appliedAt)).toISOString(),
    ruleId: row.ruleId,
    category: row.category,
    actionType: row.actionType,
    provider: row.provider,
    region: row.region,
    resourceType: row.resourceType,
    // ClickHouse reads the amounts as numbers.
    savingsUsd: Number(row.savingsUsd).toFixed(2),
    size: typeof size === 'string' ? size : '',
    jobId: row.job?.id ?? '',
  })
}
