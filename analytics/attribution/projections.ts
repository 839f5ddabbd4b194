/** What is recomputed when attribution changes. */
import type { Projection } from '#engine/actor/turn.ts'

/** The teams of resources by rule, recomputed for what was marked; run by `actors/attribution/allocation/allocate.ts`. */
export const allocations = { name: 'allocation' } satisfies Projection

/** Marks all resources of an organization. */
export const wholeAllocation = '*'

/** Marks resources that only bills know and whose costs have changed. */
export const billedAllocation = '*bills'

/** Paths or tags of accounts that rules for shared costs read have changed. The key is always `all`. */
export const accountRules = { name: 'account-rule' } satisfies Projection
