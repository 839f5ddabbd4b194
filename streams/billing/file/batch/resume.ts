/** Yields what was read ahead, then the rest. */
export async function* resumeRows<T>(ahead: readonly T[], rest: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  yield* ahead
  yield* rest
}
