/**
 * Replaces the address of people who are erased, wherever PostgreSQL and ClickHouse hold it as text. Like a deletion it may write
 * everywhere, and for the same reason: where it has changed rows it takes all lanes from their owners, who may remember the rows as they
 * were, and looks again until nothing is left.
 *
 * Names are not looked for in texts: people choose them, and whoever is called "Main budget" must change nothing by going.
 */
import type pg from 'pg'
import { replaceText } from '#analytics/store/replace.ts'
import type { Open } from '#engine/seal.ts'
import { addressOfErased, type ErasedPerson } from '#http/identity/erasure.ts'
import { erasureSealed } from '#http/identity/sealed.ts'
import type { Connections } from '#config/connect.ts'
import { settleMs } from '#config/tenant/delete.ts'

export interface ErasureTools extends Pick<Connections, 'store' | 'clickhouse' | 'clock' | 'report'> {
  open: Open
}

/** What clouds say of resources is the organization's, and comes again as long as they say it. Dead letters are messages as they came. */
const passedOver = new Set([
  // Of accounts: those of the person are gone, and who comes again under the address has new ones.
  'app_user',
  'login_failure',
  'mailed_code',
  'one_time_password',
  'scim_user',
  'throttle',
  // What clouds say, and what holds no text of people.
  'cloud_account',
  'dead_letter',
  'fact_sheet',
  'kubernetes_cluster',
  'lane',
  'migration',
  'reference_value',
  'resource',
  'resource_audit',
  'resource_tagging',
])

/** Rounds over PostgreSQL, of which each finds what owners of lanes have written back since the one before. */
const roundsMax = 10

interface Row {
  userId: string
  sealed: string
  pseudonym: string
  askedAt: Date
  replacedAt: Date | null
}

/** Goes on with all that wait. How many are done now: those who were asked for long enough ago that nothing is on its way any more. */
export async function eraseDue(tools: ErasureTools): Promise<number> {
  const { store, clock, report, open } = tools
  const { rows } = await store.pool.query<Row>(
    'select user_id as "userId", sealed, pseudonym, asked_at as "askedAt", replaced_at as "replacedAt" from person_erasure order by asked_at',
  )
  let done = 0
  for (const { userId, sealed, pseudonym, askedAt, replacedAt } of rows)
    try {
      const { email } = open(erasureSealed, '', sealed) as ErasedPerson
      const now = clock.now()
      // What is written of the address from then on is of somebody who has come again under it.
      const isBack = replacedAt !== null && (await isKnown(tools, email))
      if (!isBack) await replaceAddress(tools, email, pseudonym)
      await store.pool.query('update person_erasure set replaced_at = $2 where user_id = $1', [userId, new Date(now)])
      if (!isBack && now - askedAt.getTime() < settleMs) continue
      await store.pool.query('delete from person_erasure where user_id = $1', [userId])
      done++
    } catch (error) {
      report.warn({ userId, err: error }, 'the address of an erased person could not be replaced; it is tried again')
    }
  return done
}

async function isKnown({ store }: ErasureTools, email: string): Promise<boolean> {
  const { rowCount } = await store.pool.query('select from app_user where email = $1', [email])
  return rowCount !== 0
}

async function replaceAddress(tools: ErasureTools, email: string, pseudonym: string): Promise<void> {
  const text = addressOfErased(pseudonym)
  for (let round = 0; round < roundsMax && (await replaceRows(tools, email, text)) > 0; round++)
    await tools.store.pool.query('update lane set epoch = epoch + 1')
  await replaceText(tools.clickhouse, email, text)
}

interface Column {
  table: string
  column: string
  type: 'text' | 'jsonb'
}

async function columnsOf(pool: pg.Pool): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select c.table_name as table, c.column_name as column, case c.data_type when 'jsonb' then 'jsonb' else 'text' end as type
     from information_schema.columns c
     join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
       and c.data_type in ('text', 'character varying', 'jsonb')`,
  )
  return rows.filter(({ table }) => !passedOver.has(table))
}

/** How many rows were changed. Names of tables and columns are of our own schema. */
async function replaceRows({ store }: ErasureTools, was: string, text: string): Promise<number> {
  // As a text of JSON has it, too.
  const inJson = JSON.stringify(was).slice(1, -1)
  let changed = 0
  for (const { table, column, type } of await columnsOf(store.pool)) {
    const value = type === 'jsonb' ? `"${column}"::text` : `"${column}"`
    const sought = type === 'jsonb' ? inJson : was
    const result = await store.pool.query(
      `update "${table}" set "${column}" = regexp_replace(${value}, $2, $3, 'gi')${type === 'jsonb' ? '::jsonb' : ''}
       where position(lower($1) in lower(${value})) > 0 and ${value} ~* $2`,
      [sought, patternOf(sought), text],
    )
    changed += result.rowCount ?? 0
  }
  return changed
}

/** Not as a part of a longer word or address; behind the escape of a line's end in a text of JSON it is none. */
const patternOf = (was: string): string =>
  `(?:(?<=\\\\[nrt])|(?<![[:alnum:]._%+-]))${was.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(?![[:alnum:]@-]|\\.[[:alnum:]])`
