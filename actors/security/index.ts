import type { Capability } from '#actors/capability.ts'
import { securityActor } from '#actors/security/actor.ts'
import { SecurityLog } from '#actors/security/entity.ts'

/** What administrators must be able to find out later. */
export const security: Capability = { word: 'security', entities: [SecurityLog], actors: [securityActor] }
