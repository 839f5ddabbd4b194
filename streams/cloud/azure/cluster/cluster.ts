/** Access to AKS clusters: their API servers accept a token of the account's application. */
import { FAILSAFE_SCHEMA, load } from 'js-yaml'
import type { Clock } from '#engine/actor/ports.ts'
import type { CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { KubernetesApi, type KubernetesOptions, type KubernetesServer } from '#streams/cloud/kubernetes/api/api.ts'
import { kubernetesChildren, type Children } from '#streams/cloud/kubernetes/object/children.ts'
import { pemOf, readKubeconfig, serverOf } from '#streams/cloud/kubernetes/api/kubeconfig.ts'
import { childOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { principalOf } from '#streams/cloud/azure/session/credentials.ts'
import { clusterVersion, type ChildrenOf } from '#streams/cloud/azure/discover/kubernetes.ts'
import { regionOf } from '#streams/cloud/azure/map/resource.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { isIdOf, nameOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import { audiences, type AzureOptions, type AzureSession, type Item } from '#streams/cloud/azure/session/session.ts'

export interface ClusterOptions extends AzureOptions {
  clock: Clock
  /** Allows API servers in private networks. */
  allowPrivate: boolean
  /** Returns all addresses of a name; the system's resolver by default. */
  resolve?: KubernetesOptions['resolve']
}

export const type = 'azure-aks' as const

/** @throws a `cloudFault` if the application may not query the cluster's address */
export async function apiOf(session: AzureSession, id: string, options: ClusterOptions): Promise<KubernetesApi> {
  const server = givenServer(session.account, uidOf(id), options) ?? (await toldServer(session, id))
  return new KubernetesApi({ accountId: session.account.id, cluster: nameOf(id) }, server, options, session.signal)
}

/** The server in the kubeconfig of the account's credentials, if they contain one for this cluster. */
function givenServer(
  account: CloudAccount,
  uid: string,
  { allowPrivate }: ClusterOptions,
): KubernetesServer | undefined {
  const all = Object.entries(principalOf(account).kubeconfigs ?? {})
  const [, given] = all.find(([of]) => uidOf(of) === uid) ?? []
  return given === undefined ? undefined : serverOf(readKubeconfig(given, { allowPrivate }))
}

/**
 * Reads from AKS the server's address and certificate authority, and a token if the cluster does not use Entra; ignores
 * everything else.
 */
async function toldServer(session: AzureSession, id: string): Promise<KubernetesServer> {
  const answer = await session.ask({
    method: 'POST',
    path: `${id}/listClusterUserCredential`,
    query: { 'api-version': clusterVersion, format: 'exec' },
  })
  const text = Buffer.from(textBase64(answer), 'base64').toString('utf8')
  const root = yamlOf(text)
  const cluster = memberOf(listOf(memberOf(root, 'clusters'))[0], 'cluster')
  const user = memberOf(listOf(memberOf(root, 'users'))[0], 'user')
  const url = textAt(cluster, 'server')
  if (url === undefined)
    throw cloudFault('system', 'unknown_answer', `AKS did not return the API server address of ${nameOf(id)}.`)
  const own = memberOf(user, 'token')
  const data = memberOf(cluster, 'certificate-authority-data')
  const ca = typeof data === 'string' ? pemOf(data) : undefined
  return {
    url,
    ...(ca !== undefined && { ca }),
    token: typeof own === 'string' && own !== '' ? async () => own : () => session.tokens.of(audiences.clusters),
  }
}

/** The text is longer than the limit of `textAt`. */
function textBase64(answer: unknown): string {
  const value = memberOf(listOf(memberOf(answer, 'kubeconfigs'))[0], 'value')
  return typeof value === 'string' && value.length <= 512 * 1024 ? value : ''
}

function yamlOf(text: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA })
  } catch {
    return undefined
  }
}

const isOn = (cluster: Item): boolean => textAt(cluster, 'properties', 'powerState', 'code') !== 'Stopped'

/** A stopped cluster has no visible children. */
export const childrenIn =
  (options: ClusterOptions): ChildrenOf =>
  (session, cluster) => {
    let found: Children | undefined
    async function* pages() {
      if (!isOn(cluster)) return
      const api = await apiOf(session, cluster.id, options)
      const about = { uid: uidOf(cluster.id), type, region: regionOf(textAt(cluster, 'location')) }
      found = kubernetesChildren(api, about)
      yield* found.pages
    }
    return {
      pages: pages(),
      get seen() {
        return found?.seen() ?? []
      },
      get missingPermissions() {
        return found?.missingPermissions() ?? []
      },
      get message() {
        return found?.message()
      },
    }
  }

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
  const session = openAzure(account, options)
  if (!isIdOf(account.externalId, clusterUid))
    throw cloudFault('user_action', 'not_found', `${clusterUid} is not an AKS cluster.`)
  const found = await session.ask({ path: clusterUid, query: { 'api-version': clusterVersion } })
  const region = regionOf(textAt(found, 'location'))
  return work(await apiOf(session, clusterUid, options), { uid: clusterUid, type, region })
}

/** The cluster of a Kubernetes resource; undefined for resources that Azure itself describes. */
export const clusterOfChild = ({
  type: of,
  resourceUid,
}: Pick<ResourceRef, 'type' | 'resourceUid'>): string | undefined =>
  of.startsWith(`${type}-`) && of !== `${type}-nodepool` ? childOf({ type: of, resourceUid }).clusterUid : undefined
