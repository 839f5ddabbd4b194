import type { Capability } from '#actors/capability.ts'
import { ReadinessPlan } from '#actors/readiness/entity.ts'

/** Capacity that is raised before known events, and put back behind them. */
export const readiness: Capability = { word: 'readiness', entities: [ReadinessPlan], migrates: true }
