import type { Capability } from '#actors/capability.ts'
import { snapshotActor } from '#actors/snapshot/actor.ts'
import { Snapshot } from '#actors/snapshot/entity.ts'
import { snapshotJob } from '#actors/snapshot/take.ts'

/** Snapshots: closed months. */
export const snapshot: Capability = {
  word: 'snapshot',
  entities: [Snapshot],
  actors: [snapshotActor],
  jobs: { 'monthly-snapshot': snapshotJob },
}
