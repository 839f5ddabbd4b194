/** The Azure connector, including the clusters in Azure. */
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { cloudFault, type CloudAccount, type Connector } from '#streams/cloud/connector.ts'
import { inClusters } from '#streams/cloud/kubernetes/in-clusters.ts'
import { verbRepeats } from '#streams/cloud/resource/verb/carry-out.ts'
import { access } from '#streams/cloud/azure/session/access.ts'
import { act, look } from '#streams/cloud/azure/act/act.ts'
import { bill } from '#streams/cloud/azure/bill/bill.ts'
import { childrenIn, clusterOfChild, withCluster, type ClusterOptions } from '#streams/cloud/azure/cluster/cluster.ts'
import { discoverAzure } from '#streams/cloud/azure/discover/discover.ts'
import { measure } from '#streams/cloud/azure/measure/measure.ts'
import { readAzurePrices } from './price.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { createDatabase, dropDatabase } from './provision/database.ts'
import { describe, provision, provisions, unprovision } from './provision/index.ts'
import { quotas } from '#streams/cloud/azure/scaling/quota.ts'
import { applicationOf, subscriptionsOf } from '#streams/cloud/azure/permission/organization.ts'
import { policies, replacePolicies } from '#streams/cloud/azure/scaling/policy.ts'
import { azureUsage } from '#streams/cloud/azure/cluster/usage.ts'
import { verifyAzure } from '#streams/cloud/azure/permission/verify.ts'
import { blobStore } from './object-store.ts'

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
    objects: (account, place, signal) => blobStore(options, account, place, signal),
    prices: (account, regions, signal) => readAzurePrices(options, account, regions, signal),
    usage: (account, at, signal) => azureUsage(options, account, at, signal),
    bill: (account, from, to, refusals = new BillRefusals(), lines) =>
      bill(options, account, { from, to, refusals, lines }),
    repeats: { ...verbRepeats, pause: 'natural', replacePolicies: 'natural' },
    ...inClusters(
      {
        act: (account, action) => act(options, account, action),
        look: (account, ref) => look(options, account, ref),
        policies: (account, ref) => policies(options, account, ref),
        measure: (account, resources, from, to, stepSeconds) =>
          measure(options, account, resources, from, to, stepSeconds, options.clock.now()),
      },
      {
        clusterOfChild,
        withCluster: (account, cluster, work) => withCluster(options, account, cluster, work),
      },
    ),
    access: (account, resource) => access(options, account, resource),
    replacePolicies: (account, resource, replacement) => replacePolicies(options, account, resource, replacement),
    quotas: (account, resource) => quotas(options, account, resource),
    // Azure itself scales the sets of machines, so no infrastructure of ours is needed.
    infrastructureFor: [],
    createInfrastructure: async () => {
      throw cloudFault('user_action', 'unsupported_action', 'Autoscaler policies in Azure need no infrastructure.')
    },
    provisions,
    provision: (account, request) => provision(options, account, request),
    unprovision: (account, request) => unprovision(options, account, request),
    describe: (account, request) => describe(options, account, request),
    createDatabase: (_account, request) => createDatabase(options, request),
    dropDatabase: (_account, request) => dropDatabase(options, request),
  }
}
