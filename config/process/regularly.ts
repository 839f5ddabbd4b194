/** Milliseconds until the first run, and between runs. */
export interface Pace {
  firstMs: number
  everyMs: number
}

/** Runs `look` at that pace until the returned function is called. */
export function regularly(look: () => void, { firstMs, everyMs }: Pace): () => void {
  let every: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    look()
    every = setInterval(look, everyMs)
  }, firstMs)
  return () => {
    clearTimeout(first)
    clearInterval(every)
  }
}
