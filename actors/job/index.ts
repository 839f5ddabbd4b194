import type { Capability } from '#actors/capability.ts'
import { jobActor } from '#actors/job/actor.ts'
import { Job } from '#actors/job/entity.ts'

/** Timers of background jobs. */
export const job: Capability = { word: 'job', entities: [Job], actors: [jobActor], migrates: true }
