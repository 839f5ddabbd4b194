/**
 * A PostgreSQL server in a customer's network: connections are encrypted, made to checked addresses only, and end before
 * the call does.
 */
import pg from 'pg'
import { Fault } from '#engine/value/fault.ts'
import { cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { OutsideSocket, type OutsideConnection } from '#streams/delivery/outbound-socket.ts'

export interface PostgresServer {
  host: string
  port: number
  user: string
  password: string
  /** Certificate authorities of the server (PEM). */
  ca: string
}

/** Milliseconds to connect, and for everything. A call of a connector has 60 seconds. */
const connectMs = 10_000
const wholeMs = 45_000

/** Connects to the database `postgres`. @throws a `cloudFault` */
export async function withPostgres<T>(
  server: PostgresServer,
  options: OutsideConnection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { host, port, user, password, ca } = server
  const socket = new OutsideSocket()
  const client = new pg.Client({
    host,
    port,
    user,
    password,
    database: 'postgres',
    stream: () => socket,
    ssl: { ca, servername: host },
    connectionTimeoutMillis: connectMs,
    application_name: 'tidemark',
  })
  const late = setTimeout(() => socket.destroy(new Error(`no answer within ${wholeMs} ms`)), wholeMs)
  client.on('error', () => {})
  try {
    await socket.check(host, options)
    await client.connect()
    return await work(client)
  } catch (error) {
    throw postgresFault(error, server)
  } finally {
    clearTimeout(late)
    await client.end().catch(() => {})
    socket.destroy()
  }
}

interface Meaning {
  bucket: Bucket
  code: string
  fixHint?: string
}

const unreachable: Meaning = {
  bucket: 'user_action',
  code: 'server_unreachable',
  fixHint:
    'The installation must be in a network from which the server can be reached, with ALLOW_PRIVATE_ADDRESSES=1 for private addresses, and the firewall of the server must allow its port.',
}

/** By the first characters of SQLSTATE. */
const meanings: readonly (readonly [string, Meaning])[] = [
  [
    '28',
    {
      bucket: 'user_action',
      code: 'server_credentials_refused',
      fixHint: 'Set the password of the administrator back.',
    },
  ],
  ['2BP01', { bucket: 'user_action', code: 'resource_in_use', fixHint: 'Drop what the owner has in other databases.' }],
  ['42501', { bucket: 'user_action', code: 'permission_missing' }],
  ...['08', '40', '53', '55', '57'].map(
    (state) => [state, { bucket: 'transient', code: 'cloud_unavailable' }] as const,
  ),
]

/** A server that restarts is reachable again soon. */
const networkCodes = /^(ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE)$/

function meaningOf(error: unknown): Meaning {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === 'address_refused') return unreachable
  if (networkCodes.test(code) || code === 'upstream_failed' || /timeout|terminated|no answer/i.test(message))
    return { ...unreachable, bucket: 'transient' }
  if (error instanceof pg.DatabaseError) {
    const found = meanings.find(([state]) => code.startsWith(state))
    return found?.[1] ?? { bucket: 'user_action', code: 'rejected' }
  }
  return {
    bucket: 'user_action',
    code: 'tls_refused',
    fixHint: 'The server must offer TLS with a certificate of its cloud.',
  }
}

function postgresFault(error: unknown, { host, port }: PostgresServer): Fault {
  if (error instanceof Fault && error.code !== 'address_refused' && error.code !== 'upstream_failed') return error
  const { bucket, code, fixHint } = meaningOf(error)
  const said = error instanceof Error ? error.message : String(error)
  const what = code === 'server_unreachable' ? 'cannot be reached from this installation' : 'refused the request'
  return cloudFault(bucket, code, `The server ${host}:${port} ${what}: ${said}`, { ...(fixHint && { fixHint }) }, error)
}
