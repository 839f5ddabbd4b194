/** A process that starts while a store is away, or goes away meanwhile, waits for it instead of ending. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reporter } from '#engine/reporter.ts'
import { isAway } from '#http/store/fault.ts'

/** Milliseconds between two tries. */
const pauseMs = 500

/** Does `work` until no store it needs is away; after `waitMs` it fails as it did last. Whatever else fails does so at once. */
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
