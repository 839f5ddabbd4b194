/** Changes of the operator's own sizes and prices. The one writer of their table. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { randomUUID } from 'node:crypto'
import { ReferenceValue } from './entity.ts'
import { tell, tellRow } from '#engine/run/tell.ts'
import { sweepWanted } from '#streams/recommendation.ts'
import type { OwnValue } from './own-values.ts'

const rowsAtOnce = 5_000

export interface LoadResult {
  /** Number of values after the change. */
  readonly values: number
  /** Number of organizations whose resources are judged again. */
  readonly organizations: number
}

/**
 * Replaces the values; with `keepsOthers`, values that are not named stay. Requests a sweep for every organization in
 * the same transaction.
 */
export async function loadReferences(
  em: EntityManager,
  values: readonly OwnValue[],
  { at, keepsOthers }: { at: Date; keepsOthers: boolean },
): Promise<LoadResult> {
  return em.transactional(async (tx) => {
    // Two loads at once would mix their values.
    await tx.execute(`select pg_advisory_xact_lock(hashtext('reference_value'))`)
    if (!keepsOthers) await tx.nativeDelete(ReferenceValue, { orgId: '' })
    for (let from = 0; from < values.length; from += rowsAtOnce) {
      const rows = values.slice(from, from + rowsAtOnce).map((value) => ({ orgId: '', ...value, loadedAt: at }))
      await tx.upsertMany(ReferenceValue, rows)
    }
    const organizations: { id: string }[] = await tx.execute('select id::text as id from organization')
    for (const { id } of organizations)
      await tell(tx, tellRow(sweepWanted, id, { why: 'prices' }, { id: randomUUID(), time: at }))
    return { values: await tx.count(ReferenceValue, { orgId: '' }), organizations: organizations.length }
  })
}
