import type { Capability } from '#actors/capability.ts'
import { metricCollectionActor } from '#actors/metric/actor.ts'
import { metricCollectionJob } from '#actors/metric/collect.ts'
import { MetricCollection } from '#actors/metric/entity.ts'
import { targetLoadJob } from '#actors/metric/target-load.ts'

/** Fetching metrics from clouds. */
export const metric: Capability = {
  word: 'metric',
  entities: [MetricCollection],
  actors: [metricCollectionActor],
  jobs: { 'metric-collection': metricCollectionJob, 'target-load': targetLoadJob },
  migrates: true,
}
