import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const cluster = defineEntity({
  name: 'KubernetesCluster',
  tableName: 'kubernetes_cluster',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    uid: p.text().primary(),
    /** As reported; empty if no report names it. */
    name: p.text().default(''),
    /** Start of the first reported interval. */
    firstAt: p.datetime(3).nullable(),
    /** End of the newest reported interval. */
    lastAt: p.datetime(3).nullable(),
    /** Days whose costs still have to be divided by reported usage, YYYY-MM-DD. */
    dueDays: p.json<string[]>(),
  },
})

/** What is known of the reported usage of a cluster. Written only by the kubernetes actor. */
export class KubernetesCluster extends cluster.class {}
cluster.setClass(KubernetesCluster)
