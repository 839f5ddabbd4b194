import { readFileSync } from 'node:fs'
import pg from 'pg'

export interface SqlMigration {
  name: string
  sql: string
}

const lockKey = 7_214_000

/** Reads the `.sql` files named in their order. */
export const migrations = (folder: URL, names: readonly string[]): SqlMigration[] =>
  names.map((name) => ({ name, sql: readFileSync(new URL(`${name}.sql`, folder), 'utf8') }))

export const engineMigrations = migrations(new URL('../migrations/', import.meta.url), [
  '001_engine',
  '002_suspicion',
  '003_track',
  '004_installation',
])

/**
 * Applies what is not applied yet, each in a transaction, under a lock: of two processes that start at once the second
 * finds everything done.
 */
export async function migrate(url: string, list: readonly SqlMigration[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'tidemark-migrate' })
  // The statement under way fails with it.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null default now())',
    )
    const done = new Set((await client.query('select name from migration')).rows.map((row) => row.name as string))
    const fresh = list.filter(({ name }) => !done.has(name))
    for (const { name, sql } of fresh) {
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into migration (name) values ($1)', [name])
      await client.query('commit')
    }
    return fresh.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

export const migrateEngine = (url: string): Promise<string[]> => migrate(url, engineMigrations)
