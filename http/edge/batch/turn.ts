/** Runs work on each item, `atOnce` at a time in their order, and yields the results as they are ready. */
export async function* runInTurn<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R> {
  const running = new Map<number, Promise<{ index: number; result: R }>>()
  let next = 0
  while (next < items.length || running.size > 0) {
    while (next < items.length && running.size < atOnce) {
      const index = next++
      running.set(
        index,
        work(items[index]!, index).then((result) => ({ index, result })),
      )
    }
    const { index, result } = await Promise.race(running.values())
    running.delete(index)
    yield result
  }
}
