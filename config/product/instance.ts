/**
 * The stores a command works on. The code that opens them is most of the product and is loaded only when needed, so
 * that help texts and usage errors appear quickly.
 */
import type { Instance } from './open-instance.ts'

export type { Instance } from './open-instance.ts'

/** Runs `work` with the stores open, then closes what was opened for it. */
export async function withInstance<T>(work: (instance: Instance) => Promise<T>): Promise<T> {
  const { withInstance: opened } = await import('./open-instance.ts')
  return opened(work)
}
