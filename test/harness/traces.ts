/** Where anything of an organization or a person is still found: every row of every table as its text, every subject, every file. Not by the product's own search. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { tokens } from '#config/wiring/tokens.ts'
import type { TestProduct } from '#test/harness/product.ts'

export interface Everywhere {
  postgres: string[]
  clickhouse: string[]
  nats: string[]
  files: string[]
}

/** Names of tables, streams and files that hold the text. */
export async function everywhere(world: TestProduct, text: string): Promise<Everywhere> {
  const { store, clickhouse, nats } = world.connections
  const tables = await store.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  )
  const inPostgres = tables.rows.map(
    ({ name }) =>
      `(select '${name}' as name from "${name}" t where lower(t::text) like '%' || lower($1) || '%' limit 1)`,
  )
  const held = await store.pool.query<{ name: string }>(inPostgres.join(' union all '), [text])
  const rows = async <T>(query: string, query_params = {}): Promise<T[]> =>
    (await clickhouse.query({ query, query_params, format: 'JSONEachRow' })).json<T>()
  const own = await rows<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View%' ORDER BY name`,
  )
  const inClickhouse = own.map(
    ({ name }) =>
      `SELECT '${name}' AS name FROM (SELECT 1 FROM ${name} WHERE positionCaseInsensitive(toString(tuple(*)), {text:String}) > 0 LIMIT 1)`,
  )
  const found = await rows<{ name: string }>(inClickhouse.join(' UNION ALL '), { text })
  const databases = await rows<{ name: string }>('SELECT name FROM system.databases WHERE name LIKE {like:String}', {
    like: `%${text}%`,
  })
  const manager = await jetstreamManager(nats)
  const streams: string[] = []
  for await (const { config } of manager.streams.list()) {
    const { state } = await manager.streams.info(config.name, { subjects_filter: '>' })
    if (Object.keys(state.subjects ?? {}).some((subject) => subject.includes(text))) streams.push(config.name)
  }
  const { folder } = world.product.get(tokens.exports)
  const files: string[] = []
  for (const name of await readdir(folder).catch(() => []))
    if (name.includes(text) || (await readFile(path.join(folder, name), 'utf8')).includes(text)) files.push(name)
  return {
    postgres: held.rows.map(({ name }) => name).toSorted(),
    clickhouse: [...found.map(({ name }) => name).toSorted(), ...databases.map(({ name }) => `database ${name}`)],
    nats: streams.toSorted(),
    files,
  }
}

export const nowhere: Everywhere = { postgres: [], clickhouse: [], nats: [], files: [] }
