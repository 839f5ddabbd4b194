interface Waiting<T> {
  one: T
  done: () => void
  failed: (error: unknown) => void
}

/** Maximum per round. */
const togetherMax = 500

/**
 * Groups requests that can be answered together at about the cost of one. Requests that arrive during a round are
 * answered together in the next one, so no request gets data that was read before it arrived.
 */
export class Rounds<T> {
  private readonly run: (all: readonly T[]) => Promise<void>
  /** By key, while a round runs. */
  private readonly waiting = new Map<string, Waiting<T>[]>()

  /** `run` gets the requests of one key in the order of arrival. */
  constructor(run: (all: readonly T[]) => Promise<void>) {
    this.run = run
  }

  /** Resolves or rejects with the round that contained `one`. */
  ask(key: string, one: T): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>()
    const queue = this.waiting.get(key)
    if (queue) queue.push({ one, done, failed })
    else void this.go(key, [{ one, done, failed }])
    return promise
  }

  /** If a round fails, later rounds still run. */
  private async go(key: string, queue: Waiting<T>[]): Promise<void> {
    this.waiting.set(key, queue)
    while (queue.length > 0) {
      const round = queue.splice(0, togetherMax)
      try {
        await this.run(round.map(({ one }) => one))
        for (const { done } of round) done()
      } catch (error) {
        for (const { failed } of round) failed(error)
      }
    }
    this.waiting.delete(key)
  }
}
