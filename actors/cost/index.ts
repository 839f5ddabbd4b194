import type { Capability } from '#actors/capability.ts'
import { costWatchActor } from '#actors/cost/actor.ts'
import { CostWatch } from '#actors/cost/entity.ts'
import { costProjections } from '#actors/cost/projections.ts'

/** Sums of days, kept equal to the lines of bills, and who is told that they changed. */
export const cost: Capability = {
  word: 'cost',
  entities: [CostWatch],
  actors: [costWatchActor],
  projections: costProjections,
  migrates: true,
}
