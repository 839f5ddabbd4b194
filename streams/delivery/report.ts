/** Types for mailing saved views, independent of who makes the mails. */
import type { Mail } from '#streams/delivery/email.ts'

/** A report with the rights that a person has at this moment. */
export interface ReportAsked {
  orgId: string
  /** The person whose rights apply. */
  ownerId: string
  /** A named view of the console with its parameters. */
  view: { readonly name: string; readonly view: string; readonly query: string }
}

/** The mail without its receiver. `unsubscribe` is the receiver's link; missing if there is none. */
export type ReportMail = (unsubscribe?: string) => Omit<Mail, 'to'>

/** `refused` is the reason for people why the report is not permitted. */
export type ReportMade = { mail: ReportMail } | { refused: string }

/** @throws Fault `transient` if a store does not answer, `invalid` or `missing` if the view cannot be shown */
export type ReportMaker = (asked: ReportAsked) => Promise<ReportMade>
