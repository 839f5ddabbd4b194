import type { Capability } from '#actors/capability.ts'
import { kubernetesActor } from './actor.ts'
import { KubernetesCluster } from './entity.ts'

/** Who uses clusters, and so whose their costs are. */
export const kubernetes: Capability = {
  word: 'kubernetes',
  entities: [KubernetesCluster],
  actors: [kubernetesActor],
  migrates: true,
}
