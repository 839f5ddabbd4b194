/** A channel to people: chats, mail. One file each, listed in `index.ts`. */
export interface Channel<M = unknown> {
  /**
   * Delivers with an id by which a receiver can recognize a repeat, if it supports that.
   * @throws any error that prevented the delivery: it is retried
   */
  send: (message: M, id: string) => Promise<void>
}
