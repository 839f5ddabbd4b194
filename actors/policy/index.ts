import type { Capability } from '#actors/capability.ts'
import { Policy, PolicySet } from '#actors/policy/entity.ts'

/** What is done by rule. */
export const policy: Capability = { word: 'policy', entities: [Policy, PolicySet], migrates: true }
