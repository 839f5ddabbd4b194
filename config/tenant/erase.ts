/**
 * Replaces the email address of erased people wherever PostgreSQL and ClickHouse contain it as text. Like a deletion it
 * may write everywhere: after it has changed rows of actors it takes all lanes from their owners, who may have the old
 * rows in memory, and searches again until nothing is left. Names are not replaced in texts: people choose them freely,
 * and a person called "Main budget" must not change anything by leaving.
 */
import type pg from 'pg'
import { replaceText } from '#analytics/store/text/replace-text.ts'
import type { Open } from '#engine/seal.ts'
import { addressOfErased, type ErasedPerson } from '#http/identity/person/erasure.ts'
import { erasureSealed } from '#http/identity/sealed-columns.ts'
import type { Connections } from '#config/state/connect.ts'
import { settleMs } from '#config/tenant/delete.ts'

export interface ErasureTools extends Pick<Connections, 'store' | 'shards' | 'clock' | 'report'> {
  open: Open
  /** Tables whose rows lane owners may have in memory. */
  actorTables: ReadonlySet<string>
}

/**
 * Tables that are not searched. Cloud data about resources is the organization's, and would return with the next scan.
 * Dead letters keep messages as received.
 */
const passedOver = new Set([
  // Accounts and sign-in: the person's rows are already deleted; rows with this address belong to a new account.
  'app_user',
  'login_failure',
  'mailed_code',
  'one_time_password',
  'scim_user',
  'throttle',
  // Cloud data, and tables without personal texts.
  'cloud_account',
  'dead_letter',
  'fact_sheet',
  'kubernetes_cluster',
  'lane',
  'migration',
  'reference_value',
  'refreshed_price',
  'resource',
  'resource_audit',
  'resource_tagging',
])

/** Maximum rounds over PostgreSQL. Each finds what lane owners have written back since the previous one. */
const roundsMax = 10

interface Waiting {
  userId: string
  sealed: string
  pseudonym: string
  askedAt: Date
  replacedAt: Date | null
}

interface Replacement {
  userId: string
  was: string
  text: string
  /** True once nothing from before the request can still be in transit. */
  isLast: boolean
}

/** Continues all waiting erasures. Returns the number that are now complete. */
export async function eraseDue(tools: ErasureTools): Promise<number> {
  const { store } = tools
  const { rows } = await store.pool.query<Waiting>(
    `select user_id as "userId", sealed, pseudonym, asked_at as "askedAt", replaced_at as "replacedAt"
     from person_erasure order by asked_at`,
  )
  if (rows.length === 0) return 0
  const began = new Date(tools.clock.now())
  const all: Replacement[] = []
  for (const row of rows) all.push(...(await replacedBy(tools, row)))
  await replaceAll(tools, all)
  const idsOf = (some: readonly Replacement[]) => some.map(({ userId }) => userId)
  const done = all.filter(({ isLast }) => isLast)
  await store.pool.query('update person_erasure set replaced_at = $2 where user_id = any($1::uuid[])', [
    idsOf(all),
    began,
  ])
  await store.pool.query('delete from person_erasure where user_id = any($1::uuid[])', [idsOf(done)])
  return done.length
}

/**
 * The replacement for one erasure. Empty if it cannot be decrypted, or if the address is in use again after a first
 * replacement.
 */
async function replacedBy(
  { store, clock, report, open }: ErasureTools,
  { userId, sealed, pseudonym, askedAt, replacedAt }: Waiting,
): Promise<Replacement[]> {
  try {
    const { email: was } = open(erasureSealed, '', sealed) as ErasedPerson
    const isBack = (await store.pool.query('select from app_user where email = $1', [was])).rowCount !== 0
    if (replacedAt !== null && isBack) {
      await store.pool.query('delete from person_erasure where user_id = $1', [userId])
      return []
    }
    const isLast = clock.now() - askedAt.getTime() >= settleMs
    return [{ userId, was, text: addressOfErased(pseudonym), isLast }]
  } catch (error) {
    report.warn({ userId, err: error }, 'the address of an erased user could not be read')
    return []
  }
}

/** Replaces all addresses in one round over the tables; repeats the round while lane owners may write old rows back. */
async function replaceAll(tools: ErasureTools, all: readonly Replacement[]): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    let isRemembered = false
    for (const { was, text } of all) if (await replaceRows(tools, was, text)) isRemembered = true
    if (!isRemembered) break
    await tools.store.pool.query('update lane set epoch = epoch + 1')
  }
  for (const { was, text } of all) await tools.shards.each(({ client }) => replaceText(client, was, text))
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

/** True if rows were changed that lane owners may have in memory. Names of tables and columns come from our schema. */
async function replaceRows({ store, actorTables }: ErasureTools, was: string, text: string): Promise<boolean> {
  // As it appears inside JSON text.
  const inJson = JSON.stringify(was).slice(1, -1)
  let isRemembered = false
  for (const { table, column, type } of await columnsOf(store.pool)) {
    const value = type === 'jsonb' ? `"${column}"::text` : `"${column}"`
    const sought = type === 'jsonb' ? inJson : was
    const result = await store.pool.query(
      `update "${table}" set "${column}" = regexp_replace(${value}, $2, $3, 'gi')${type === 'jsonb' ? '::jsonb' : ''}
       where position(lower($1) in lower(${value})) > 0 and ${value} ~* $2`,
      [sought, patternOf(sought), text],
    )
    if (result.rowCount && actorTables.has(table)) isRemembered = true
  }
  return isRemembered
}

/**
 * Matches only whole addresses, not parts of longer words or addresses. In JSON text an escape such as `\n` may precede
 * it.
 */
const patternOf = (was: string): string =>
  `(?:(?<=\\\\[nrt])|(?<![[:alnum:]._%+-]))${was.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(?![[:alnum:]@-]|\\.[[:alnum:]])`
