/** The Azure connector, including the clusters in Azure. */
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
import { access } from '#streams/cloud/azure/session/access.ts'
import { act, repeats } from '#streams/cloud/azure/act/act.ts'
import { bill } from '#streams/cloud/azure/bill/bill.ts'
import { childrenIn, clusterOfChild, withCluster, type ClusterOptions } from '#streams/cloud/azure/cluster/cluster.ts'
import { discoverAzure } from '#streams/cloud/azure/discover/discover.ts'
import { look } from './look.ts'
import { measure } from './measure.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { quotas } from '#streams/cloud/azure/scaling/quota.ts'
import { applicationOf, subscriptionsOf } from '#streams/cloud/azure/permission/organization.ts'
import { policies, replacePolicies } from '#streams/cloud/azure/scaling/policy.ts'
import { azureUsage } from '#streams/cloud/azure/cluster/usage.ts'
import { verifyAzure } from '#streams/cloud/azure/permission/verify.ts'

export function azureCloud(options: ClusterOptions): Connector {
  const open = (account: CloudAccount, signal?: AbortSignal) => openAzure(account, options, signal)
  return {
    driver: 'real',
    verify: verifyAzure({ open }),
    organization: {
      list: (account, _scope, signal) => subscriptionsOf(options, account, signal),
      credentialsFor: applicationOf,
      sharesCredentials: true,
    },
    discover: discoverAzure({ open, childrenOf: childrenIn(options) }),
    measure: (account, resources, from, to, stepSeconds) =>
      measureResources(options, account, { resources, from, to, stepSeconds }),
    usage: (account, at, signal) => azureUsage(options, account, at, signal),
    bill: (account, from, to, refusals = new BillRefusals()) => bill(options, account, { from, to, refusals }),
    repeats,
    act: async (account, action) => {
      const cluster = clusterOfChild(action.resource)
      if (cluster === undefined) return act(options, account, action)
      return withCluster(options, account, cluster, (api) => kubernetesAct(api, action))
    },
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
    // Azure itself scales the sets of machines, so no infrastructure of ours is needed.
    infrastructureFor: [],
    createInfrastructure: () => rejectUnsupported('infrastructure for autoscaler policies'),
    provisions: [],
    provision: () => rejectUnsupported('provisioning yet'),
    unprovision: () => rejectUnsupported('provisioning yet'),
    describe: () => rejectUnsupported('provisioning yet'),
    createDatabase: () => rejectUnsupported('creating databases yet'),
    dropDatabase: () => rejectUnsupported('creating databases yet'),
  }
}

async function rejectUnsupported(what: string): Promise<never> {
  throw cloudFault('user_action', 'unsupported_action', `Azure accounts do not support ${what}.`)
}

interface MeasureRequest {
  resources: readonly ResourceRef[]
  from: Date
  to: Date
  stepSeconds: number | undefined
}

/**
 * Clusters only know current values. A cluster that cannot be queried delays neither other clusters nor Azure Monitor.
 */
async function* measureResources(
  options: ClusterOptions,
  account: CloudAccount,
  { resources, from, to, stepSeconds }: MeasureRequest,
): AsyncGenerator<MetricSamples> {
  const byCluster = Map.groupBy(resources, (ref) => clusterOfChild(ref))
  const own = byCluster.get(undefined) ?? []
  if (own.length > 0) yield* measure(options, account, own, from, to, stepSeconds, options.clock.now())
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
