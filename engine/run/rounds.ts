interface Waiting<T> {
  one: T
  done: () => void
  failed: (error: unknown) => void
}

/** Of one round. */
const togetherMax = 500

/**
 * Joins what many ask for of one thing where asking for all costs about as much as asking for one: what comes while a round of it
 * is under way goes together in the next, so nobody is answered by what was read before they asked.
 */
export class Rounds<T> {
  private readonly run: (all: readonly T[]) => Promise<void>
  /** By key, while a round of it is under way. */
  private readonly waiting = new Map<string, Waiting<T>[]>()

  /** `run` is given those of one key, in the order in which they came. */
  constructor(run: (all: readonly T[]) => Promise<void>) {
    this.run = run
  }

  /** Resolves or fails as the round does that `one` was in. */
  ask(key: string, one: T): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>()
    const queue = this.waiting.get(key)
    if (queue) queue.push({ one, done, failed })
    else void this.go(key, [{ one, done, failed }])
    return promise
  }

  /** Whatever becomes of a round, those behind it have theirs. */
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
