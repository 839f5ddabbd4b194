/** What a saved view says when it is mailed, whoever makes it. */
import type { Mail } from '#streams/delivery/email.ts'

/** A report by the rights that a person has at this moment. */
export interface ReportAsked {
  orgId: string
  /** By whose rights. */
  ownerId: string
  /** A view of the console under a name, with the parameters of its address. */
  view: { readonly name: string; readonly view: string; readonly query: string }
}

/** The mail but for its receiver: `unsubscribe` is the link by which they get no more of it, left out where there is none. */
export type ReportMail = (unsubscribe?: string) => Omit<Mail, 'to'>

/** `refused` says why the person may not have it, for people to read. */
export type ReportMade = { mail: ReportMail } | { refused: string }

/** @throws Fault `transient` while a store does not answer, `invalid` or `missing` where the view asks for what cannot be */
export type ReportMaker = (asked: ReportAsked) => Promise<ReportMade>
