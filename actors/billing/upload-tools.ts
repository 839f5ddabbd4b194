import type { Bill, BillDay } from '#analytics/billing/bill.ts'
import type { NamedBill, RepeatedBill } from '#analytics/billing/repeated-bill.ts'
import type { BillingLine } from '#streams/billing/messages.ts'

/** The newest sequence that was written of each lane. */
export type Lanes = ReadonlyMap<number, number>

/** How lines of bills of one organization are sent. */
export interface LineSender {
  /** Waits while too much is on its way. */
  send: (line: BillingLine) => Promise<void>
  /** Resolves once all is durable. */
  end: () => Promise<Lanes>
}

/** What bills of one organization are sent with, and what is stored of them. */
export interface BillTools {
  sender: () => LineSender
  /** Whether what was written has been read; looks again until it has, or `waitMs` are over. */
  hasRead: (lanes: Lanes, waitMs: number) => Promise<boolean>
  /** The newest sequences of all lanes once messages that were told are published; undefined while one is not. */
  endsAfter: (messageIds: readonly string[]) => Promise<Lanes | undefined>
  /** Why one of the messages was dead-lettered; undefined where none was. */
  deadLettered: (messageIds: readonly string[]) => Promise<string | undefined>
  /** The newest generation: sums that are begun from now on see all that is there. */
  generation: () => Promise<string>
  /**
   * Whether reports show the bills of an account as they stood at the generation `since`: no day of it waits to be added up, or those that
   * do, since more keeps coming, have been since then.
   */
  isSummed: (cloudAccountId: string, since?: string) => Promise<boolean>
  /** What is stored of exports of an account, by day. */
  count: (cloudAccountId: string, bills: readonly Bill[]) => Promise<BillDay[]>
  /** What is stored of billing periods from before exports were known. */
  countOld: (cloudAccountId: string, periods: readonly string[]) => Promise<BillDay[]>
  /** The other account whose bill has most of what a bill names, if there is one. */
  repeated: (bill: NamedBill) => Promise<RepeatedBill | undefined>
  /** Of the body of an upload. */
  bytesMax: number
}
