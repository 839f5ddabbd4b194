/** What is worked out anew where attribution has changed. */
import type { Projection } from '#engine/actor/turn.ts'

/** The teams of resources by rule, worked out anew for what was marked; carried out by `actors/attribution/allocation/allocate.ts`. */
export const allocations = { name: 'allocation' } satisfies Projection

/** Marks all resources of an organization. */
export const wholeAllocation = '*'

/** Marks those that bills alone know, where their costs have changed. */
export const billedAllocation = '*bills'

/** Paths or tags of accounts have changed, which rules for shared costs ask about. The key is always `all`. */
export const accountRules = { name: 'account-rule' } satisfies Projection
