/** The AWS connector, including the clusters in AWS. */
import type { CloudAccount, Connector, MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { bucketOf } from '#streams/cloud/connector.ts'
import { kubernetesAct } from '#streams/cloud/kubernetes/act.ts'
import { kubernetesLook, kubernetesPolicies } from '#streams/cloud/kubernetes/object/look.ts'
import { kubernetesSamples } from '#streams/cloud/kubernetes/usage/measure.ts'
import { childrenIn, clusterOfChild, withCluster, type ClusterOptions } from '#streams/cloud/aws/cluster/cluster.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { awsDoing } from './operations.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { openAnew, openAws } from '#streams/cloud/aws/session/open.ts'
import { organizationOf } from '#streams/cloud/aws/permission/organization.ts'
import { memberRole } from '#streams/cloud/aws/permission/role.ts'
import { awsUsage } from '#streams/cloud/aws/cluster/usage.ts'
import { database, describe, provision, provisions, unprovision } from './provision/index.ts'
import { verifyAws } from '#streams/cloud/aws/permission/verify/verify.ts'

export function awsCloud(options: ClusterOptions): Connector {
  const doing = awsDoing(options)
  const open = (account: CloudAccount, signal?: AbortSignal) => openAws(account, options, signal)
  return {
    ...doing,
    driver: 'real',
    verify: verifyAws({ open: (account) => openAnew(account, options) }),
    organization: {
      list: (account, { withTags }, signal) => organizationOf(options, account, withTags, signal),
      credentialsFor: (account, externalId, roleName) => memberRole(roleOf(account), externalId, roleName),
    },
    discover: discoverAws({ open, childrenOf: childrenIn(options) }),
    measure: (account, resources, from, to, stepSeconds) =>
      measureResources(options, doing, account, { resources, from, to, stepSeconds }),
    usage: (account, at, signal) => awsUsage(options, account, at, signal),
    act: async (account, action) => {
      const cluster = clusterOfChild(action.resource)
      if (cluster === undefined) return doing.act(account, action)
      return withCluster(options, account, cluster, (api) => kubernetesAct(api, action))
    },
    look: async (account, resource) => {
      const cluster = clusterOfChild(resource)
      if (cluster === undefined) return doing.look(account, resource)
      return withCluster(options, account, cluster, (api) => kubernetesLook(api, resource))
    },
    policies: async (account, resource) => {
      const cluster = clusterOfChild(resource)
      if (cluster === undefined) return doing.policies(account, resource)
      return withCluster(options, account, cluster, (api) => kubernetesPolicies(api, resource))
    },
    provisions,
    provision: (account, request) => provision(options, account, request),
    unprovision: (account, request) => unprovision(options, account, request),
    describe: (account, request) => describe(options, account, request),
    createDatabase: (_, request) => database(request),
    dropDatabase: (_, request) => database(request),
  }
}

interface MeasureRequest {
  resources: readonly ResourceRef[]
  from: Date
  to: Date
  stepSeconds: number | undefined
}

/** Clusters only know current values. A cluster that cannot be queried delays neither other clusters nor CloudWatch. */
async function* measureResources(
  options: ClusterOptions,
  doing: Pick<Connector, 'measure'>,
  account: CloudAccount,
  { resources, from, to, stepSeconds }: MeasureRequest,
): AsyncGenerator<MetricSamples> {
  const byCluster = Map.groupBy(resources, (ref) => clusterOfChild(ref))
  const own = byCluster.get(undefined) ?? []
  if (own.length > 0) yield* doing.measure(account, own, from, to, stepSeconds)
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
