import { Fault } from '#engine/value/fault.ts'

/**
 * Repeats a request while it fails with a transient fault. After an interrupted load its events are still in the lanes,
 * and the answer may take longer than a request may wait.
 */
export async function patiently(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'transient') throw error
    }
  }
}
