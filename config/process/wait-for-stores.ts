/** Waits for stores that are unavailable during the start, instead of ending the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reporter } from '#engine/reporter.ts'
import { isAway } from '#http/store/fault.ts'

/** Milliseconds between tries. */
const pauseMs = 500

/**
 * Repeats `work` while a store is unavailable. After `waitMs` milliseconds the last error is thrown; other errors are
 * thrown at once.
 */
export async function patiently<T>(work: () => Promise<T>, report: Reporter, waitMs: number): Promise<T> {
  const end = performance.now() + waitMs
  for (let isTold = false; ; isTold = true) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error) || performance.now() + pauseMs > end) throw error
      const why = (error as Error).message
      if (!isTold) report.warn({ why }, `a store is unavailable; retrying for ${Math.round(waitMs / 1000)} s`)
      await sleep(pauseMs)
    }
  }
}
