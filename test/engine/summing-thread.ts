/** A thread that sums what it is given: fails at the number `failsAt`, and goes on for ever at `hangsAt`. */
import { serve } from '#engine/worker.ts'

export interface Summing {
  start: number
  failsAt?: number
  hangsAt?: number
}

serve(({ start, failsAt, hangsAt }: Summing) => {
  let sum = start
  return {
    take(numbers: readonly number[]) {
      for (const one of numbers) {
        if (one === failsAt) throw new Error(`${one} is not taken`)
        while (one === hangsAt);
        sum += one
      }
    },
    end: () => sum,
  }
})
