import type { Capability } from '#actors/capability.ts'
import { savingActor } from '#actors/saving/actor.ts'
import { Saving } from '#actors/saving/entity.ts'
import { measureSavings } from '#actors/saving/measure.ts'

/** Savings: estimated, observed, and verified by bills. */
export const saving: Capability = {
  word: 'saving',
  entities: [Saving],
  actors: [savingActor],
  jobs: { savings: measureSavings },
  migrates: true,
}
