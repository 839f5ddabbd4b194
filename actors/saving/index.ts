import type { Capability } from '#actors/capability.ts'
import { savingActor } from '#actors/saving/actor.ts'
import { Saving } from '#actors/saving/entity.ts'

/** What was saved, as far as it was seen. */
export const saving: Capability = { word: 'saving', entities: [Saving], actors: [savingActor], migrates: true }
