/**
 * The stores a command works on. What opens them is most of the product, and is loaded once it is needed: a command says what it takes,
 * or what was mistyped, without.
 */
import type { Instance } from './open-instance.ts'

export type { Instance } from './open-instance.ts'

/** Runs `work` with the stores open, and closes whatever was opened for it. */
export async function withInstance<T>(work: (instance: Instance) => Promise<T>): Promise<T> {
  const { withInstance: opened } = await import('./open-instance.ts')
  return opened(work)
}
