import type { Capability } from '#actors/capability.ts'
import { recommendationActor } from '#actors/recommendation/actor.ts'
import { auditActor } from '#actors/recommendation/audit/audit.ts'
import { ResourceAudit } from '#actors/recommendation/audit/entity.ts'
import { Recommendation } from '#actors/recommendation/entity.ts'
import { governanceDomain, recommendationDomain } from '#actors/recommendation/policy/policy.ts'
import { RefreshedPrice, ReferenceValue } from '#actors/recommendation/reference/book/entity.ts'
import { priceRefreshJob } from '#actors/recommendation/reference/book/refresh.ts'
import { accountSweepActor, sweepWatchActor } from '#actors/recommendation/sweep/actor.ts'
import { recommendationSweep } from '#actors/recommendation/sweep/sweep.ts'
import { AccountSweep, SweepWatch } from '#actors/recommendation/sweep/entity.ts'

/** Recommendations: findings of rules, and people's decisions about them. */
export const recommendation: Capability = {
  word: 'recommendation',
  entities: [ResourceAudit, Recommendation, AccountSweep, SweepWatch, ReferenceValue, RefreshedPrice],
  actors: [auditActor, recommendationActor, accountSweepActor, sweepWatchActor],
  jobs: { 'recommendation-sweep': recommendationSweep, 'price-refresh': priceRefreshJob },
  policies: [recommendationDomain, governanceDomain],
  migrates: true,
}
