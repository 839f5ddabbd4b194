/**
 * Brings a ClickHouse database to the schema of `analytics/schema/`. A file holds one statement that may run again
 * (`IF NOT EXISTS`, `OR REPLACE`), so a crash half way and two processes at once do no harm.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { hashOfSql, withoutComments } from '#engine/store/migrate.ts'

const dir = new URL('schema/', import.meta.url)

/** One row a file applied; a file applied twice keeps its newest row. Written by `migrate`. */
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
 * Applies what is not yet applied, in the order of the file names, to the client's database. Returns the names it applied.
 * @throws Error when a table's file was changed after it was applied: a table is changed by a new file.
 */
export async function migrate(ch: ClickHouseClient): Promise<string[]> {
  await ch.command({ query: ledger })
  const applied = await appliedFiles(ch)
  const names: string[] = []
  for (const { name, sql, sha } of files()) {
    const before = applied.get(name)
    if (before === sha) continue
    if (before !== undefined && !sql.startsWith('CREATE OR REPLACE ')) {
      throw new Error(`analytics/schema/${name} was changed after it was applied; say the change in a new file.`)
    }
    await ch.command({ query: sql })
    await ch.insert({ table: 'schema_migration', values: [{ name, sha }], format: 'JSONEachRow' })
    names.push(name)
  }
  return names
}

async function appliedFiles(ch: ClickHouseClient): Promise<Map<string, string>> {
  const result = await ch.query({ query: 'SELECT name, sha FROM schema_migration FINAL', format: 'JSONEachRow' })
  const rows = await result.json<{ name: string; sha: string }>()
  return new Map(rows.map((row) => [row.name, row.sha]))
}

function files(): { name: string; sql: string; sha: string }[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = withoutComments(readFileSync(new URL(name, dir), 'utf8'))
      return { name, sql, sha: hashOfSql(sql) }
    })
}
