import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { AnomalyReview } from '#streams/anomaly.ts'
import type { NotificationEvent } from '#streams/notification/messages.ts'

/** What is remembered of an anomaly that was stored, by its day. Times are ISO 8601. */
export interface StoredAnomaly {
  date: string
  actual: number
  suppressed: boolean
  /** When people were to be told; null: they were not. Left out by earlier versions, which told at `notifiedAt`. */
  toldAt?: string | null
  /** When a receiver first accepted a message that tells of it; null: none has. */
  notifiedAt: string | null
  createdAt: string
  origin: 'daily' | 'running'
  review?: AnomalyReview
  /** Was expected at some time: nobody is told of it any more. */
  wasExpected?: true
  /** Did not last. Is kept for what was told or said of it, for the day that it is found again. */
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
    /** The newest 400, by day. */
    stored: p.json<StoredAnomaly[]>().defaultRaw(`'[]'`),
  },
})

/** The anomalies of one dimension of cost, as far as later ones are compared with them. Written only by the anomaly actor. */
export class AnomalySeries extends schema.class {}
schema.setClass(AnomalySeries)

/** One anomaly of a story, as it reported. */
interface ReportedRow {
  /** `<type>|<key>`. */
  row: string
  /** The first leads. */
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
    /** Those that reported and were not told yet. */
    rows: p.json<ReportedRow[]>(),
    told: p.json<NotificationEvent[]>(),
  },
})

/** Anomalies of a day with one cause, until two days after people were told. Written only by the story actor. */
export class AnomalyStory extends story.class {}
story.setClass(AnomalyStory)
