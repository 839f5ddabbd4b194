/** Stores that are unavailable during the start: who they are, and how long they are waited for. */
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

/** Adds the store's name, address and setting to an error: the client's error contains at most an address. */
export async function withStoreError<T>(store: string, setting: string, urls: string[], work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const hosts = urls.map((url) => decodeURIComponent(new URL(url).host))
    throw new Error(`${store} at ${hosts.join(', ')} (${setting}): ${message || code}`, { cause: error })
  }
}
