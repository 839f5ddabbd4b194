/**
 * Databases with owners on servers in Cloud SQL, by its own interface: neither the address of the server nor a password
 * is needed. Users and databases have no labels. So a label of the server, set while neither exists yet, says that what
 * has the names of a database is ours.
 */
import { Fault } from '#engine/value/fault.ts'
import { checkMysqlOwner } from '#streams/cloud/aws/database/mysql-database.ts'
import { newPassword, takenFault, type OwnerSecret } from '#streams/cloud/aws/database/mark.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import type { ClusterOptions } from '#streams/cloud/gcp/cluster/cluster.ts'
import { openGcp, type GcpCall, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { listOf, memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import { look, pathOf, type CloudObject } from './cloud-object.ts'
import { Answer, isEnded, isOver, operationName } from './operation.ts'
import { goneFault, isOwned, unsupportedFault } from './step.ts'
import { namedServer } from './store.ts'

/** Milliseconds for all operations of a call, which has 60 seconds. Below: between two looks at one, at first. */
const wholeMs = 40_000
const firstPauseMs = 250

/** Maximum labels of a server. */
const labelsMax = 64

const engines = {
  postgres: { user: {}, database: { charset: 'UTF8' } },
  mysql: { user: { host: '%' }, database: { charset: 'utf8mb4' } },
} as const

const listPermissions = { users: 'cloudsql.users.list', databases: 'cloudsql.databases.list' } as const

type Call = Pick<GcpCall, 'permission' | 'query' | 'body' | 'repeatable'> & {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the server. */
  of?: string
}

/** A server while one of its databases is created or dropped. */
class Server {
  readonly request: DatabaseRequest
  readonly engine: (typeof engines)[keyof typeof engines]
  private readonly session: GcpSession
  private readonly object: CloudObject
  private readonly clock: ClusterOptions['clock']
  private readonly endAt: number

  /** @throws Fault `unsupported_provisioning` for servers of other engines */
  constructor(options: ClusterOptions, account: CloudAccount, request: DatabaseRequest) {
    if (request.engine !== 'postgres' && request.engine !== 'mysql')
      throw unsupportedFault(`A database on a server of ${request.engine}`)
    this.engine = engines[request.engine]
    this.request = request
    this.session = openGcp(account, options)
    this.object = namedServer(this.session, request)
    this.clock = options.clock
    this.endAt = this.clock.now() + wholeMs
  }

  /** Undefined if it does not exist, or belongs to somebody else. */
  async look(): Promise<Json | undefined> {
    const found = await look(this.session, this.object)
    return found && isOwned(found, this.request) ? found : undefined
  }

  goneFault(): Fault {
    return goneFault(`The server ${this.object.name}`)
  }

  /** Whether there is a user or a database of the name. */
  async has(collection: 'users' | 'databases', name: string): Promise<boolean> {
    const call = { service: 'sqladmin', path: `${pathOf(this.object)}/${collection}` } as const
    const found = await this.session.ask({ ...call, permission: listPermissions[collection] }, Answer)
    return listOf(found['items']).some((one) => one['name'] === name)
  }

  /** Until its operation has ended. @throws what the operation failed with, and `transient` if it takes too long */
  async change({ of = '', ...call }: Call): Promise<void> {
    const path = `${pathOf(this.object)}${of}`
    const operation = await this.session.ask({ service: 'sqladmin', path, ...call }, Answer)
    let isDone = isEnded(operation, this.object, this.session)
    for (let pauseMs = firstPauseMs; !isDone; pauseMs *= 2) {
      if (this.clock.now() + pauseMs > this.endAt)
        throw cloudFault('transient', 'conflict', `Cloud SQL is still changing ${this.object.name}.`)
      await this.clock.sleep(pauseMs)
      isDone = await isOver(this.session, this.object, operationName(operation))
    }
  }

  /** Unless somebody else changes the server at the same moment. */
  label(found: Json, labels: Record<string, string | null>): Promise<void> {
    const settings = { settingsVersion: memberOf(found, 'settings', 'settingsVersion'), userLabels: labels }
    return this.change({
      method: 'PATCH',
      body: { settings },
      permission: 'cloudsql.instances.update',
      repeatable: false,
    })
  }
}

const labelOf = ({ databaseId }: DatabaseRequest): string => `tidemark-database-${databaseId}`
const labelsIn = (found: Json) => objectOf(memberOf(found, 'settings', 'userLabels')) as Record<string, string>
const isClaimed = (found: Json, request: DatabaseRequest): boolean =>
  textAt(labelsIn(found), labelOf(request)) !== undefined

/**
 * Each call sets a new password and returns it. A call that was interrupted is completed by the next.
 * @throws a `user_action` fault `already_exists` before anything is created
 */
export async function createDatabase(
  options: ClusterOptions,
  account: CloudAccount,
  request: DatabaseRequest,
): Promise<OwnerSecret> {
  const server = new Server(options, account, request)
  const found = await server.look()
  if (!found) throw server.goneFault()
  if (request.engine === 'mysql') checkMysqlOwner(request)
  if (!isClaimed(found, request)) await claim(server, found)
  const password = await ensureOwner(server)
  const { name } = request
  if (!(await server.has('databases', name)))
    await server.change({
      method: 'POST',
      of: '/databases',
      body: { name, ...server.engine.database },
      permission: 'cloudsql.databases.create',
      repeatable: false,
    })
  return { secrets: { [request.owner]: password } }
}

async function claim(server: Server, found: Json): Promise<void> {
  const { request } = server
  if (await server.has('users', request.owner)) throw takenFault('user', request.owner)
  if (await server.has('databases', request.name)) throw takenFault('database', request.name)
  const labels = labelsIn(found)
  if (Object.keys(labels).length >= labelsMax)
    throw cloudFault('user_action', 'quota_exceeded', `The server has ${labelsMax} labels, one for each database.`, {
      fixHint: 'Delete databases you do not need, or create another server.',
    })
  await server.label(found, { ...labels, [labelOf(request)]: request.name })
}

/** The new password. */
async function ensureOwner(server: Server): Promise<string> {
  const { owner } = server.request
  const password = newPassword()
  const user = { name: owner, ...server.engine.user }
  const body = { ...user, password }
  await server.change(
    (await server.has('users', owner))
      ? { method: 'PUT', of: '/users', query: user, body, permission: 'cloudsql.users.update' }
      : { method: 'POST', of: '/users', body, permission: 'cloudsql.users.create', repeatable: false },
  )
  return password
}

/** Drops what is ours, the database first. */
export async function dropDatabase(
  options: ClusterOptions,
  account: CloudAccount,
  request: DatabaseRequest,
): Promise<void> {
  const server = new Server(options, account, request)
  const found = await server.look()
  if (!found || !isClaimed(found, request)) return
  const { name, owner } = request
  if (await server.has('databases', name))
    await remove(server, { of: `/databases/${name}`, permission: 'cloudsql.databases.delete' })
  if (await server.has('users', owner))
    await remove(server, {
      of: '/users',
      query: { name: owner, ...server.engine.user },
      permission: 'cloudsql.users.delete',
    })
  // Its settings have another version now.
  const now = await server.look()
  if (now) await server.label(now, { ...labelsIn(now), [labelOf(request)]: null })
}

/** What is gone was dropped by a call whose answer was lost. */
async function remove(server: Server, call: Omit<Call, 'method'>): Promise<void> {
  try {
    await server.change({ method: 'DELETE', ...call })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === 'not_found') return
    const hint = inUse.find(([said]) => said.test(error.message))?.[1]
    if (hint === undefined) throw error
    throw cloudFault('user_action', 'resource_in_use', error.message, { fixHint: hint }, error)
  }
}

/** What PostgreSQL says, which Cloud SQL passes on. */
const inUse: readonly (readonly [RegExp, string])[] = [
  [/depend on it|cannot be dropped/i, 'Drop what the owner has in other databases.'],
  [/being accessed by other users/i, 'End the sessions in the database.'],
]
