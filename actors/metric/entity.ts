import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const schema = defineEntity({
  name: 'MetricCollection',
  tableName: 'metric_collection',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    /**
     * Start of the time whose samples have been fetched without a gap; `through` is its end. Null before the first
     * fetch.
     */
    begunAt: p.datetime(3).nullable(),
    through: p.datetime(3).nullable(),
    /**
     * When the list of resources was read for which everything was fetched; resources discovered later were fetched
     * from then on.
     */
    askedAt: p.datetime(3).nullable(),
    /** By resource type: metrics that the cloud has ever sent, with the names that samples use. */
    fetched: p.json<Record<string, string[]>>().defaultRaw(`'{}'`),
  },
})

/** How far the metrics of one account have been fetched from its cloud. Written only by the metric-collection actor. */
export class MetricCollection extends schema.class {}
schema.setClass(MetricCollection)
