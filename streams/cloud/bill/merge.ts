/** Many sources read at once as one. */

type Step<T> = { from: AsyncIterator<T>; result: IteratorResult<T> }

/**
 * What the sources yield, as it comes: so many are read at once, and of each no more than one item waits to be taken. They begin in
 * their order. When one throws, or nobody reads on, the others are ended.
 */
export async function* mergeConcurrently<T>(sources: readonly AsyncIterable<T>[], atOnce: number): AsyncGenerator<T> {
  const waiting = sources.values()
  const running = new Map<AsyncIterator<T>, Promise<Step<T>>>()
  const step = (from: AsyncIterator<T>) => {
    const next = from.next().then((result) => ({ from, result }))
    // It may fail while the reader is busy with another: it is heard of when the reader comes for more.
    next.catch(() => {})
    running.set(from, next)
  }
  const begin = () => {
    const { value } = waiting.next()
    if (value) step(value[Symbol.asyncIterator]())
  }
  for (let i = 0; i < atOnce; i++) begin()
  try {
    while (running.size > 0) {
      const { from, result } = await Promise.race(running.values())
      if (result.done) {
        running.delete(from)
        begin()
        continue
      }
      step(from)
      yield result.value
    }
  } finally {
    const left = [...running]
    await Promise.allSettled(left.map(([from, next]) => next.finally(() => from.return?.())))
  }
}

/** `work` of each item, so many at once; answers in the order of the items. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = Array.from({ length: items.length })
  const left = items.entries()
  const worker = async () => {
    for (const [index, item] of left) answers[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return answers
}

/** In lists of at most `size`. */
export const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
