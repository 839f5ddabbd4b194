/** What a change of plain records leaves for the engine to do, beside the change. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { TellRow } from '#engine/tell.ts'

/** Adds a row to what the engine carries out, once the transaction of `em` has committed. */
export async function tell(em: EntityManager, { key, name, orgId, input }: TellRow): Promise<void> {
  await em.execute('insert into effect (key, name, org_id, input) values (?, ?, ?, ?::jsonb)', [
    key,
    name,
    orgId,
    JSON.stringify(input),
  ])
}
