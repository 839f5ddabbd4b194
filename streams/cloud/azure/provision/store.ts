/**
 * Database servers: flexible servers of PostgreSQL and MySQL. They have a public address and no firewall rule, so that
 * nobody reaches them until a rule or a private endpoint is added.
 */
import { randomBytes } from 'node:crypto'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { countAt, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { change, isOver } from './operation.ts'
import {
  Creation,
  look,
  objectIn,
  removeAll,
  requireFound,
  uidIn,
  type CloudObject,
  type ObjectState,
} from './cloud-object.ts'
import { configFault, waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

interface Engine {
  type: string
  version: string
  port: number
  /** Gigabytes of a disk. */
  isSize: (gb: number) => boolean
  sizes: string
  backupDaysMin: number
}

/** Disks of PostgreSQL double in size. */
const doubling = new Set([32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_767])

const engines = {
  postgres: {
    type: 'Microsoft.DBforPostgreSQL/flexibleServers',
    version: '2024-08-01',
    port: 5432,
    isSize: (gb) => doubling.has(gb),
    sizes: `one of ${[...doubling].join(', ')}`,
    backupDaysMin: 7,
  },
  mysql: {
    type: 'Microsoft.DBforMySQL/flexibleServers',
    version: '2023-12-30',
    port: 3306,
    isSize: (gb) => gb >= 20 && gb <= 16_384,
    sizes: '20 to 16384',
    backupDaysMin: 1,
  },
} as const satisfies Record<string, Engine>

const nameIn = ({ config }: Pick<NamedRequest, 'config'>) => (config['engine'] === 'mysql' ? 'mysql' : 'postgres')
const engineOf = (request: Pick<NamedRequest, 'config'>): Engine => engines[nameIn(request)]

/** Names that Azure reserves are others. */
const admin = 'tidemark'

/** Azure requires capitals, small letters and digits. */
const newPassword = (): string => `Tm${randomBytes(24).toString('hex')}`

/** Servers of PostgreSQL are named by their major version. MySQL 8.0 has one name for all of its versions. */
function serverVersion({ config }: Pick<NamedRequest, 'config'>): string {
  const [major = '', minor] = String(config['version']).split('.')
  if (nameIn({ config }) === 'postgres') return major
  const two = minor === undefined ? major : `${major}.${minor}`
  return two === '8.0' ? '8.0.21' : two
}

/** By the series of the size. */
const tiers: readonly (readonly [RegExp, string])[] = [
  [/^Standard_B/, 'Burstable'],
  [/^Standard_D/, 'GeneralPurpose'],
  [/^Standard_E/, 'MemoryOptimized'],
]
const tierOf = ({ config }: Pick<NamedRequest, 'config'>): string | undefined =>
  tiers.find(([shape]) => shape.test(String(config['instanceClass'])))?.[1]

const states: Readonly<Record<string, ObjectState>> = {
  Ready: 'ready',
  Stopped: 'ready',
  Disabled: 'ready',
  Dropping: 'deleting',
}

const stateIn = (found: Json): string => textAt(found, 'properties', 'state') ?? ''

function serverOf(session: AzureSession, request: NamedRequest): CloudObject {
  const { config } = request
  const { type, version } = engineOf(request)
  return objectIn(session, request, {
    type,
    version,
    body: {
      sku: { name: config['instanceClass'], tier: tierOf(request) },
      properties: {
        version: serverVersion(request),
        administratorLogin: admin,
        // A password nobody knows; a later step sets the one that is returned.
        administratorLoginPassword: newPassword(),
        storage: { storageSizeGB: config['allocatedStorageGB'] },
        backup: { backupRetentionDays: config['backupRetentionDays'], geoRedundantBackup: 'Disabled' },
        highAvailability: { mode: config['multiAZ'] === true ? 'ZoneRedundant' : 'Disabled' },
        network: { publicNetworkAccess: 'Enabled' },
      },
    },
    stateOf: (found) => states[stateIn(found)] ?? 'creating',
  })
}

export const validate: ProvisionStep = {
  make: async (_, request) => {
    const { config } = request
    const { isSize, sizes, backupDaysMin } = engineOf(request)
    const tier = tierOf(request)
    const [gb, days] = [countAt(config, 'allocatedStorageGB') ?? 0, countAt(config, 'backupRetentionDays') ?? 0]
    if (tier === undefined)
      throw configFault(
        `instanceClass must be a size of series B, D or E, for example Standard_D2ds_v5, got ${String(config['instanceClass'])}.`,
      )
    if (config['multiAZ'] === true && tier === 'Burstable')
      throw configFault(
        'instanceClass must be a size of series D or E with multiAZ: Azure has no standby for series B.',
      )
    if (!isSize(gb))
      throw configFault(`allocatedStorageGB must be ${sizes} for ${nameIn(request)} on Azure, got ${gb}.`)
    if (days < backupDaysMin)
      throw configFault(
        `backupRetentionDays must be ${backupDaysMin} to 35 for ${nameIn(request)} on Azure, got ${days}.`,
      )
    return { status: 'done' }
  },
}

export const instance: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const server = serverOf(session, request)
    if (!(await creation.ensure(server))) return creation.waiting
    return { status: 'done', output: { serverUid: uidIn(server), name: server.name } }
  },
  unmake: removeAll,
}

const serverAt = (session: AzureSession, request: NamedRequest): Promise<Json> =>
  requireFound(session, serverOf(session, request), 'The server')

const endpointOf = (found: Json, request: NamedRequest) => ({
  host: textAt(propertiesOf(found), 'fullyQualifiedDomainName'),
  port: engineOf(request).port,
})

export const available: ProvisionStep = {
  make: async (session, request) => {
    const found = await serverAt(session, request)
    const endpoint = endpointOf(found, request)
    if (stateIn(found) !== 'Ready' || endpoint.host === undefined) return waiting
    return { status: 'done', output: endpoint }
  },
}

/** Each call sets a new password and returns it, so of two answers the later one is valid. */
export const secret: ProvisionStep = {
  make: async (session, request) => {
    const { path, version } = serverOf(session, request)
    const endpoint = endpointOf(await serverAt(session, request), request)
    const password = newPassword()
    const passwordOperation = await change(session, {
      method: 'PATCH',
      path,
      query: { 'api-version': version },
      body: { properties: { administratorLoginPassword: password } },
    })
    return {
      status: 'done',
      output: { user: admin, ...endpoint, ...(passwordOperation !== undefined && { passwordOperation }) },
      secrets: { admin: password },
    }
  },
  unmake: removeAll,
}

/** Also waits until the password is set. */
export const verify: ProvisionStep = {
  make: async (session, request) => {
    const operation = textAt(request.outputs, 'secret', 'passwordOperation')
    const { path } = serverOf(session, request)
    if (operation !== undefined && !(await isOver(session, operation, { method: 'PATCH', path }))) return waiting
    return (await available.make(session, request)).status === 'done' ? { status: 'done' } : waiting
  },
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, serverOf(session, request))
  if (!found || stateIn(found) === 'Dropping') return null
  const { config } = request
  const properties = propertiesOf(found)
  const version = textAt(properties, 'version')
  return {
    ...config,
    version: version === serverVersion(request) ? config['version'] : version,
    instanceClass: textAt(found, 'sku', 'name'),
    allocatedStorageGB: countAt(properties, 'storage', 'storageSizeGB'),
    multiAZ: (textAt(properties, 'highAvailability', 'mode') ?? 'Disabled') !== 'Disabled',
    backupRetentionDays: countAt(properties, 'backup', 'backupRetentionDays'),
  }
}
