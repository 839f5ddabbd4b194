/** Result of one delivery try. */
export interface DeliveryOutcome {
  /** `retry`: may be accepted later; `final`: will not. */
  outcome: 'delivered' | 'retry' | 'final'
  /** The receiver's HTTP status; 0 without an answer, and for mail. */
  responseStatus: number
  /**
   * Reason of a failure, for people; empty if delivered. Contains no address, and nothing of the answer except its
   * status.
   */
  message: string
  /** Requested by the receiver. */
  retryAfterMs?: number
}
