import type { Bill, BillDay } from '#analytics/billing/bill.ts'
import type { NamedBill, RepeatedBill } from '#analytics/billing/repeat.ts'
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
  /** Whether reports show the bills of an account as they stand: no day of it waits to be added up. */
  isSummed: (cloudAccountId: string) => Promise<boolean>
  /** What is stored of exports of an account, by day. */
  count: (cloudAccountId: string, bills: readonly Bill[]) => Promise<BillDay[]>
  /** What is stored of billing periods from before exports were known. */
  countOld: (cloudAccountId: string, periods: readonly string[]) => Promise<BillDay[]>
  /** The other account whose bill has most of what a bill names, if there is one. */
  repeated: (bill: NamedBill) => Promise<RepeatedBill | undefined>
  /** Of the body of an upload. */
  bytesMax: number
}
