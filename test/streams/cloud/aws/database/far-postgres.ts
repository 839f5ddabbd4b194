/** A PostgreSQL server that stands in for RDS: TLS with an authority of its own, and an administrator that is no superuser. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { startPostgres, type StartedPostgres } from '#config/embedded/postgres.ts'
import { testFolder } from '#test/harness/stores.ts'

export const host = 'shop.abc.us-east-1.rds.amazonaws.com'
export const administrator = { user: 'tidemark_admin', password: randomUUID() }

export interface FarPostgres {
  port: number
  /** As the superuser would see it: `database <name>` and `role <name>` of all but the server's own, with their comments. */
  contents: () => Promise<Record<string, string | null>>
  query: (statement: string) => Promise<void>
  /** Whether somebody gets in with these. */
  signIn: (database: string, user: string, password: string) => Promise<boolean>
  stop: () => Promise<void>
}

export async function farPostgres(): Promise<FarPostgres> {
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
    port: server.port,
    contents,
    query: async (statement) => void (await query(statement)),
    signIn,
    stop: () => server.stop(),
  }
}

export interface Wire {
  port: number
  /** The connection is cut after the server has answered this message of the client's; 0: never. */
  cutAfter: number
  messages: number
  close: () => void
}

/** A wire to the server that can be cut. */
export async function wireTo(port: number): Promise<Wire> {
  const wire: Wire = { port: 0, cutAfter: 0, messages: 0, close: () => {} }
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    let isCut = false
    near.on('data', (chunk) => {
      isCut ||= ++wire.messages === wire.cutAfter
      far.write(chunk)
    })
    far.on('data', (chunk) => (isCut ? near.destroy() : near.write(chunk)))
    near.on('close', () => far.destroy()).on('error', () => {})
    far.on('close', () => near.destroy()).on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  wire.port = (server.address() as AddressInfo).port
  wire.close = () => void server.close()
  return wire
}

/** Good for a hundred years, and of nobody. */
export const authority = `\
-----BEGIN CERTIFICATE-----
MIIBhDCCASmgAwIBAgIUd7GtP7PQ2eaNKL5HxVESJfexgecwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLVGVzdCBSRFMgQ0EwIBcNMjYxMTMwMTY0OTIxWhgPMjEyNjEx
MDYxNjQ5MjFaMBYxFDASBgNVBAMMC1Rlc3QgUkRTIENBMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAERZ8XFQl1JEk0pmVJoBo1olJg0ZhayuYBKGpmZAl+INBgKtBY
Vf6r7yB1b6suyc/nNj+5bFmHYKPm5RbGsA0nH6NTMFEwHQYDVR0OBBYEFDtZMDVg
ojbN5Qpd3sM5xwtqaeWfMB8GA1UdIwQYMBaAFDtZMDVgojbN5Qpd3sM5xwtqaeWf
MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIXtbkYlRrIcODMB
w5QsLC/NE1kj2l9k6VJJLjXFI0YlAiEA19SuoiaXCEagdxKXNkeOE3WqEngbl1YA
/wS+FQZqF7c=
-----END CERTIFICATE-----
`

const certificate = `\
-----BEGIN CERTIFICATE-----
MIIBvTCCAWKgAwIBAgIUCw9CtQtjpnZWwFfVDjTPd2k5cf8wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLVGVzdCBSRFMgQ0EwIBcNMjYxMTMwMTY0OTIxWhgPMjEyNjEx
MDYxNjQ5MjFaMC8xLTArBgNVBAMMJHNob3AuYWJjLnVzLWVhc3QtMS5yZHMuYW1h
em9uYXdzLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFl0KVGTGB4xpKM8
7kEHiQaukEy0Boov++xebkZ1j/dkRb4cx2/4Y+ERrmbqYiAt7OGTL8/y8IAUnI4C
j3vstuajczBxMC8GA1UdEQQoMCaCJHNob3AuYWJjLnVzLWVhc3QtMS5yZHMuYW1h
em9uYXdzLmNvbTAdBgNVHQ4EFgQUDS47WGQV+5VSoHCXvEEm31ypjS8wHwYDVR0j
BBgwFoAUO1kwNWCiNs3lCl3ewznHC2pp5Z8wCgYIKoZIzj0EAwIDSQAwRgIhAK1z
Vi3+4JCss5Yced2OhaTITiiTiXZKNGIMSDpVX+RLAiEA2Mi4H89wopdQkKW6oMIj
JU0/H7+3q6U5LMro5eYry6I=
-----END CERTIFICATE-----
`

const key = `\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmFwTT+sp4m+BCej8
A1L/T7kcMbndZ+dxbR4fghON7FyhRANCAARZdClRkxgeMaSjPO5BB4kGrpBMtAaK
L/vsXm5GdY/3ZEW+HMdv+GPhEa5m6mIgLezhky/P8vCAFJyOAo977Lbm
-----END PRIVATE KEY-----
`
