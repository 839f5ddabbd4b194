import { billingSyncActor } from '#actors/billing/actor.ts'
import { BillingSync } from '#actors/billing/entity.ts'
import { billingSyncJob } from '#actors/billing/job.ts'
import { syncWork } from '#actors/billing/sync.ts'
import { BillUpload } from '#actors/billing/upload-entity.ts'
import type { Capability } from '#actors/capability.ts'

/** Fetching bills from clouds, and bill uploads. */
export const billing: Capability = {
  word: 'billing',
  entities: [BillingSync, BillUpload],
  actors: [billingSyncActor],
  jobs: { 'billing-sync': billingSyncJob },
  effects: [syncWork],
  migrates: true,
}
