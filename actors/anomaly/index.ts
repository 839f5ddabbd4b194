import { anomalyActor } from '#actors/anomaly/actor.ts'
import { AnomalySeries } from '#actors/anomaly/entity.ts'
import { anomalyCheck, anomalyDetection } from '#actors/anomaly/job.ts'
import type { Capability } from '#actors/capability.ts'

/** Days that cost what they should not. */
export const anomaly: Capability = {
  word: 'anomaly',
  entities: [AnomalySeries],
  actors: [anomalyActor],
  jobs: { 'anomaly-detection': anomalyDetection, 'anomaly-check': anomalyCheck },
}
