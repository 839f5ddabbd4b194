import type { Capability } from '#actors/capability.ts'
import { ResourceAudit } from '#actors/recommendation/audit-entity.ts'
import { Recommendation } from '#actors/recommendation/entity.ts'
import { governanceDomain, recommendationDomain } from '#actors/recommendation/policy.ts'
import { AccountSweep, SweepWatch } from '#actors/recommendation/sweep-entity.ts'

/** Findings of rules, and what people make of them. */
export const recommendation: Capability = {
  word: 'recommendation',
  entities: [ResourceAudit, Recommendation, AccountSweep, SweepWatch],
  jobs: { 'recommendation-sweep': () => async () => {} },
  policies: [recommendationDomain, governanceDomain],
  migrates: true,
}
