/** Clusters of EKS as their API servers are asked: by a token that the role of the account signs. */
import type { Cluster } from '@aws-sdk/client-eks'
import type { Clock } from '#engine/actor/ports.ts'
import type { CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { KubernetesApi, type KubernetesOptions, type KubernetesServer } from '#streams/cloud/kubernetes/api/api.ts'
import { kubernetesChildren } from '#streams/cloud/kubernetes/object/children.ts'
import { eksServer } from '#streams/cloud/kubernetes/api/eks-token.ts'
import { readKubeconfig } from '#streams/cloud/kubernetes/api/kubeconfig.ts'
import { childOf } from '#streams/cloud/kubernetes/object/kind.ts'
import type { ChildrenOf } from '#streams/cloud/aws/discover/children.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions, AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface ClusterOptions extends AwsOptions {
  clock: Clock
  /** Takes API servers in private networks. */
  allowPrivate: boolean
  /** All addresses of a name; the system's resolver unless given. */
  resolve?: KubernetesOptions['resolve']
}

export const type = 'aws-eks' as const

/** `arn:aws:eks:<region>:<account>:cluster/<name>` */
const uidShape = /^arn:[\w-]+:eks:([\w-]+):\d*:cluster\/(.+)$/

/** Of a cluster that has an endpoint. */
export function apiOf(session: AwsSession, region: string, cluster: Cluster, options: ClusterOptions): KubernetesApi {
  const { name = '', endpoint = '', certificateAuthority } = cluster
  const server =
    givenServer(session.account, cluster.arn ?? '', options) ??
    eksServer({ name, region, endpoint, caData: certificateAuthority?.data ?? '' }, session.credentials, options.clock)
  return new KubernetesApi({ accountId: session.account.id, cluster: name }, server, options, session.signal)
}

/** By the kubeconfig that the account has been given for the cluster, if one was. */
function givenServer(
  account: CloudAccount,
  uid: string,
  { allowPrivate }: ClusterOptions,
): KubernetesServer | undefined {
  const given = roleOf(account).kubeconfigs?.[uid]
  if (given === undefined) return undefined
  const { token, ...server } = readKubeconfig(given, { allowPrivate })
  return { ...server, token: async () => token }
}

/** One that has no endpoint yet has no children that could be seen. */
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

/** What `work` makes of the cluster that the child lives in. @throws a `user_action` fault for a cluster that is gone */
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

/** Children of EKS are asked of their cluster, all else of AWS. */
export const clusterOfChild = ({
  type: of,
  resourceUid,
}: Pick<ResourceRef, 'type' | 'resourceUid'>): string | undefined =>
  of.startsWith(`${type}-`) && of !== `${type}-nodegroup` ? childOf({ type: of, resourceUid }).clusterUid : undefined
