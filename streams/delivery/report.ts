/** Types for mailing saved views and dashboards, independent of who makes the mails. */
import type { Mail } from '#streams/delivery/email.ts'

/** A report with the rights that a person has at this moment. */
export interface ReportAsked {
  orgId: string
  /** The person whose rights apply. */
  ownerId: string
  report: ReportSubject
}

/** A named view of the console with its parameters. */
export interface ReportView {
  readonly name: string
  readonly view: string
  readonly query: string
}

/** A dashboard, with those of its views that the person can see. */
export interface ReportDashboard {
  readonly name: string
  readonly id: string
  readonly views: readonly ReportView[]
}

export type ReportSubject = ReportView | ReportDashboard

/** The mail without its receiver. `unsubscribe` is the receiver's link; missing if there is none. */
export type ReportMail = (unsubscribe?: string) => Omit<Mail, 'to'>

/** `refused` is the reason for people why the report is not permitted. */
export type ReportMade = { mail: ReportMail } | { refused: string }

/** @throws Fault `transient` if a store does not answer, `invalid` or `missing` if the view cannot be shown */
export type ReportMaker = (asked: ReportAsked) => Promise<ReportMade>
