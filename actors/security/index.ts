import type { Capability } from '#actors/capability.ts'
import { securityActor } from '#actors/security/actor.ts'
import { SecurityLog } from '#actors/security/entity.ts'

/** The audit trail for administrators. */
export const security: Capability = { word: 'security', entities: [SecurityLog], actors: [securityActor] }
