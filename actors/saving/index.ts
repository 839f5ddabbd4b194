import type { Capability } from '#actors/capability.ts'
import { savingActor } from '#actors/saving/actor.ts'
import { Saving } from '#actors/saving/entity.ts'
import { measureSavings } from '#actors/saving/measure.ts'

/** What is saved: estimated, seen, and proved by bills. */
export const saving: Capability = {
  word: 'saving',
  entities: [Saving],
  actors: [savingActor],
  jobs: { savings: measureSavings },
  migrates: true,
}
