/** Exports all data of an organization to files: JSON lines, one file per table, without secrets. */
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { postgresClient } from '#engine/store/postgres/primary.ts'
import { exportOrganizationRows } from '#analytics/store/organization/organization.ts'
import { organizationTables } from '#analytics/store/tenancy.ts'
import { withoutSecrets } from '#http/identity/token/secret-column.ts'
import type { Connections } from '#config/state/connect.ts'
import { tenantTables } from '#config/tenant/tables.ts'

/** Tables of the product's machinery, which say nothing about an organization beyond its other rows. */
const machinery = new Set([
  'app_user',
  'edition',
  'effect',
  'idempotent_answer',
  'inbox',
  'login_code',
  'mark',
  'oidc_sign_in',
  'org_shard',
  'outbox',
  'parked',
  'rate_bucket',
  'refresh_token',
  'reminder',
  'saml_assertion',
  'saml_request',
  'session',
  'user_identity',
])

/** Rows per read. */
const pageRows = 1000

export interface ExportedTable {
  file: string
  rows: number
}

/** Writes the files to a new or empty folder, readable only by its owner. @throws Error if the folder is not empty */
export async function exportOrganization(
  { store, shards }: Pick<Connections, 'store' | 'shards'>,
  orgId: string,
  folder: string,
): Promise<ExportedTable[]> {
  const held = await readdir(folder).catch(() => [])
  if (held.length > 0) throw new Error(`${folder} is not empty.`)
  for (const part of ['state', 'facts']) await mkdir(path.join(folder, part), { recursive: true, mode: 0o700 })
  const done: ExportedTable[] = []
  const write = async (file: string, rows: AsyncIterable<string>) => {
    const counted = { file, rows: 0 }
    await pipeline(Readable.from(linesOf(rows, counted)), createWriteStream(path.join(folder, file), { mode: 0o600 }))
    done.push(counted)
  }
  const client = postgresClient(store.url, { application_name: 'tidemark-export' })
  client.on('error', () => {})
  await client.connect()
  try {
    // One snapshot for all tables.
    await client.query('begin isolation level repeatable read read only')
    for (const { name, where } of await tenantTables(client))
      if (!machinery.has(name)) await write(`state/${name}.jsonl`, rowsOf(client, name, where, orgId))
    await write('state/person.jsonl', peopleOf(client, orgId))
    await client.query('commit')
  } finally {
    await client.end()
  }
  const ch = await shards.of(orgId)
  for (const table of organizationTables())
    await write(`facts/${table.name}.jsonl`, exportOrganizationRows(ch, table, orgId))
  await writeFile(path.join(folder, 'README.md'), readme(orgId, done), { mode: 0o600 })
  return done
}

async function* linesOf(rows: AsyncIterable<string>, counted: ExportedTable): AsyncGenerator<string> {
  for await (const row of rows) {
    counted.rows++
    yield `${row}\n`
  }
}

/** Table names and conditions are constants or come from our schema, so they need no escaping. */
async function* rowsOf(client: pg.Client, name: string, where: string, orgId: string): AsyncGenerator<string> {
  yield* fetchRows(client, `select to_jsonb(t) as row from (select * from "${name}" where ${where}) t`, orgId)
}

const peopleSql = `select jsonb_build_object('id', u.id, 'email', u.email, 'name', u.name) as row
  from app_user u join member m on m.user_id = u.id where m.org_id = $1`

async function* peopleOf(client: pg.Client, orgId: string): AsyncGenerator<string> {
  yield* fetchRows(client, peopleSql, orgId)
}

async function* fetchRows(client: pg.Client, sql: string, orgId: string): AsyncGenerator<string> {
  await client.query(`declare exported no scroll cursor for ${sql}`, [orgId])
  for (;;) {
    const { rows } = await client.query<{ row: Record<string, unknown> }>(`fetch ${pageRows} from exported`)
    for (const { row } of rows) yield JSON.stringify(withoutSecrets(row))
    if (rows.length < pageRows) break
  }
  await client.query('close exported')
}

const readme = (orgId: string, tables: readonly ExportedTable[]): string => `# Organization ${orgId}

All data that Tidemark stores for this organization, one JSON object per line.

- \`state/\`: data from PostgreSQL, one file per table. Secrets, tokens and credentials are omitted; reconnect accounts and channels after an import.
- \`facts/\`: data from ClickHouse, one file per table, with the current version of each row. Costs are US dollars as text, because they have more digits than a JSON number. \`cost_fact.jsonl\` contains the bill lines in FOCUS columns.

| file | rows |
|---|---|
${tables.map(({ file, rows }) => `| ${file} | ${rows} |`).join('\n')}
`
