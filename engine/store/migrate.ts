import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { postgresClient } from './postgres/primary.ts'

export interface SqlMigration {
  name: string
  sql: string
}

const lockKey = 7_214_000

/** Reads the named `.sql` files in the given order. */
export const migrations = (folder: URL, names: readonly string[]): SqlMigration[] =>
  names.map((name) => ({ name, sql: readFileSync(new URL(`${name}.sql`, folder), 'utf8') }))

/** Reads all `.sql` files of a folder in the order of their names, recorded with `word` as a prefix. */
export const migrationsIn = (folder: URL, word: string): SqlMigration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => ({
      name: `${word}/${file.replace(/\.sql$/, '')}`,
      sql: readFileSync(new URL(file, folder), 'utf8'),
    }))

export const engineMigrations = migrations(new URL('../migrations/', import.meta.url), [
  '001_engine',
  '002_suspicion',
  '003_track',
  '004_installation',
  '005_pool',
  '006_queue',
  '007_apart',
  '008_edition',
  '009_turning',
  '010_closed_organization',
  '011_retention_cut',
  '012_org_shard',
])

/** The file without whole-line and trailing comments: changing a comment is not a change of the migration. */
export const withoutComments = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/\s*--.*$/, ''))
    .filter((line) => line !== '')
    .join('\n')

export const hashOfSql = (sql: string): string => createHash('sha256').update(withoutComments(sql)).digest('hex')

/**
 * Applies all migrations that are not applied yet, each in a transaction, under a lock: of two processes that start at
 * the same time, the second finds everything done.
 * @throws Error if a file was changed after it was applied: tables are changed by new files
 */
export async function migrate(url: string, list: readonly SqlMigration[]): Promise<string[]> {
  const client = postgresClient(url, { application_name: 'tidemark-migrate' })
  // The statement in progress fails with it.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null default now())',
    )
    await client.query('alter table migration add column if not exists sha text')
    const done = await readApplied(client)
    for (const { name, sql } of list) await sameAsApplied(client, name, hashOfSql(sql), done.get(name))
    const fresh = list.filter(({ name }) => !done.has(name))
    for (const { name, sql } of fresh) {
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into migration (name, sha) values ($1, $2)', [name, hashOfSql(sql)])
      await client.query('commit')
    }
    return fresh.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** By name; the hash is null if an earlier version applied it. */
async function readApplied(client: pg.Client): Promise<Map<string, string | null>> {
  const { rows } = await client.query<{ name: string; sha: string | null }>('select name, sha from migration')
  return new Map(rows.map(({ name, sha }) => [name, sha]))
}

async function sameAsApplied(client: pg.Client, name: string, sha: string, known: string | null | undefined) {
  if (known === null) await client.query('update migration set sha = $2 where name = $1', [name, sha])
  else if (known !== undefined && known !== sha)
    throw new Error(`The migration ${name} was changed after it was applied. Add the change as a new migration.`)
}

export const migrateEngine = (url: string): Promise<string[]> => migrate(url, engineMigrations)
