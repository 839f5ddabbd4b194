/** A thread that sums what it is given: fails at the number `failsAt`, and never ends at `hangsAt`. Answers its own id where asked for it. */
import { threadId } from 'node:worker_threads'
import { serve } from '#engine/run/worker.ts'

export interface Summing {
  start: number
  failsAt?: number
  hangsAt?: number
  namesThread?: boolean
}

serve(({ start, failsAt, hangsAt, namesThread }: Summing) => {
  let sum = start
  return {
    take(numbers: readonly number[]) {
      for (const one of numbers) {
        if (one === failsAt) throw new Error(`${one} is not taken`)
        while (one === hangsAt);
        sum += one
      }
    },
    end: () => (namesThread ? threadId : sum),
  }
})
