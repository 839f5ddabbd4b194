/** The suggestion of a resource: made of a prediction, decided once (decisions G-35, G-36). */
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import { sameData } from '#engine/actor/row.ts'
import type { suggestionDecided } from '#streams/tagging.ts'
import type { ResourceTagging } from '#actors/tagging/entity.ts'
import type { Prediction } from './predict.ts'

/** A row without a suggestion. */
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

/** One that is pending becomes what is predicted now, or goes; one that is decided stays. */
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

/** @throws Fault `missing` where nothing is suggested, `conflict` `invalid_transition` where it was decided before */
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

/** What the tags of an accepted suggestion are made of. */
export type AcceptedSuggestion = Pick<ResourceTagging, 'acceptedAt' | 'predictedEnv' | 'predictedNoStop' | 'extraTags'>

/** The tags that an accepted suggestion stands for. */
export function autoTags({ acceptedAt, predictedEnv, predictedNoStop, extraTags }: AcceptedSuggestion) {
  if (!acceptedAt) return {}
  return {
    ...(predictedEnv !== '' && { env: predictedEnv }),
    ...(predictedNoStop && { 'no-stop': 'true' }),
    ...extraTags,
  }
}

/** As those who decide it are told of it. */
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
