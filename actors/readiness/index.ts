import type { Capability } from '#actors/capability.ts'
import { readinessActor } from '#actors/readiness/actor.ts'
import { ReadinessPlan } from '#actors/readiness/entity.ts'

/** Event readiness: capacity that is scaled up before a known event, held through it, and restored. */
export const readiness: Capability = {
  word: 'readiness',
  entities: [ReadinessPlan],
  actors: [readinessActor],
  migrates: true,
}
