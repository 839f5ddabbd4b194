import { Fault } from '#engine/value/fault.ts'

/** Until it is answered. A load that was interrupted has left its events before us in the lanes: they may take longer than an answer may. */
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
