/** What saved views and dashboards have in common: who sees them, names of their own, and bounds by person. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { isTaken, type RecordChange } from '#engine/run/tell.ts'

export type Sharing = 'me' | 'organization'

const lockSql = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'

/** Serializes the changes of a person, since their objects are counted. */
export const inTurn = async ({ em, orgId }: RecordChange, userId: string): Promise<void> =>
  void (await em.execute(lockSql, [`saved-view ${orgId} ${userId}`]))

/** @throws Fault `conflict` `already_exists` if the name is taken */
export async function flushUnique(em: Pick<EntityManager, 'flush'>, noun: string): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (isTaken(error)) throw Fault.conflict('already_exists', `Another ${noun} already has this name.`)
    throw error
  }
}

export const holderOf = (shared: Sharing, ownerId: string): string => (shared === 'me' ? ownerId : '')
