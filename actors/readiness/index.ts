import type { Capability } from '#actors/capability.ts'
import { readinessActor } from '#actors/readiness/actor.ts'
import { ReadinessPlan } from '#actors/readiness/entity.ts'

/** Capacity that is raised before a known event, held through it, and put back. */
export const readiness: Capability = {
  word: 'readiness',
  entities: [ReadinessPlan],
  actors: [readinessActor],
  migrates: true,
}
