import type { Bill, BillDay } from '#analytics/billing/bill.ts'
import type { NamedBill, RepeatedBill } from '#analytics/billing/repeated-bill.ts'
import type { LineStore, StoredExport } from './line-store.ts'

/** The highest sequence written, by lane. */
export type Lanes = ReadonlyMap<number, number>

/** Stores bill lines of one export. */
interface UploadStore {
  lines: LineStore
  /** Resolves once all is durable. */
  end: () => Promise<Lanes>
}

/** What uploads of one organization need: storing lines, and reading what is stored of them. */
export interface BillTools {
  store: (bill: Omit<StoredExport, 'orgId'>) => UploadStore
  /** Whether the lanes have processed these sequences; checks again until they have, or `waitMs` have passed. */
  hasRead: (lanes: Lanes, waitMs: number) => Promise<boolean>
  /** The highest sequence of each lane once these outgoing messages are published; undefined while one is not. */
  endsAfter: (messageIds: readonly string[]) => Promise<Lanes | undefined>
  /** Why one of the messages was dead-lettered; undefined if none was. */
  deadLettered: (messageIds: readonly string[]) => Promise<string | undefined>
  /** The newest generation: sums started from now on include everything stored so far. */
  generation: () => Promise<string>
  /**
   * Whether reports show the account's bills as of generation `since`: none of its days waits to be recomputed, or,
   * because lines keep arriving, each waiting day has been recomputed since then.
   */
  isSummed: (cloudAccountId: string, since?: string) => Promise<boolean>
  /** What is stored of exports of an account, by day. */
  count: (cloudAccountId: string, bills: readonly Bill[]) => Promise<BillDay[]>
  /** What is stored of billing periods from before exports were known, by day. */
  countOld: (cloudAccountId: string, periods: readonly string[]) => Promise<BillDay[]>
  /** The bill of another account that has most of what this bill names, if there is one. */
  repeated: (bill: NamedBill) => Promise<RepeatedBill | undefined>
  /** Maximum bytes of the body of an upload. */
  bytesMax: number
}
