/**
 * A database server in a customer's network: connections are encrypted, made to checked addresses only, and end before
 * the call does.
 */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { OutsideSocket, type OutsideConnection } from '#streams/delivery/outbound-socket.ts'

export interface DatabaseServer {
  host: string
  port: number
  user: string
  password: string
  /** Certificate authorities of the server (PEM); undefined: the public ones. */
  ca: string | undefined
  /** Ends a session of another user of MySQL, by its id; that of RDS by default. */
  endSessionSql?: string
}

/** Milliseconds to connect, and for everything. A call of a connector has 60 seconds. */
export const connectMs = 10_000
const wholeMs = 45_000

export interface Meaning {
  bucket: Bucket
  code: string
  fixHint?: string
}

/** What an error of the server itself means; undefined if it comes from elsewhere. */
export type MeaningOf = (error: unknown) => Meaning | undefined

/** `work` connects by the socket and leaves it to be destroyed. @throws a `cloudFault` */
export async function withServer<T>(
  server: DatabaseServer,
  options: OutsideConnection,
  meaningOf: MeaningOf,
  work: (socket: OutsideSocket) => Promise<T>,
): Promise<T> {
  const socket = new OutsideSocket()
  const late = setTimeout(() => socket.destroy(new Error(`no answer within ${wholeMs} ms`)), wholeMs)
  try {
    await socket.check(server.host, options)
    return await work(socket)
  } catch (error) {
    throw serverFault(error, server, meaningOf)
  } finally {
    clearTimeout(late)
    socket.destroy()
  }
}

export const credentialsRefused: Meaning = {
  bucket: 'user_action',
  code: 'server_credentials_refused',
  fixHint: 'Set the password of the administrator back.',
}
export const inUse: Meaning = {
  bucket: 'user_action',
  code: 'resource_in_use',
  fixHint: 'Drop what the owner has in other databases.',
}
export const permissionMissing: Meaning = { bucket: 'user_action', code: 'permission_missing' }
export const unavailable: Meaning = { bucket: 'transient', code: 'cloud_unavailable' }
export const rejection: Meaning = { bucket: 'user_action', code: 'rejected' }

const unreachable: Meaning = {
  bucket: 'user_action',
  code: 'server_unreachable',
  fixHint:
    'The installation must be in a network from which the server can be reached, with ALLOW_PRIVATE_ADDRESSES=1 for private addresses, and the firewall of the server must allow its port.',
}

/** A server that restarts is reachable again soon. */
const networkCodes = /^(ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|PROTOCOL_\w+)$/

function generalMeaning(error: unknown): Meaning {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === 'address_refused') return unreachable
  if (
    networkCodes.test(code) ||
    code === 'upstream_failed' ||
    /timeout|terminated|no answer|disconnected/i.test(message)
  )
    return { ...unreachable, bucket: 'transient' }
  return {
    bucket: 'user_action',
    code: 'tls_refused',
    fixHint: 'The server must offer TLS with a certificate of its cloud.',
  }
}

function serverFault(error: unknown, { host, port }: DatabaseServer, meaningOf: MeaningOf): Fault {
  if (error instanceof Fault && error.code !== 'address_refused' && error.code !== 'upstream_failed') return error
  const { bucket, code, fixHint } = meaningOf(error) ?? generalMeaning(error)
  const said = error instanceof Error ? error.message : String(error)
  const what = code === 'server_unreachable' ? 'cannot be reached from this installation' : 'refused the request'
  return cloudFault(bucket, code, `The server ${host}:${port} ${what}: ${said}`, { ...(fixHint && { fixHint }) }, error)
}
