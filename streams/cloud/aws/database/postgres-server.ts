/** Connections to PostgreSQL servers. */
import pg from 'pg'
import type { OutsideConnection } from '#streams/delivery/outbound-socket.ts'
import {
  connectMs,
  credentialsRefused,
  inUse,
  permissionMissing,
  rejection,
  unavailable,
  withServer,
  type DatabaseServer,
  type Meaning,
} from './server.ts'

/** Connects to the database `postgres`. @throws a `cloudFault` */
export const withPostgres = <T>(
  server: DatabaseServer,
  options: OutsideConnection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> =>
  withServer(server, options, meaningOf, async (socket) => {
    const { host, port, user, password, ca } = server
    const client = new pg.Client({
      host,
      port,
      user,
      password,
      database: 'postgres',
      stream: () => socket,
      ssl: { servername: host, ...(ca !== undefined && { ca }) },
      connectionTimeoutMillis: connectMs,
      application_name: 'tidemark',
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return await work(client)
    } finally {
      await client.end().catch(() => {})
    }
  })

/** By the first characters of SQLSTATE. */
const meanings: readonly (readonly [string, Meaning])[] = [
  ['28', credentialsRefused],
  ['2BP01', inUse],
  ['42501', permissionMissing],
  ...['08', '40', '53', '55', '57'].map((state) => [state, unavailable] as const),
]

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  const { code = '' } = error
  return meanings.find(([state]) => code.startsWith(state))?.[1] ?? rejection
}
