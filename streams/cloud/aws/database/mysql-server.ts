/** Connections to MySQL servers, Aurora included. */
import type { Connection } from 'mysql2/promise'
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

export interface MysqlClient {
  /** `?` stands for a value and `??` for a name. */
  query: <Row>(statement: string, values?: readonly unknown[]) => Promise<Row[]>
}

/**
 * The modes of the server would change how values are quoted. A generated password has 32 characters; a statement waits
 * 20 s at most for those of others.
 */
const sessionSql = `set session sql_mode = '', generated_random_password_length = 32, lock_wait_timeout = 20`

/** @throws a `cloudFault` */
export const withMysql = <T>(
  server: DatabaseServer,
  options: OutsideConnection,
  work: (client: MysqlClient) => Promise<T>,
): Promise<T> =>
  withServer(server, options, meaningOf, async (socket) => {
    const { host, port, user, password, ca } = server
    const { createConnection } = await import('mysql2/promise')
    const connection = await createConnection({
      host,
      port,
      user,
      password,
      stream: () => socket.setNoDelay(true).connect(port, host),
      ssl: { verifyIdentity: true, ...(ca !== undefined && { ca }) },
      connectTimeout: connectMs,
      connectAttributes: { program_name: 'tidemark' },
      // The server must not ask for files.
      flags: ['-LOCAL_FILES'],
      disableEval: true,
      jsonStrings: true,
    })
    connection.on('error', () => {})
    try {
      const client = clientOf(connection)
      await client.query(sessionSql)
      return await work(client)
    } finally {
      await connection.end().catch(() => {})
    }
  })

const clientOf = (connection: Connection): MysqlClient => ({
  query: async <Row>(statement: string, values: readonly unknown[] = []) => {
    const [rows] = await connection.query(statement, [...values])
    return rows as Row[]
  },
})

const unsupported: Meaning = {
  bucket: 'user_action',
  code: 'unsupported_provisioning',
  fixHint: 'Upgrade the server: databases need MySQL 8.0.21 or later, or Aurora MySQL 3.',
}

/** By error number. */
const meanings: ReadonlyMap<number, Meaning> = new Map([
  ...[1045, 1698, 1862, 3118].map((number) => [number, credentialsRefused] as const),
  ...[1044, 1142, 1227, 1370, 1410].map((number) => [number, permissionMissing] as const),
  ...[1040, 1053, 1203, 1205, 1213, 1226, 1290, 1317, 1836, 3024].map((number) => [number, unavailable] as const),
  [4006, inUse],
  // An unknown variable or table: both came with that version.
  [1109, unsupported],
  [1193, unsupported],
])

/** The number of an error of the server; the system's errors have negative ones. */
export const numberOf = (error: unknown): number => Math.max((error as { errno?: number }).errno ?? 0, 0)

function meaningOf(error: unknown): Meaning | undefined {
  const number = numberOf(error)
  return number === 0 ? undefined : (meanings.get(number) ?? rejection)
}
