import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { AnomalyReview } from '#streams/anomaly.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'

/** A stored anomaly of one day, as far as the actor remembers it. Times are ISO 8601. */
export interface StoredAnomaly {
  date: string
  actual: number
  suppressed: boolean
  /**
   * When people were to be notified; null: they were not. Missing in rows of earlier versions, which notified at
   * `notifiedAt`.
   */
  toldAt?: string | null
  /** When a receiver first accepted a notification about it; null: none has yet. */
  notifiedAt: string | null
  createdAt: string
  origin: 'daily' | 'running'
  review?: AnomalyReview
  /** It was marked as expected at some time: nobody is notified any more. */
  wasExpected?: true
  /** It did not last. Kept because people were notified or reviewed it, in case the day is found again. */
  withdrawn?: true
}

const schema = defineEntity({
  name: 'AnomalySeries',
  tableName: 'anomaly_series',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** `<type>|<key>`. */
    key: p.text().primary(),
    /** By day, oldest first; at most the newest 400. */
    stored: p.json<StoredAnomaly[]>().defaultRaw(`'[]'`),
  },
})

/** The anomalies of one dimension of cost that later ones are compared with. Written only by the anomaly actor. */
export class AnomalySeries extends schema.class {}
schema.setClass(AnomalySeries)

/** One anomaly of a story. */
interface ReportedRow {
  /** `<type>|<key>`. */
  row: string
  /** Position in the story: 0 is the anomaly that the notice is about. */
  place: number
  /** Null: nobody is to be notified of it. */
  event: NotificationEvent | null
}

const story = defineEntity({
  name: 'AnomalyStory',
  tableName: 'anomaly_story',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** `<date>|<part>|<cause>`. */
    key: p.text().primary(),
    /** Anomalies that have reported but whose notice has not been raised yet. */
    rows: p.json<ReportedRow[]>(),
    told: p.json<NotificationEvent[]>(),
  },
})

/** Anomalies of a day with one cause; kept until two days after the notice. Written only by the story actor. */
export class AnomalyStory extends story.class {}
story.setClass(AnomalyStory)
