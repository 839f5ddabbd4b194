/** What became of one try to tell somebody. */
export interface DeliveryOutcome {
  /** `retry`: the same may be accepted later; `final`: it will not. */
  outcome: 'delivered' | 'retry' | 'final'
  /** The receiver's status; 0 without an answer. Mail has none: 0. */
  responseStatus: number
  /** Why not, for people; empty when it was delivered. Holds no address and nothing of the receiver's answer but its status. */
  message: string
  /** What the receiver asked for. */
  retryAfterMs?: number
}
