/** The Google Cloud connector, including the clusters in Google Cloud. */
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import {
  bucketOf,
  cloudFault,
  type CloudAccount,
  type Connector,
  type MetricSamples,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { kubernetesAct } from '#streams/cloud/kubernetes/act.ts'
import { kubernetesLook, kubernetesPolicies } from '#streams/cloud/kubernetes/object/look.ts'
import { kubernetesSamples } from '#streams/cloud/kubernetes/usage/measure.ts'
import { access } from '#streams/cloud/gcp/session/access.ts'
import { act, look, repeats } from '#streams/cloud/gcp/act/act.ts'
import { bill } from '#streams/cloud/gcp/bill/bill.ts'
import { childrenIn, clusterOfChild, withCluster, type ClusterOptions } from '#streams/cloud/gcp/cluster/cluster.ts'
import { discoverGcp } from '#streams/cloud/gcp/discover/discover.ts'
import { measure } from '#streams/cloud/gcp/measure/measure.ts'
import { policies, quotas, replacePolicies } from './scaling-policy.ts'
import { projectsOf, serviceAccountOf } from '#streams/cloud/gcp/permission/organization.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import { gcpUsage } from '#streams/cloud/gcp/cluster/usage.ts'
import { verifyGcp } from '#streams/cloud/gcp/permission/verify.ts'

export type { ClusterOptions as GcpCloudOptions } from '#streams/cloud/gcp/cluster/cluster.ts'

/** Not implemented; refuses before any call is made. */
const rejectProvisioning = async (): Promise<never> => {
  throw cloudFault('system', 'unsupported_provisioning', 'Provisioning is not supported for Google Cloud yet.')
}

export function gcpCloud(options: ClusterOptions): Connector {
  const open = (account: CloudAccount, signal?: AbortSignal) => openGcp(account, options, signal)
  return {
    driver: 'real',
    verify: verifyGcp({ open: (account) => openGcp(account, options, undefined, true) }),
    organization: {
      list: (account, { parent }, signal) => projectsOf(options, account, parent, signal),
      credentialsFor: serviceAccountOf,
      sharesCredentials: true,
    },
    discover: discoverGcp({ open, childrenOf: childrenIn(options) }),
    measure: (account, resources, from, to, stepSeconds) =>
      measureResources(options, account, { resources, from, to, stepSeconds }),
    usage: (account, at, signal) => gcpUsage(options, account, at, signal),
    bill: (account, from, to, refusals = new BillRefusals()) => bill(options, account, { from, to, refusals }),
    act: async (account, action) => {
      const cluster = clusterOfChild(action.resource)
      if (cluster === undefined) return act(options, account, action)
      return withCluster(options, account, cluster, (api) => kubernetesAct(api, action))
    },
    repeats,
    look: async (account, resource) => {
      const cluster = clusterOfChild(resource)
      if (cluster === undefined) return look(options, account, resource)
      return withCluster(options, account, cluster, (api) => kubernetesLook(api, resource))
    },
    access: (account, resource) => access(options, account, resource),
    policies: async (account, resource) => {
      const cluster = clusterOfChild(resource)
      if (cluster === undefined) return policies(options, account, resource)
      return withCluster(options, account, cluster, (api) => kubernetesPolicies(api, resource))
    },
    replacePolicies: (account, resource, replacement) => replacePolicies(options, account, resource, replacement),
    quotas: (account, resource) => quotas(options, account, resource),
    infrastructureFor: [],
    createInfrastructure: async () => {
      throw cloudFault(
        'user_action',
        'unsupported_action',
        'Autoscaler policies in Google Cloud need no infrastructure.',
      )
    },
    provisions: [],
    provision: rejectProvisioning,
    unprovision: rejectProvisioning,
    describe: rejectProvisioning,
    createDatabase: rejectProvisioning,
    dropDatabase: rejectProvisioning,
  }
}

interface MeasureRequest {
  resources: readonly ResourceRef[]
  from: Date
  to: Date
  stepSeconds: number | undefined
}

/**
 * Clusters only know current values. A cluster that cannot be queried delays neither other clusters nor Cloud
 * Monitoring.
 */
async function* measureResources(
  options: ClusterOptions,
  account: CloudAccount,
  { resources, from, to, stepSeconds }: MeasureRequest,
): AsyncGenerator<MetricSamples> {
  const byCluster = Map.groupBy(resources, (ref) => clusterOfChild(ref))
  const own = byCluster.get(undefined) ?? []
  if (own.length > 0) yield* measure(options, account, own, from, to, stepSeconds)
  for (const [cluster, children] of byCluster) {
    if (cluster === undefined) continue
    try {
      yield* await withCluster(options, account, cluster, (api, of) =>
        Array.fromAsync(kubernetesSamples(api, of, children, { from, to })),
      )
    } catch (error) {
      if (bucketOf(error) === 'system') throw error
    }
  }
}
