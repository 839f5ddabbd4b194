/** Reads several sources at the same time as one. */

type Step<T> = { from: AsyncIterator<T>; result: IteratorResult<T> }

/**
 * Yields items of all sources as they come. `atOnce` sources are read at a time, in their order, with at most one item
 * of each waiting. If one throws, or the caller stops reading, the others are ended.
 */
export async function* mergeConcurrently<T>(sources: readonly AsyncIterable<T>[], atOnce: number): AsyncGenerator<T> {
  const waiting = sources.values()
  const running = new Map<AsyncIterator<T>, Promise<Step<T>>>()
  const step = (from: AsyncIterator<T>) => {
    const next = from.next().then((result) => ({ from, result }))
    // It may fail while another item is being processed; the error is thrown when the caller asks for more.
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

/** Runs `work` for each item, `atOnce` at a time; results are in the order of items. */
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

/** Lists of at most `size` items. */
export const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
