/** A PostgreSQL server that stands in for RDS: TLS with an authority of its own, and an administrator that is no superuser. */
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { startPostgres, type StartedPostgres } from '#config/embedded/postgres.ts'
import { testFolder } from '#test/harness/stores.ts'
import { administrator, certificate, key, type FarServer } from './far-server.ts'

export async function farPostgres(): Promise<FarServer> {
  const folder = testFolder()
  await (await startPostgres(folder, () => {})).stop()
  const data = path.join(folder, 'pg')
  const { uid, gid } = fs.statSync(data)
  for (const [name, text] of Object.entries({ 'server.crt': certificate, 'server.key': key })) {
    fs.writeFileSync(path.join(data, name), text, { mode: 0o600 })
    fs.chownSync(path.join(data, name), uid, gid)
  }
  fs.appendFileSync(path.join(data, 'postgresql.conf'), 'ssl = on\n')
  const server: StartedPostgres = await startPostgres(folder, () => {})
  const query = async (statement: string, url = server.url): Promise<pg.QueryResult> => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const { user, password } = administrator
  await query(`create role ${user} login createrole createdb password '${password}'`)
  const contents = async () => {
    const { rows } = (await query(
      `select 'database ' || datname as name, shobj_description(oid, 'pg_database') as mark from pg_database
       where not datistemplate and datname <> 'postgres'
       union all
       select 'role ' || rolname, shobj_description(oid, 'pg_authid') from pg_roles
       where rolname !~ '^pg_' and rolname not in ('postgres', 'tidemark', 'tidemark_tenant', '${user}')
       order by 1`,
    )) as pg.QueryResult<{ name: string; mark: string | null }>
    return Object.fromEntries(rows.map(({ name, mark }) => [name, mark]))
  }
  const signIn = async (database: string, as: string, secret: string): Promise<boolean> => {
    const client = new pg.Client({ host: '127.0.0.1', port: server.port, database, user: as, password: secret })
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  }
  return {
    engine: 'postgres',
    port: server.port,
    contents,
    query: async (statement) => void (await query(statement)),
    signIn,
    entangle: async (role) => {
      await query('create schema extra')
      await query(`grant usage on schema extra to ${role}`)
      return async () => void (await query('drop schema extra'))
    },
    stop: () => server.stop(),
  }
}
