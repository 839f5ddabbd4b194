/**
 * Databases with owners on flexible servers, by the wire protocol. The resource manager could create the database, but
 * neither its owner nor a mark: with the connection that these need, the server creates all three.
 */
import { createMysqlDatabase, dropMysqlDatabase } from '#streams/cloud/aws/database/mysql-database.ts'
import type { OwnerSecret } from '#streams/cloud/aws/database/mark.ts'
import { createPostgresDatabase, dropPostgresDatabase } from '#streams/cloud/aws/database/postgres-database.ts'
import type { DatabaseServer } from '#streams/cloud/aws/database/server.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import type { OutsideConnection } from '#streams/delivery/outbound-socket.ts'
import { unsupportedFault } from './step.ts'

export interface DatabaseOptions extends OutsideConnection {
  /** Certificate authorities of the servers (PEM); by default the public ones, which sign those of Azure. */
  authorities?: string
}

const protocols = {
  postgres: { create: createPostgresDatabase, drop: dropPostgresDatabase },
  mysql: { create: createMysqlDatabase, drop: dropMysqlDatabase },
} as const

/** @throws Fault `unsupported_provisioning` for engines that have no databases with owners */
function protocolOf({ engine }: DatabaseRequest): (typeof protocols)[keyof typeof protocols] {
  if (engine === 'postgres' || engine === 'mysql') return protocols[engine]
  throw unsupportedFault(`A database on a server of ${engine}`)
}

function serverOf({ authorities }: DatabaseOptions, { outputs, password }: DatabaseRequest): DatabaseServer {
  const { host, port, user } = { ...outputs['wait_available'], ...outputs['secret'] }
  if (typeof host !== 'string' || typeof port !== 'number' || typeof user !== 'string' || password === null)
    throw cloudFault('user_action', 'server_credentials_refused', 'How to connect to the server is not known.', {
      fixHint: 'Delete the job and create a new one.',
    })
  return { host, port, user, password, ca: authorities, endSessionSql: 'call mysql.az_kill(?)' }
}

export async function createDatabase(options: DatabaseOptions, request: DatabaseRequest): Promise<OwnerSecret> {
  return protocolOf(request).create(serverOf(options, request), options, request)
}

export async function dropDatabase(options: DatabaseOptions, request: DatabaseRequest): Promise<void> {
  await protocolOf(request).drop(serverOf(options, request), options, request)
}
