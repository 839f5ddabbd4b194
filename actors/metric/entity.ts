import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const schema = defineEntity({
  name: 'MetricCollection',
  tableName: 'metric_collection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /** Samples of the time between both have been fetched, without a gap; null before the first. */
    begunAt: p.datetime(3).nullable(),
    through: p.datetime(3).nullable(),
    /** When the resources were read that were fetched from the beginning on; those that came later were from then on. */
    askedAt: p.datetime(3).nullable(),
    /** By type of resource the metrics that the cloud has ever sent, under the names that samples have. */
    fetched: p.json<Record<string, string[]>>().defaultRaw(`'{}'`),
  },
})

/** How far the metrics of one account were fetched from its cloud. Written only by the metric-collection actor. */
export class MetricCollection extends schema.class {}
schema.setClass(MetricCollection)
