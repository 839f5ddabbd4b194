import type { Capability } from '#actors/capability.ts'
import { Policy, PolicySet } from '#actors/policy/entity.ts'

/** Policies of all domains. */
export const policy: Capability = { word: 'policy', entities: [Policy, PolicySet], migrates: true }
