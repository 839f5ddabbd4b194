/** Access to EKS clusters: their API servers accept a token signed by the account's role. */
import type { Cluster } from '@aws-sdk/client-eks'
import type { Clock } from '#engine/actor/ports.ts'
import type { CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { KubernetesApi, type KubernetesOptions, type KubernetesServer } from '#streams/cloud/kubernetes/api/api.ts'
import { kubernetesChildren } from '#streams/cloud/kubernetes/object/children.ts'
import { eksServer } from '#streams/cloud/kubernetes/api/eks-token.ts'
import { readKubeconfig, serverOf } from '#streams/cloud/kubernetes/api/kubeconfig.ts'
import { childOf } from '#streams/cloud/kubernetes/object/kind.ts'
import type { ChildrenOf } from '#streams/cloud/aws/discover/children.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions, AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface ClusterOptions extends AwsOptions {
  clock: Clock
  /** Allows API servers in private networks. */
  allowPrivate: boolean
  /** Returns all addresses of a name; the system's resolver by default. */
  resolve?: KubernetesOptions['resolve']
}

export const type = 'aws-eks' as const

/** `arn:aws:eks:<region>:<account>:cluster/<name>` */
const uidShape = /^arn:[\w-]+:eks:([\w-]+):\d*:cluster\/(.+)$/

/** The cluster must have an endpoint. */
export function apiOf(session: AwsSession, region: string, cluster: Cluster, options: ClusterOptions): KubernetesApi {
  const { name = '', endpoint = '', certificateAuthority } = cluster
  const server =
    givenServer(session.account, cluster.arn ?? '', options) ??
    eksServer({ name, region, endpoint, caData: certificateAuthority?.data ?? '' }, session.credentials, options.clock)
  return new KubernetesApi({ accountId: session.account.id, cluster: name }, server, options, session.signal)
}

/** The server in the kubeconfig of the account's credentials, if they contain one for this cluster. */
function givenServer(
  account: CloudAccount,
  uid: string,
  { allowPrivate }: ClusterOptions,
): KubernetesServer | undefined {
  const given = roleOf(account).kubeconfigs?.[uid]
  return given === undefined ? undefined : serverOf(readKubeconfig(given, { allowPrivate }))
}

/** A cluster without an endpoint has no visible children. */
export const childrenIn =
  (options: ClusterOptions): ChildrenOf =>
  (session, { uid, region, cluster }) => {
    if (!cluster.endpoint) return { pages: nothing(), seen: [] }
    const found = kubernetesChildren(apiOf(session, region, cluster, options), { uid, type, region })
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

/**
 * Runs `work` with the API of the cluster that contains the child.
 * @throws a `user_action` fault if the cluster no longer exists
 */
export async function withCluster<T>(
  options: ClusterOptions,
  account: CloudAccount,
  clusterUid: string,
  work: (api: KubernetesApi, cluster: { uid: string; type: typeof type; region: string }) => Promise<T>,
): Promise<T> {
  const session = openAws(account, options)
  try {
    const [, region = '', name = ''] = uidShape.exec(clusterUid) ?? []
    if (name === '') throw cloudFault('user_action', 'not_found', `${clusterUid} is not an EKS cluster.`)
    const { cluster } = await session.ask('eks', region, (m) => new m.DescribeClusterCommand({ name }))
    if (!cluster?.endpoint)
      throw cloudFault('transient', 'cloud_unavailable', `The cluster ${name} has no API server yet.`)
    return await work(apiOf(session, region, cluster, options), { uid: clusterUid, type, region })
  } finally {
    session.close()
  }
}

/** The cluster of a Kubernetes resource; undefined for resources that AWS itself describes. */
export const clusterOfChild = ({
  type: of,
  resourceUid,
}: Pick<ResourceRef, 'type' | 'resourceUid'>): string | undefined =>
  of.startsWith(`${type}-`) && of !== `${type}-nodegroup` ? childOf({ type: of, resourceUid }).clusterUid : undefined
