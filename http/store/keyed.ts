/**
 * What a POST under an Idempotency-Key changes and what it is answered are committed together, or neither is: however the
 * process ends, a repeat finds both or changes it for the first time.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { Reply } from '#http/store/reply.ts'

/** A request under a key while its handler runs. */
export interface Running {
  /** Writes its answer by this entity manager; false when it counted as lost and a repeat has taken its place. */
  readonly keep: (em: EntityManager, answer: Reply<unknown>) => Promise<boolean>
  /** Whether a transaction with its answer has committed. */
  isKept: boolean
}

const storage = new AsyncLocalStorage<Running>()

/** Runs the handler of a request under a key. */
export const underKey = <T>(running: Running, work: () => Promise<T>): Promise<T> => storage.run(running, work)

/**
 * Runs `work` in a transaction. What a POST changes is changed by this, with `work` returning the whole answer as a `Reply`:
 * it is kept in the same transaction. @throws Fault `transient` when a repeat has taken the request's place: nothing is changed
 */
export async function transaction<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const running = storage.getStore()
  const result = await em.transactional(async (tx) => {
    const made = await work(tx)
    if (!running || !(made instanceof Reply)) return made
    // What the store refuses is refused before its answer is written.
    await tx.flush()
    if (await running.keep(tx, made)) return made
    throw Fault.transient('unavailable', 'This request took too long and was superseded by a retry.')
  })
  if (running && result instanceof Reply) running.isKept = true
  return result
}
