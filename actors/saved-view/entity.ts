import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const view = defineEntity({
  name: 'SavedView',
  tableName: 'saved_view',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** User id of the person who created it. */
    ownerId: p.text(),
    /** Who can see it: a user id for its owner only, empty for everybody. Names are unique within it. */
    holder: p.text(),
    /** 1 to 100 characters. */
    name: p.text(),
    /** A view of the console. */
    view: p.text(),
    /** The query of its address, without the question mark; at most 8 kB. */
    query: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'saved_view_name', properties: ['orgId', 'holder', 'name'] }],
})

/** A named view of the console. Written only by actors/saved-view/change.ts. */
export class SavedView extends view.class {}
view.setClass(SavedView)

export const cadences = ['week', 'month'] as const

/** A recipient of the mail. */
export interface ReportRecipient {
  /** In lower case. */
  email: string
  /** Not a member's address: an administrator added it. */
  isOutside: boolean
}

/** State of a mail; `left`: the recipient is no longer a member. */
export const mailStates = ['waiting', 'sent', 'failed', 'left', 'unsubscribed'] as const
export type MailState = (typeof mailStates)[number]

/** The outcome of one due time. */
export interface LastReport {
  /** ISO 8601. */
  dueAt: string
  /** When the report was created, ISO 8601. */
  at: string
  /** Why nothing was sent; empty if it was. */
  reason: string
  mails: { email: string; state: MailState; message: string }[]
}

const schedule = defineEntity({
  name: 'ReportSchedule',
  tableName: 'report_schedule',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** The saved view or the dashboard that is mailed. */
    subjectId: p.text().fieldName('view_id'),
    /** User id; the report has what this person may see. */
    ownerId: p.text(),
    every: p.enum(cadences),
    /** For weekly reports, 1 is Monday; otherwise 1. */
    weekday: p.integer(),
    /** For monthly reports, 1 to 28; otherwise 1. */
    day: p.integer(),
    /** In the time zone. */
    hour: p.integer(),
    /** IANA time zone. */
    timezone: p.text(),
    recipients: p.json<ReportRecipient[]>(),
    /** Addresses that unsubscribed; they stay so, even if added again. */
    unsubscribed: p.json<string[]>(),
    isOn: p.boolean(),
    /** Null while disabled. */
    nextDueAt: p.datetime(3).nullable(),
    last: p.json<LastReport>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'subjectId'] }, { properties: ['orgId', 'nextDueAt'] }],
})

/** When a saved view or a dashboard is mailed, and to whom. Written only by actors/saved-view/change.ts and sending.ts. */
export class ReportSchedule extends schedule.class {}
schedule.setClass(ReportSchedule)
