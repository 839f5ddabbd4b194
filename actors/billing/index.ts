import { billingSyncActor } from '#actors/billing/actor.ts'
import { BillingSync } from '#actors/billing/entity.ts'
import { billingSyncJob } from '#actors/billing/job.ts'
import { syncWork } from '#actors/billing/sync.ts'
import type { Capability } from '#actors/capability.ts'

/** Bills that are fetched from clouds. */
export const billing: Capability = {
  word: 'billing',
  entities: [BillingSync],
  actors: [billingSyncActor],
  jobs: { 'billing-sync': billingSyncJob },
  effects: [syncWork],
}
