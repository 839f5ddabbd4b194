/**
 * A POST with an Idempotency-Key commits its changes and its response together, or neither: if the process ends at any
 * point, a repeat finds both, or makes the change for the first time.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { Reply } from '#http/store/reply.ts'

/** A request with a key while its handler runs. */
export interface Running {
  /** Stores its response with this entity manager; false if it counted as lost and a repeat has replaced it. */
  readonly keep: (em: EntityManager, answer: Reply<unknown>) => Promise<boolean>
  /** Whether a transaction with its response has committed. */
  isKept: boolean
}

const storage = new AsyncLocalStorage<Running>()

/** Runs the handler of a request with a key. */
export const underKey = <T>(running: Running, work: () => Promise<T>): Promise<T> => storage.run(running, work)

/**
 * Runs `work` in a transaction. Every POST makes its changes through this, with `work` returning the whole response as
 * a `Reply`, which is stored in the same transaction. @throws Fault `transient` if a repeat has replaced the request:
 * nothing is changed
 */
export async function transaction<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const running = storage.getStore()
  const result = await em.transactional(async (tx) => {
    const made = await work(tx)
    if (!running || !(made instanceof Reply)) return made
    // What the store refuses is refused before its response is stored.
    await tx.flush()
    if (await running.keep(tx, made)) return made
    throw Fault.transient('unavailable', 'This request took too long and was superseded by a retry.')
  })
  if (running && result instanceof Reply) running.isKept = true
  return result
}
