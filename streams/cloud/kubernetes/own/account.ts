/** Accounts that are one cluster, without an account of a cloud. Their provider is that of the nodes. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { decoder, t, type Static } from '#engine/value/schema.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { KubernetesApi, type KubernetesOptions } from '#streams/cloud/kubernetes/api/api.ts'
import { readKubeconfig, serverOf } from '#streams/cloud/kubernetes/api/kubeconfig.ts'
import type { Cluster } from '#streams/cloud/kubernetes/object/kind.ts'
import type { Provider } from '#streams/names.ts'
import { NodePrices } from './price.ts'

const prefix = 'cluster/'

/** No account of a cloud has such an id. */
export const isOwnCluster = ({ externalId }: Pick<CloudAccount, 'externalId'>): boolean => externalId.startsWith(prefix)

/** `cluster/<name>`; also the UID of the cluster. */
export const ownClusterShape = /^cluster\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

export const OwnClusterCredentials = t.Object({
  kubeconfig: t.Optional(t.String({ minLength: 1, maxLength: 262_144 })),
  inCluster: t.Optional(t.Literal(true)),
  prices: t.Optional(NodePrices),
})
export type OwnClusterCredentials = Static<typeof OwnClusterCredentials>
const decode = decoder(OwnClusterCredentials)

export const credentialsOf = ({ credentials }: Pick<CloudAccount, 'credentials'>): OwnClusterCredentials =>
  decode(credentials)

/** The cluster that this installation runs in, for the accounts of one organization. */
interface InCluster {
  orgId: string
  url: string
  /** Where Kubernetes writes `token` and `ca.crt`; it replaces both before they expire. */
  folder: string
}

export interface OwnClusterOptions extends KubernetesOptions {
  inCluster?: InCluster | undefined
}

export async function openCluster(
  options: OwnClusterOptions,
  account: CloudAccount,
  signal?: AbortSignal,
): Promise<KubernetesApi> {
  const { kubeconfig, inCluster } = credentialsOf(account)
  const place = { accountId: account.id, cluster: nameOf(account), isWholeAccount: true as const }
  if (kubeconfig !== undefined) {
    const server = serverOf(readKubeconfig(kubeconfig, options))
    return new KubernetesApi(place, server, options, signal)
  }
  if (!inCluster || options.inCluster?.orgId !== account.orgId) throw lackingFault(account)
  const { url, folder } = options.inCluster
  const read = async (file: string) => (await readFile(path.join(folder, file), 'utf8')).trim()
  try {
    const server = { url, ca: await read('ca.crt'), token: () => read('token') }
    await server.token()
    // The operator has named this address, not a customer.
    return new KubernetesApi(place, server, { ...options, allowPrivate: true }, signal)
  } catch (error) {
    throw cloudFault(
      'user_action',
      'capability_missing',
      `This process has no service account in ${folder}.`,
      {},
      error,
    )
  }
}

const lackingFault = ({ name }: CloudAccount) =>
  cloudFault('user_action', 'capability_missing', `${name} may not use the service account of this installation.`, {
    fixHint: 'Set KUBERNETES_IN_CLUSTER_ORG to the ID of the organization, or give the account a kubeconfig.',
  })

export const nameOf = ({ externalId }: Pick<CloudAccount, 'externalId'>): string => externalId.slice(prefix.length)

const types: Readonly<Record<Provider, Cluster['type']>> = { aws: 'aws-eks', gcp: 'gcp-gke', azure: 'azure-aks' }

/** Its objects have the types of the provider's managed clusters, so that the same rules and actions apply. */
export const clusterOf = ({ provider, externalId, regions }: CloudAccount): Cluster => ({
  uid: externalId,
  type: types[provider],
  region: regions[0] ?? 'global',
})
