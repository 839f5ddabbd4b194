/**
 * Copies all PostgreSQL tables of one moment to files, and back. A file has a row per line: the text of the row as
 * PostgreSQL writes and reads it, as a JSON string.
 */
import { createReadStream } from 'node:fs'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { createZstdDecompress } from 'node:zlib'
import pg from 'pg'
import { postgresClient } from '#engine/store/postgres/primary.ts'
import { writeCompressed, type Manifest, type PostgresFile } from './manifest.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const tablesSql = sql('postgres_tables')
const sequencesSql = sql('postgres_sequences')

/** The migrations decide which tables there are, and processes enter themselves. */
const uncopied = ['migration', 'process']
/** Rows per read and per insert. */
const pageRows = 1000

export type PostgresCopy = Pick<
  Manifest,
  'installation' | 'position' | 'generation' | 'cursors' | 'migrations' | 'sequences'
> & { postgres: PostgresFile[] }

const quote = (name: string): string => pg.escapeIdentifier(name)

export async function connectPostgres(url: string): Promise<pg.Client> {
  const client = postgresClient(url, { application_name: 'tidemark-backup' })
  // A lost connection fails the query that needs it.
  client.on('error', () => {})
  await client.connect()
  await client.query(`select set_config('datestyle', 'ISO', false), set_config('intervalstyle', 'postgres', false)`)
  return client
}

/** Reads everything from one snapshot, so that the product may go on writing. */
export async function copyPostgres(url: string, folder: string): Promise<PostgresCopy> {
  const client = await connectPostgres(url)
  try {
    // Before the snapshot: every generation in it is at most this one.
    const { rows: drawn } = await client.query<{ n: string }>('select last_value::text as n from generation')
    await client.query('begin isolation level repeatable read read only')
    const known = await client.query<{ id: string; position: string }>('select id, position::text from installation')
    const { rows: cursors } = await client.query<{ lane: number; cursor: number }>(
      'select lane, cursor::float8 as cursor from lane order by lane',
    )
    const { rows: migrations } = await client.query<{ name: string }>('select name from migration order by name')
    const { rows: tables } = await client.query<{ name: string; columns: string[] }>(tablesSql, [uncopied])
    const postgres: PostgresFile[] = []
    for (const { name, columns } of tables) {
      const counted = { rows: 0 }
      const file = await writeCompressed(folder, `postgres/${name}.jsonl.zst`, linesOf(client, name, columns, counted))
      postgres.push({ ...file, table: name, columns, rows: counted.rows })
    }
    // Sequences have no snapshot; numbers that were drawn since are skipped after a restore.
    const { rows: sequences } = await client.query<Manifest['sequences'][number]>(sequencesSql)
    await client.query('commit')
    return {
      installation: known.rows[0]!.id,
      position: Number(known.rows[0]!.position),
      generation: drawn[0]!.n,
      cursors,
      migrations: migrations.map(({ name }) => name),
      sequences,
      postgres,
    }
  } finally {
    await client.end()
  }
}

async function* linesOf(
  client: pg.Client,
  table: string,
  columns: readonly string[],
  counted: { rows: number },
): AsyncGenerator<string> {
  const list = columns.map(quote).join(', ')
  await client.query(`declare copied no scroll cursor for select row(${list})::text as line from ${quote(table)}`)
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${pageRows} from copied`)
    counted.rows += rows.length
    if (rows.length > 0) yield rows.map(({ line }) => `${JSON.stringify(line)}\n`).join('')
    if (rows.length < pageRows) break
  }
  await client.query('close copied')
}

/** The lines of a file. @throws Error if it is damaged */
export async function* readLines(file: string): AsyncGenerator<string> {
  const input = createReadStream(file)
  const unpacked = createZstdDecompress()
  input.on('error', (error) => unpacked.destroy(error))
  for await (const line of createInterface({ input: input.pipe(unpacked), crlfDelay: Infinity })) yield line
}

/** Replaces the rows of all tables, in the transaction of `client`. */
export async function loadPostgres(client: pg.Client, folder: string, manifest: Manifest): Promise<void> {
  const { rows } = await client.query<{ name: string }>(tablesSql, [uncopied])
  await client.query(`truncate ${rows.map(({ name }) => quote(name)).join(', ')}`)
  for (const file of manifest.postgres) await loadTable(client, path.join(folder, file.path), file)
  for (const { name, value, isCalled } of manifest.sequences)
    await client.query('select setval($1::text::regclass, $2::bigint, $3)', [quote(name), value, isCalled])
}

async function loadTable(client: pg.Client, file: string, { table, columns }: PostgresFile): Promise<void> {
  const list = columns.map(quote).join(', ')
  // Gives the columns in the order of the file, which an older installation may have had in another one.
  await client.query(`create temporary table loaded on commit drop as select ${list} from ${quote(table)} limit 0`)
  const load = async (lines: readonly string[]) => {
    if (lines.length === 0) return
    await client.query(
      `insert into ${quote(table)} (${list}) overriding system value
       select (line::pg_temp.loaded).* from unnest($1::text[]) as line`,
      [lines],
    )
  }
  let page: string[] = []
  for await (const line of readLines(file)) {
    page.push(JSON.parse(line) as string)
    if (page.length < pageRows) continue
    await load(page)
    page = []
  }
  await load(page)
  await client.query('drop table pg_temp.loaded')
}
