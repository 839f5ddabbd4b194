/** Calls about objects that live in a cluster go to that cluster; all others go to the cloud itself. */
import {
  bucketOf,
  type CloudAccount,
  type Connector,
  type MetricSamples,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { sourcesOf } from '#streams/metric/source.ts'
import { kubernetesAct } from './act.ts'
import type { KubernetesApi } from './api/api.ts'
import { kubernetesLook, kubernetesPolicies } from './object/look.ts'
import type { Cluster } from './object/kind.ts'
import { kubernetesPoolSamples, poolAt, type NodePool } from './pod/reserve.ts'
import { kubernetesSamples } from './usage/measure.ts'

type Calls = Pick<Connector, 'act' | 'look' | 'policies' | 'measure'>

/** How a cloud's clusters are found and queried. */
interface Clusters {
  /** The cluster that a resource lives in; undefined for resources of the cloud itself. */
  clusterOfChild: (ref: Pick<ResourceRef, 'type' | 'resourceUid'>) => string | undefined
  withCluster: <T>(
    account: CloudAccount,
    cluster: string,
    work: (api: KubernetesApi, cluster: Cluster) => Promise<T>,
  ) => Promise<T>
}

export function inClusters(cloud: Calls, { clusterOfChild, withCluster }: Clusters): Calls {
  const route = async <T>(
    account: CloudAccount,
    ref: ResourceRef,
    inCluster: (api: KubernetesApi) => Promise<T>,
    inCloud: () => Promise<T>,
  ): Promise<T> => {
    const cluster = clusterOfChild(ref)
    return cluster === undefined ? inCloud() : withCluster(account, cluster, inCluster)
  }
  /** Pools are known to both, and some clouds measure objects in clusters too. Clusters only know the present. One that cannot be queried does not hold up the others, or the cloud's metrics. */
  async function* measure(
    account: CloudAccount,
    resources: readonly ResourceRef[],
    from: Date,
    to: Date,
    stepSeconds?: number,
  ): AsyncGenerator<MetricSamples> {
    const own = resources.filter((ref) => clusterOfChild(ref) === undefined || sourcesOf(ref.type).length > 0)
    const byCluster = Map.groupBy(resources, (ref) => clusterOfChild(ref) ?? poolAt(ref)?.clusterUid)
    if (own.length > 0) yield* cloud.measure(account, own, from, to, stepSeconds)
    for (const [cluster, children] of byCluster) {
      if (cluster === undefined) continue
      try {
        yield* await withCluster(account, cluster, async (api, of) => [
          ...(await Array.fromAsync(kubernetesSamples(api, of, children, { from, to }))),
          ...(await Array.fromAsync(kubernetesPoolSamples(api, children.flatMap(poolOf), { from, to }))),
        ])
      } catch (error) {
        if (bucketOf(error) === 'system') throw error
      }
    }
  }
  return {
    measure,
    act: (account, action) =>
      route(
        account,
        action.resource,
        (api) => kubernetesAct(api, action),
        () => cloud.act(account, action),
      ),
    look: (account, ref) =>
      route(
        account,
        ref,
        (api) => kubernetesLook(api, ref),
        () => cloud.look(account, ref),
      ),
    policies: (account, ref) =>
      route(
        account,
        ref,
        (api) => kubernetesPolicies(api, ref),
        () => cloud.policies(account, ref),
      ),
  }
}

function poolOf(ref: ResourceRef): NodePool[] {
  const pool = poolAt(ref)
  return pool ? [{ ref, name: pool.name }] : []
}
