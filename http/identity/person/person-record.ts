/** All that PostgreSQL has of a person, by the id of their account: what the columns of tables say, so that a new table cannot be forgotten. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { withoutSecrets } from '#http/identity/token/secret-column.ts'

export interface PersonRecord {
  person: Record<string, unknown>
  records: Record<string, Record<string, unknown>[]>
}

/** Columns that hold the id of an account. */
const byPerson = ['user_id', 'owner_id']
/** Rows of one table. */
const rowsMax = 10_000
/** What is on its way, or of the erasure itself. */
const passedOver = new Set(['person_erasure', 'second_factor_challenge', 'login_code'])

/** @throws Fault `missing` */
export async function personRecord(em: EntityManager, userId: string): Promise<PersonRecord> {
  const [person] = await em.execute<{ row: Record<string, unknown> }[]>(
    'select to_jsonb(u) as row from app_user u where id::text = ?',
    [userId],
  )
  if (!person) throw Fault.missing('person', userId)
  const columns = await em.execute<{ name: string; column: string }[]>(
    `select table_name as name, column_name as column from information_schema.columns
     where table_schema = current_schema() and column_name = any(string_to_array(?, ',')) order by 1, 2`,
    [byPerson.join()],
  )
  const records: PersonRecord['records'] = {}
  for (const { name, column } of columns.filter((one) => !passedOver.has(one.name))) {
    // Names are of our own schema.
    const rows = await em.execute<{ row: Record<string, unknown> }[]>(
      `select to_jsonb(t) as row from "${name}" t where "${column}"::text = ? order by ctid desc limit ${rowsMax}`,
      [userId],
    )
    if (rows.length > 0) records[name] = rows.map(({ row }) => withoutSecrets(row))
  }
  return { person: withoutSecrets(person.row), records }
}
