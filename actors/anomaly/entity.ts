import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/policy.ts'

/** What is remembered of an anomaly that was stored, by its day. */
export interface Stored {
  date: string
  actual: number
  suppressed: boolean
  /** ISO 8601; null: nobody was told. */
  notifiedAt: string | null
  createdAt: string
  origin: 'daily' | 'running'
}

const schema = defineEntity({
  name: 'AnomalySeries',
  tableName: 'anomaly_series',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** `<type>|<key>`. */
    key: p.text().primary(),
    /** Of the last 400 days, by day. */
    stored: p.json<Stored[]>().defaultRaw(`'[]'`),
  },
})

/** The anomalies of one dimension of cost, as far as later ones are compared with them. Written only by the anomaly actor. */
export class AnomalySeries extends schema.class {}
schema.setClass(AnomalySeries)
