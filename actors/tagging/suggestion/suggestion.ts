/** The suggestion for a resource: created from a prediction, decided once (decisions G-35, G-36). */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import { sameData } from '#engine/actor/row.ts'
import type { suggestionDecided } from '#streams/tagging.ts'
import type { ResourceTagging } from '#actors/tagging/entity.ts'
import type { Prediction } from './predict.ts'

/** Columns of a row without a suggestion. */
export const noSuggestion = () => ({
  hasPrediction: false,
  predictedEnv: '' as const,
  predictedNoStop: false,
  extraTags: {},
  confidence: 0,
  reason: '',
  acceptedAt: null,
  rejectedAt: null,
  suggestedAt: null,
  updatedAt: null,
})

/** A pending suggestion is replaced by the new prediction, or removed; a decided one stays. */
export function suggest(row: ResourceTagging, prediction: Prediction | undefined, now: Date): void {
  if (row.acceptedAt || row.rejectedAt) return
  if (!prediction) {
    if (row.hasPrediction) Object.assign(row, noSuggestion())
    return
  }
  const { env: predictedEnv, noStop: predictedNoStop, extraTags, confidence, reason } = prediction
  const { predictedEnv: env, predictedNoStop: noStop, extraTags: extra, confidence: sure, reason: why } = row
  const isSame = env === predictedEnv && noStop === predictedNoStop && sure === confidence && why === reason
  if (row.hasPrediction && isSame && sameData(extra, extraTags)) return
  Object.assign(row, { hasPrediction: true, predictedEnv, predictedNoStop, extraTags, confidence, reason })
  row.suggestedAt ??= now
  row.updatedAt = now
}

/** @throws Fault `missing` if there is no suggestion, `conflict` `invalid_transition` if it was already decided */
export function decide(row: ResourceTagging, decision: Static<typeof suggestionDecided.schema>, now: Date): void {
  if (row.deletedAt || !row.hasPrediction) throw Fault.missing('suggestion', row.uid)
  if (row.acceptedAt || row.rejectedAt)
    throw Fault.conflict('invalid_transition', 'This suggestion was already accepted or rejected.')
  row.updatedAt = now
  if (decision.status === 'rejected') {
    row.rejectedAt = now
    return
  }
  row.acceptedAt = now
  if (decision.acceptEnv === false) row.predictedEnv = ''
  if (decision.acceptNoStop === false) row.predictedNoStop = false
  if (decision.acceptOwner === false) {
    const { owner: _, ...others } = row.extraTags
    row.extraTags = others
  }
}

/** The columns that the tags of an accepted suggestion come from. */
export type AcceptedSuggestion = Pick<ResourceTagging, 'acceptedAt' | 'predictedEnv' | 'predictedNoStop' | 'extraTags'>

/** The tags of an accepted suggestion. */
export function autoTags({ acceptedAt, predictedEnv, predictedNoStop, extraTags }: AcceptedSuggestion) {
  if (!acceptedAt) return {}
  return {
    ...(predictedEnv !== '' && { env: predictedEnv }),
    ...(predictedNoStop && { 'no-stop': 'true' }),
    ...extraTags,
  }
}

/** The form in which replies contain it. */
export const suggestionOf = (row: ResourceTagging) => ({
  id: row.id,
  resourceUid: row.uid,
  cloudAccountId: row.cloudAccountId,
  predictedEnv: row.predictedEnv,
  predictedNoStop: row.predictedNoStop,
  extraTags: row.extraTags,
  confidence: row.confidence,
  reason: row.reason,
  acceptedAt: row.acceptedAt?.toISOString() ?? null,
  rejectedAt: row.rejectedAt?.toISOString() ?? null,
  createdAt: row.suggestedAt?.toISOString() ?? null,
  updatedAt: row.updatedAt?.toISOString() ?? null,
})
