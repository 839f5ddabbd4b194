import type { Capability } from '#actors/capability.ts'
import { jobActor } from '#actors/job/actor.ts'
import { Job } from '#actors/job/entity.ts'

/** Timers of what is done for organizations without anybody asking. */
export const job: Capability = { word: 'job', entities: [Job], actors: [jobActor], migrates: true }
