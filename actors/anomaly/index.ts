import { anomalyActor } from '#actors/anomaly/actor.ts'
import { AnomalySeries, AnomalyStory } from '#actors/anomaly/entity.ts'
import { storyActor } from '#actors/anomaly/story-actor.ts'
import { anomalyCheck, anomalyDetection } from '#actors/anomaly/job.ts'
import type { Capability } from '#actors/capability.ts'

/** Cost anomalies: days whose cost is far above the baseline. */
export const anomaly: Capability = {
  word: 'anomaly',
  entities: [AnomalySeries, AnomalyStory],
  actors: [anomalyActor, storyActor],
  jobs: { 'anomaly-detection': anomalyDetection, 'anomaly-check': anomalyCheck },
  migrates: true,
}
