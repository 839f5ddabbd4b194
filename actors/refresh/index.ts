import type { Capability } from '#actors/capability.ts'
import { refreshActor } from '#actors/refresh/actor.ts'
import { discoverWork } from '#actors/refresh/discover.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { discoveryJob, statusScanJob } from '#actors/refresh/job.ts'

/** Discovery scans, which refresh the inventory. */
export const refresh: Capability = {
  word: 'refresh',
  entities: [Refresh],
  actors: [refreshActor],
  effects: [discoverWork],
  jobs: { discovery: discoveryJob, 'status-scan': statusScanJob },
}
