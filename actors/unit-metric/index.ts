import type { Capability } from '#actors/capability.ts'
import { unitMetricActor } from '#actors/unit-metric/actor.ts'
import { headersSealed, UnitMetric, UnitMetricFeed } from '#actors/unit-metric/entity.ts'
import { pullWork } from '#actors/unit-metric/pull.ts'

/** Business metrics for unit economics, such as orders. */
export const unitMetric: Capability = {
  word: 'unit-metric',
  entities: [UnitMetric, UnitMetricFeed],
  actors: [unitMetricActor],
  effects: [pullWork],
  sealed: [headersSealed],
}
