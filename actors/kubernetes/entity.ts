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
    /** As whoever tells of it calls it; empty: nobody has said. */
    name: p.text().default(''),
    /** The first interval that was ever told began then. */
    firstAt: p.datetime(3).nullable(),
    /** The newest that was told ends then. */
    lastAt: p.datetime(3).nullable(),
    /** Days whose costs are still to be divided by what has come, YYYY-MM-DD. */
    dueDays: p.json<string[]>(),
  },
})

/** What is known of who uses a cluster. Written only by the kubernetes actor. */
export class KubernetesCluster extends cluster.class {}
cluster.setClass(KubernetesCluster)
