import { CommitmentPool } from '#streams/billing/format/gcp/commitment-pool.ts'
import { DayOrders, type DayOrder } from './day-order.ts'

/** What only the whole of a bill says: its files are read once for that, before their lines are. */
export class Survey {
  readonly days = new DayOrders()
  readonly commitments = new CommitmentPool()
  /** Some line says what it costs after negotiated discounts: then lines of discounts say it a second time. */
  hasNet = false
  /** Of Azure, as rows are read: what only actual costs have, and what only amortized costs have. */
  readonly azure = { hasPurchases: false, hasUse: false }
  /** Of the first file that is read. */
  format: string | undefined
  /** As it was asked for, or as the dates say. */
  order: DayOrder | undefined
}
