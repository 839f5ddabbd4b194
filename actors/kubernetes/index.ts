import type { Capability } from '#actors/capability.ts'
import { kubernetesActor } from './actor.ts'
import { kubernetesUsageJob } from './collect.ts'
import { KubernetesCluster } from './entity.ts'
import { kubernetesPullJob } from './pull.ts'
import { headersSealed, KubernetesSource, KubernetesSourceState } from './source.ts'
import { kubernetesSourceActor } from './source-actor.ts'

/** Usage of Kubernetes clusters, by which their costs are divided. */
export const kubernetes: Capability = {
  word: 'kubernetes',
  entities: [KubernetesCluster, KubernetesSource, KubernetesSourceState],
  actors: [kubernetesActor, kubernetesSourceActor],
  jobs: { 'kubernetes-usage': kubernetesUsageJob, 'kubernetes-pull': kubernetesPullJob },
  sealed: [headersSealed],
  migrates: true,
}
