/** Access to GKE clusters: their API servers accept the account's token. */
import type { Clock } from '#engine/actor/ports.ts'
import { cloudFault, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { KubernetesApi, type KubernetesOptions, type KubernetesServer } from '#streams/cloud/kubernetes/api/api.ts'
import { kubernetesChildren } from '#streams/cloud/kubernetes/object/children.ts'
import { childOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { pemOf } from '#streams/cloud/kubernetes/api/kubeconfig.ts'
import { Cluster } from '#streams/cloud/gcp/answer/service.ts'
import type { ChildrenOf } from '#streams/cloud/gcp/discover/children.ts'
import { clusterUid } from '#streams/cloud/gcp/map/service.ts'
import { partsOf, regionIn, safePath } from '#streams/cloud/gcp/resource-path.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

export interface ClusterOptions extends GcpOptions {
  clock: Clock
  /** Allows API servers in private networks. */
  allowPrivate: boolean
  /** Returns all addresses of a name; the system's resolver by default. */
  resolve?: KubernetesOptions['resolve']
}

export const type = 'gcp-gke' as const

/** Undefined if the cluster has no API server yet. */
export function apiOf(session: GcpSession, cluster: Cluster, options: ClusterOptions): KubernetesApi | undefined {
  const server = serverOf(session, cluster)
  if (!server) return undefined
  return new KubernetesApi({ accountId: session.account.id, cluster: cluster.name }, server, options, session.signal)
}

/** Uses the IP address; or the DNS name, if only that is open to external access. */
function serverOf({ tokens: { token } }: GcpSession, cluster: Cluster): KubernetesServer | undefined {
  const { endpoint, masterAuth, controlPlaneEndpointsConfig: control = {} } = cluster
  const name = openName(control)
  if (name !== undefined && (!endpoint || isClosed(cluster))) return { url: `https://${name}`, token }
  if (!endpoint) return undefined
  const ca = pemOf(masterAuth?.clusterCaCertificate ?? '')
  return { url: endpoint.includes('://') ? endpoint : `https://${endpoint}`, token, ...(ca !== undefined && { ca }) }
}

const openName = ({
  dnsEndpointConfig: dns,
}: NonNullable<Cluster['controlPlaneEndpointsConfig']>): string | undefined =>
  dns?.allowExternalTraffic ? dns.endpoint : undefined

const isClosed = ({ privateClusterConfig, controlPlaneEndpointsConfig: control }: Cluster): boolean =>
  privateClusterConfig?.enablePrivateEndpoint === true || control?.ipEndpointsConfig?.enabled === false

const about = (project: string, cluster: Cluster) => ({
  uid: clusterUid(project, cluster),
  type,
  region: regionIn(cluster.location ?? cluster.zone),
})

/** A cluster without an API server has no visible children. */
export const childrenIn =
  (options: ClusterOptions): ChildrenOf =>
  (session, cluster) => {
    const api = apiOf(session, cluster, options)
    if (!api) return { pages: nothing(), seen: [] }
    const found = kubernetesChildren(api, about(session.project, cluster))
    return {
      pages: found.pages,
      get seen() {
        return found.seen()
      },
      get missingPermissions() {
        return found.missingPermissions()
      },
      get message() {
        return found.message()
      },
    }
  }

async function* nothing(): AsyncGenerator<never> {}

function clusterOf(session: GcpSession, uid: string): Promise<Cluster> {
  partsOf(uid, 'projects', 'locations', 'clusters')
  const call = { service: 'container', path: `/${safePath(uid)}`, permission: 'container.clusters.get' } as const
  return session.ask(call, Cluster)
}

/**
 * Runs `work` with the API of the cluster that contains the child.
 * @throws a `user_action` fault if the cluster no longer exists
 */
export async function withCluster<T>(
  options: ClusterOptions,
  account: CloudAccount,
  uid: string,
  work: (api: KubernetesApi, cluster: { uid: string; type: typeof type; region: string }) => Promise<T>,
): Promise<T> {
  const session = openGcp(account, options)
  const cluster = await clusterOf(session, uid)
  const api = apiOf(session, cluster, options)
  if (!api) throw cloudFault('transient', 'cloud_unavailable', `The cluster ${cluster.name} has no API server yet.`)
  return work(api, { ...about(session.project, cluster), uid })
}

/** The cluster of a Kubernetes resource; undefined for resources that Google itself describes. */
export const clusterOfChild = (ref: Pick<ResourceRef, 'type' | 'resourceUid'>): string | undefined =>
  ref.type.startsWith(`${type}-`) && ref.type !== `${type}-nodepool` ? childOf(ref).clusterUid : undefined
