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
    /** Whose it is, by user id: whoever made it. */
    ownerId: p.text(),
    /** Who sees it: the owner alone, by user id, or everybody; empty for everybody. Names are of one kind within it. */
    holder: p.text(),
    /** 1 to 100 characters. */
    name: p.text(),
    /** A view of the console. */
    view: p.text(),
    /** The parameters of its address, without the question mark; 8 kB at most. */
    query: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'saved_view_name', properties: ['orgId', 'holder', 'name'] }],
})

/** A view of the console under a name. Written only by actors/saved-view/change.ts. */
export class SavedView extends view.class {}
view.setClass(SavedView)

export const cadences = ['week', 'month'] as const

/** An address that is told. */
export interface ReportRecipient {
  /** In lower case. */
  email: string
  /** Not of a member: an administrator has put it there. */
  isOutside: boolean
}

/** What became of a mail: `left` is that of a member who is none any more. */
export const mailStates = ['waiting', 'sent', 'failed', 'left', 'unsubscribed'] as const
export type MailState = (typeof mailStates)[number]

/** What became of one due moment. */
export interface LastReport {
  /** ISO 8601. */
  dueAt: string
  /** When it was made, ISO 8601. */
  at: string
  /** Why nothing was sent; empty where it was. */
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
    viewId: p.text(),
    /** By whose rights the figures are, by user id. */
    ownerId: p.text(),
    every: p.enum(cadences),
    /** Of weeks, 1 is Monday; of months 1. */
    weekday: p.integer(),
    /** Of the month, 1 to 28; of weeks 1. */
    day: p.integer(),
    /** On the clock of the zone. */
    hour: p.integer(),
    /** IANA zone. */
    timezone: p.text(),
    recipients: p.json<ReportRecipient[]>(),
    /** Addresses that said to get no more of it; they stay, whoever puts them back. */
    unsubscribed: p.json<string[]>(),
    isOn: p.boolean(),
    /** Null while it is off. */
    nextDueAt: p.datetime(3).nullable(),
    last: p.json<LastReport>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ properties: ['orgId', 'viewId'] }, { properties: ['orgId', 'nextDueAt'] }],
})

/** When a saved view is mailed, and to whom. Written only by actors/saved-view/change.ts and sending.ts beside it. */
export class ReportSchedule extends schedule.class {}
schedule.setClass(ReportSchedule)
