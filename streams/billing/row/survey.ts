import { CommitmentPool } from '#streams/billing/format/gcp/commitment-pool.ts'
import { DayOrders, type DayOrder } from './day-order.ts'

/** What depends on the whole bill. Its files are read once for it before their lines are read. */
export class Survey {
  readonly days = new DayOrders()
  readonly commitments = new CommitmentPool()
  /** Some line has a cost after negotiated discounts; the lines of discounts then repeat them. */
  hasNet = false
  /** Azure only: whether rows so far had what only actual costs have, and what only amortized costs have. */
  readonly azure = { hasPurchases: false, hasUse: false }
  /** Format of the first file. */
  format: string | undefined
  /** As requested, or as found from the dates. */
  order: DayOrder | undefined
}
