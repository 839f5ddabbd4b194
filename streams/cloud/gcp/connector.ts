/** The Google Cloud connector, including the clusters in Google Cloud. */
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { cloudFault, type CloudAccount, type Connector } from '#streams/cloud/connector.ts'
import { inClusters } from '#streams/cloud/kubernetes/in-clusters.ts'
import { verbRepeats } from '#streams/cloud/resource/verb/carry-out.ts'
import { access } from '#streams/cloud/gcp/session/access.ts'
import { act, look } from '#streams/cloud/gcp/act/act.ts'
import { bill } from '#streams/cloud/gcp/bill/bill.ts'
import { childrenIn, clusterOfChild, withCluster, type ClusterOptions } from '#streams/cloud/gcp/cluster/cluster.ts'
import { discoverGcp } from '#streams/cloud/gcp/discover/discover.ts'
import { measure } from '#streams/cloud/gcp/measure/measure.ts'
import { readGcpPrices } from './list-price.ts'
import { policies, quotas, replacePolicies } from './scaling-policy.ts'
import { createDatabase, dropDatabase } from './provision/database.ts'
import { describe, provision, provisions, unprovision } from './provision/index.ts'
import { projectsOf, serviceAccountOf } from '#streams/cloud/gcp/permission/organization.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import { gcpUsage } from '#streams/cloud/gcp/cluster/usage.ts'
import { verifyGcp } from '#streams/cloud/gcp/permission/verify.ts'
import { gcsStore } from './object-store.ts'

export type { ClusterOptions as GcpCloudOptions } from '#streams/cloud/gcp/cluster/cluster.ts'

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
    objects: (account, place, signal) => gcsStore(options, account, place, signal),
    prices: (account, regions, signal) => readGcpPrices(open, account, regions, signal),
    usage: (account, at, signal) => gcpUsage(options, account, at, signal),
    bill: (account, from, to, refusals = new BillRefusals()) => bill(options, account, { from, to, refusals }),
    ...inClusters(
      {
        act: (account, action) => act(options, account, action),
        look: (account, ref) => look(options, account, ref),
        policies: (account, ref) => policies(options, account, ref),
        measure: (account, resources, from, to, stepSeconds) =>
          measure(options, account, resources, from, to, stepSeconds),
      },
      {
        clusterOfChild,
        withCluster: (account, cluster, work) => withCluster(options, account, cluster, work),
      },
    ),
    repeats: { ...verbRepeats, replacePolicies: 'natural' },
    access: (account, resource) => access(options, account, resource),
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
    provisions,
    provision: (account, request) => provision(options, account, request),
    unprovision: (account, request) => unprovision(options, account, request),
    describe: (account, request) => describe(options, account, request),
    createDatabase: (account, request) => createDatabase(options, account, request),
    dropDatabase: (account, request) => dropDatabase(options, account, request),
  }
}
