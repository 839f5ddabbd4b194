/**
 * Migrates a ClickHouse database to `analytics/tables/` and then `analytics/views/`. A file contains one statement that
 * may be repeated (`IF NOT EXISTS`, `OR REPLACE`), so a crash half way does no harm. One process at a time: another one
 * that lags behind would set the order of a table back (config/state/connect.ts holds a lock).
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { hashOfSql, withoutComments } from '#engine/store/migrate.ts'
import { checkReplication, toReplicated } from './replicated.ts'

const analytics = new URL('../', import.meta.url)

/** One row per applied file; a file applied twice keeps its newest row. Written by `migrate`. */
const ledger = `CREATE TABLE IF NOT EXISTS schema_migration
(
    name       String,
    sha        String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(applied_at)
ORDER BY name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

/**
 * Applies to the client's database what is not applied yet: all tables in the order of their file names, then all views
 * in theirs. Views of an earlier version stay, because its processes may still use them. Returns the names it applied.
 * @throws Fault if the database is not replicated as it should be.
 * @throws Error if a table's file was changed after it was applied: tables are changed by new files.
 */
export async function migrate(ch: ClickHouseClient, folder = analytics, isReplicated = false): Promise<string[]> {
  await checkReplication(ch, isReplicated)
  const statement = (sql: string) => (isReplicated ? toReplicated(sql) : sql)
  await ch.command({ query: statement(ledger) })
  const applied = await appliedFiles(ch)
  const names: string[] = []
  const apply = async ({ name, sql, sha }: File) => {
    if (applied.get(name) === sha) return
    await ch.command({ query: statement(sql) })
    await ch.insert({ table: 'schema_migration', values: [{ name, sha }], format: 'JSONEachRow' })
    applied.set(name, sha)
    names.push(name)
  }
  for (const table of filesOf(new URL('tables/', folder))) {
    if (applied.has(table.name) && applied.get(table.name) !== table.sha)
      throw new Error(`analytics/tables/${table.name} was changed after it was applied. Add the change as a new file.`)
    await apply(table)
  }
  for (const view of viewsOver(applied, filesOf(new URL('views/', folder)))) await apply(view)
  return names
}

interface File {
  name: string
  sql: string
  sha: string
}

const views = 'views/'

/**
 * The columns of a view's `*` are those at its creation, so after any change of tables all views are created again,
 * including those this version does not know.
 */
function viewsOver(applied: ReadonlyMap<string, string>, files: readonly File[]): File[] {
  const below = [...applied].filter(([name]) => !name.startsWith(views)).map(([name, sha]) => `${name} ${sha}`)
  const tables = below.toSorted().join('\n')
  return files.map(({ name, sql }) => ({ name: views + name, sql, sha: hashOfSql(`${sql}\n${tables}`) }))
}

async function appliedFiles(ch: ClickHouseClient): Promise<Map<string, string>> {
  const result = await ch.query({ query: 'SELECT name, sha FROM schema_migration FINAL', format: 'JSONEachRow' })
  const rows = await result.json<{ name: string; sha: string }>()
  return new Map(rows.map((row) => [row.name, row.sha]))
}

function filesOf(folder: URL): File[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = withoutComments(readFileSync(new URL(name, folder), 'utf8'))
      return { name, sql, sha: hashOfSql(sql) }
    })
}
