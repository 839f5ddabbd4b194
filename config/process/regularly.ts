/** Milliseconds: from now to the first look, and between two. */
export interface Pace {
  firstMs: number
  everyMs: number
}

/** Looks at that pace until the call that comes back. */
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
