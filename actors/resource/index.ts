import type { Capability } from '#actors/capability.ts'
import { resourceActor } from '#actors/resource/actor.ts'
import { Resource } from '#actors/resource/entity.ts'

/** The inventory: resources found in clouds. */
export const resource: Capability = { word: 'resource', entities: [Resource], actors: [resourceActor], migrates: true }
