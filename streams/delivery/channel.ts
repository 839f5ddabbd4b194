/** A way to reach people outside: chats, mail. One file each, listed in `index.ts`. */
export interface Channel<M = unknown> {
  /**
   * Delivers under an id, so that a repeat is known as one where the far side can tell.
   * @throws whatever kept it from being delivered: it is tried again
   */
  send: (message: M, id: string) => Promise<void>
}
