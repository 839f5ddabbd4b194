/**
 * Everything that PostgreSQL stores about a person, by the id of their account. It follows from the columns of tables,
 * so that a new table cannot be forgotten.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { withoutSecrets } from '#http/identity/token/secret-column.ts'

export interface PersonRecord {
  person: Record<string, unknown>
  records: Record<string, Record<string, unknown>[]>
}

/** Columns with the id of an account. */
const byPerson = ['user_id', 'owner_id']
/** Maximum rows of one table. */
const rowsMax = 10_000
/** Short-lived rows, and those of the erasure itself. */
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
    // The names come from our own schema.
    const rows = await em.execute<{ row: Record<string, unknown> }[]>(
      `select to_jsonb(t) as row from "${name}" t where "${column}"::text = ? order by ctid desc limit ${rowsMax}`,
      [userId],
    )
    if (rows.length > 0) records[name] = rows.map(({ row }) => withoutSecrets(row))
  }
  return { person: withoutSecrets(person.row), records }
}
