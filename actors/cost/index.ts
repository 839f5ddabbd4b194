import type { Capability } from '#actors/capability.ts'
import { costWatchActor } from '#actors/cost/actor.ts'
import { CostWatch } from '#actors/cost/entity.ts'
import { costProjections } from '#actors/cost/projections.ts'

/** Daily sums of costs, kept equal to the bill lines, and messages about their changes. */
export const cost: Capability = {
  word: 'cost',
  entities: [CostWatch],
  actors: [costWatchActor],
  projections: costProjections,
  migrates: true,
}
