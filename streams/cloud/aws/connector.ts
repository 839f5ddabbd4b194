/** The AWS connector, including the clusters in AWS. */
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'
import { inClusters } from '#streams/cloud/kubernetes/in-clusters.ts'
import { verbRepeats } from '#streams/cloud/resource/verb/carry-out.ts'
import { act, look } from '#streams/cloud/aws/act/act.ts'
import { bill } from '#streams/cloud/aws/bill/bill.ts'
import { childrenIn, clusterOfChild, withCluster, type ClusterOptions } from '#streams/cloud/aws/cluster/cluster.ts'
import { awsUsage } from '#streams/cloud/aws/cluster/usage.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { measure } from '#streams/cloud/aws/measure/measure.ts'
import { organizationOf } from '#streams/cloud/aws/permission/organization.ts'
import { memberRole } from '#streams/cloud/aws/permission/role.ts'
import { verifyAws } from '#streams/cloud/aws/permission/verify/verify.ts'
import { createInfrastructure, infrastructureFor } from '#streams/cloud/aws/scaling/infrastructure.ts'
import { policies, replacePolicies } from '#streams/cloud/aws/scaling/policy.ts'
import { quotas } from '#streams/cloud/aws/scaling/quota.ts'
import { readAwsPrices } from '#streams/cloud/aws/price/prices.ts'
import { access } from '#streams/cloud/aws/session/access.ts'
import { roleOf } from '#streams/cloud/aws/session/credentials.ts'
import { openAnew, openAws } from '#streams/cloud/aws/session/open.ts'
import { createDatabase, dropDatabase, type DatabaseTools } from './provision/database.ts'
import { describe, provision, provisions, unprovision } from './provision/index.ts'

export function awsCloud(options: ClusterOptions & DatabaseTools): Connector {
  const open = (account: CloudAccount, signal?: AbortSignal) => openAws(account, options, signal)
  return {
    driver: 'real',
    verify: verifyAws({ open: (account) => openAnew(account, options) }),
    organization: {
      list: (account, { withTags }, signal) => organizationOf(options, account, withTags, signal),
      credentialsFor: (account, externalId, roleName) => memberRole(roleOf(account), externalId, roleName),
    },
    discover: discoverAws({ open, childrenOf: childrenIn(options) }),
    prices: (account, regions, signal) => readAwsPrices(open, account, regions, signal),
    usage: (account, at, signal) => awsUsage(options, account, at, signal),
    bill: (account, from, to, refusals = new BillRefusals(), lines) =>
      bill(options, account, { from, to, refusals, lines }),
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
    repeats: { ...verbRepeats, replacePolicies: 'natural', createInfrastructure: 'natural' },
    access: (account, resource) => access(options, account, resource),
    replacePolicies: (account, resource, replacement) => replacePolicies(options, account, resource, replacement),
    quotas: (account, resource) => quotas(options, account, resource),
    infrastructureFor,
    createInfrastructure: (account) => createInfrastructure(options, account),
    provisions,
    provision: (account, request) => provision(options, account, request),
    unprovision: (account, request) => unprovision(options, account, request),
    describe: (account, request) => describe(options, account, request),
    createDatabase: (account, request) => createDatabase(options, account, request),
    dropDatabase: (account, request) => dropDatabase(options, account, request),
  }
}
