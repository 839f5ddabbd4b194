/**
 * Database servers in Cloud SQL. They have an external address and no authorized network, so that only Google's proxy and
 * connectors reach them, with the permissions of the caller.
 */
import { randomBytes } from 'node:crypto'
import { isEnded, isOver, operationName, Answer } from './operation.ts'
import { fullName } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { countAt, isTrueAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import { Creation, look, pathOf, remove, uidPathOf, type CloudObject, type ObjectState } from './cloud-object.ts'
import {
  configFault,
  goneFault,
  labelsOf,
  ownName,
  waiting,
  type Describer,
  type NamedRequest,
  type ProvisionStep,
} from './step.ts'

const permissions = {
  get: 'cloudsql.instances.get',
  create: 'cloudsql.instances.create',
  delete: 'cloudsql.instances.delete',
  operation: 'cloudsql.instances.get',
} as const

/** 48 letters and digits, which all engines accept. */
const newPassword = (): string => randomBytes(24).toString('hex')

const isMysql = ({ config }: Pick<NamedRequest, 'config'>): boolean => config['engine'] === 'mysql'

/** The administrators that Cloud SQL creates. */
const adminOf = (request: NamedRequest) => (isMysql(request) ? { name: 'root', host: '%' } : { name: 'postgres' })
const portOf = (request: NamedRequest): number => (isMysql(request) ? 3306 : 5432)

/** Servers of Postgres are named by their major version, those of MySQL by two numbers. */
function databaseVersion({ config }: Pick<NamedRequest, 'config'>): string {
  const parts = String(config['version']).split('.')
  return isMysql({ config }) ? `MYSQL_${parts.slice(0, 2).join('_')}` : `POSTGRES_${parts[0]}`
}

const smallestDiskGb = 10

function settingsOf({ config, ...request }: NamedRequest & Partial<Pick<ProvisionRequest, 'tags'>>): object {
  const tier = String(config['instanceClass'])
  const days = countAt(config, 'backupRetentionDays') ?? 0
  // From these, servers can also be restored to a point in time; at most seven days are kept.
  const logs = isMysql({ config }) ? { binaryLogEnabled: true } : { pointInTimeRecoveryEnabled: true }
  return {
    tier,
    edition: tier.startsWith('db-perf-optimized') ? 'ENTERPRISE_PLUS' : 'ENTERPRISE',
    availabilityType: config['multiAZ'] === true ? 'REGIONAL' : 'ZONAL',
    dataDiskType: 'PD_SSD',
    dataDiskSizeGb: String(config['allocatedStorageGB']),
    backupConfiguration:
      days === 0
        ? { enabled: false }
        : {
            enabled: true,
            ...logs,
            transactionLogRetentionDays: Math.min(days, 7),
            backupRetentionSettings: { retentionUnit: 'COUNT', retainedBackups: days },
          },
    ipConfiguration: { ipv4Enabled: true, authorizedNetworks: [], sslMode: 'ENCRYPTED_ONLY' },
    deletionProtectionEnabled: false,
    userLabels: labelsOf({ tags: {}, ...request }),
  }
}

const states: Readonly<Record<string, ObjectState>> = {
  PENDING_CREATE: 'creating',
  MAINTENANCE: 'creating',
  FAILED: 'failed',
  PENDING_DELETE: 'deleting',
}

/** The server of a job. */
export const namedServer = ({ project }: GcpSession, request: Pick<NamedRequest, 'jobId'>): CloudObject => ({
  service: 'sqladmin',
  place: `/projects/${project}`,
  collection: 'instances',
  name: ownName(request),
  permissions,
  body: {},
})

function serverOf(session: GcpSession, request: NamedRequest & Partial<Pick<ProvisionRequest, 'tags'>>): CloudObject {
  const server = namedServer(session, request)
  return {
    ...server,
    body: {
      name: server.name,
      region: request.region,
      databaseVersion: databaseVersion(request),
      // A password nobody knows; a later step sets the one that is returned.
      rootPassword: newPassword(),
      settings: settingsOf(request),
    },
    stateOf: (found) => states[textAt(found, 'state') ?? ''] ?? 'ready',
    // The name of a deleted server stays taken for a while, so a failed one is not created again.
  }
}

export const validate: ProvisionStep = {
  make: async (_, { config }) => {
    if (isMysql({ config }) && !/^\d+\.\d+/.test(String(config['version'])))
      throw configFault(`version of mysql must have two numbers, for example 8.0, got ${String(config['version'])}.`)
    if ((countAt(config, 'allocatedStorageGB') ?? 0) < smallestDiskGb)
      throw configFault(`allocatedStorageGB must be at least ${smallestDiskGb} for Cloud SQL.`)
    if (config['multiAZ'] === true && config['backupRetentionDays'] === 0)
      throw configFault(
        'backupRetentionDays must be at least 1 with multiAZ: Cloud SQL has no standby without backups.',
      )
    return { status: 'done' }
  },
}

export const instance: ProvisionStep = {
  make: async (session, request) => {
    const server = serverOf(session, request)
    const creation = new Creation(session, request)
    if (!(await creation.ensure(server))) return creation.waiting
    return { status: 'done', output: { serverUid: fullName('cloudsql', uidPathOf(server)), name: server.name } }
  },
  unmake: async (session, request) =>
    (await remove(session, request, serverOf(session, request))) ? { status: 'done' } : waiting,
}

const hostOf = (found: Json): string | undefined =>
  textAt(
    listOf(found['ipAddresses']).find(({ type }) => type === 'PRIMARY'),
    'ipAddress',
  )

async function serverAt(session: GcpSession, request: NamedRequest): Promise<Json> {
  const server = serverOf(session, request)
  const found = await look(session, server)
  if (!found) throw goneFault(`The server ${server.name}`)
  return found
}

export const available: ProvisionStep = {
  make: async (session, request) => {
    const found = await serverAt(session, request)
    const host = hostOf(found)
    if (textAt(found, 'state') !== 'RUNNABLE' || host === undefined) return waiting
    return { status: 'done', output: { host, port: portOf(request) } }
  },
}

/** Each call sets a new password and returns it, so of two answers the later one is valid. */
export const secret: ProvisionStep = {
  make: async (session, request) => {
    const server = serverOf(session, request)
    const host = hostOf(await serverAt(session, request))
    const admin = adminOf(request)
    const password = newPassword()
    const call = {
      service: 'sqladmin',
      path: `${pathOf(server)}/users`,
      method: 'PUT',
      query: admin,
      body: { ...admin, password },
      permission: 'cloudsql.users.update',
    } as const
    const operation = await session.ask(call, Answer)
    isEnded(operation, server, session)
    return {
      status: 'done',
      output: { user: admin.name, host, port: portOf(request), passwordOperation: operationName(operation) },
      secrets: { admin: password },
    }
  },
  unmake: async () => ({ status: 'done' }),
}

/** Also waits until the password is set. */
export const verify: ProvisionStep = {
  make: async (session, request) => {
    const operation = textAt(memberOf(request.outputs, 'secret', 'passwordOperation'))
    if (operation !== undefined && !(await isOver(session, serverOf(session, request), operation))) return waiting
    return (await available.make(session, request)).status === 'done' ? { status: 'done' } : waiting
  },
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, serverOf(session, request))
  if (!found || textAt(found, 'state') === 'PENDING_DELETE') return null
  const { config } = request
  const settings = memberOf(found, 'settings')
  const version = textAt(found, 'databaseVersion')
  const backups = memberOf(settings, 'backupConfiguration')
  return {
    ...config,
    version: version === databaseVersion(request) ? config['version'] : version,
    instanceClass: textAt(settings, 'tier'),
    allocatedStorageGB: Number(textAt(settings, 'dataDiskSizeGb')),
    multiAZ: textAt(settings, 'availabilityType') === 'REGIONAL',
    backupRetentionDays: isTrueAt(backups, 'enabled')
      ? countAt(backups, 'backupRetentionSettings', 'retainedBackups')
      : 0,
  }
}
