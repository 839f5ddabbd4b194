/** Redis servers in Azure Cache for Redis, in several zones if a standby is requested. */
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { countAt, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { versionOf } from '#streams/cloud/provision.ts'
import { Creation, look, objectIn, removeAll, requireFound, uidIn, type CloudObject } from './cloud-object.ts'
import { configFault, waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

interface Size {
  tier: string
  family: string
  capacity: number
}

/** `Standard_C1`; there is no `Premium_C1`. Undefined for other words. */
function sizeOf({ config }: Pick<NamedRequest, 'config'>): Size | undefined {
  const [, tier, family, digit] =
    /^(?:(Basic|Standard)_(C)([0-6])|(?:(Premium)_(P)([1-5])))$/
      .exec(String(config['instanceClass']))
      ?.filter(Boolean) ?? []
  return tier === undefined ? undefined : { tier, family: family!, capacity: Number(digit) }
}

function serverOf(session: AzureSession, request: NamedRequest): CloudObject {
  const { config } = request
  const { tier = '', family = '', capacity = 0 } = sizeOf(request) ?? {}
  return objectIn(session, request, {
    type: 'Microsoft.Cache/redis',
    version: '2024-11-01',
    body: {
      properties: {
        sku: { name: tier, family, capacity },
        redisVersion: String(config['version']).split('.')[0],
        enableNonSslPort: false,
        minimumTlsVersion: '1.2',
        // Caches of tier Basic are a single node.
        ...(tier !== 'Basic' && { zonalAllocationPolicy: config['multiAZ'] === true ? 'Automatic' : 'NoZones' }),
      },
    },
  })
}

export const validate: ProvisionStep = {
  make: async (_, request) => {
    const { config } = request
    const size = sizeOf(request)
    if (!size)
      throw configFault(
        `instanceClass must be Basic_C0 to Basic_C6, Standard_C0 to Standard_C6 or Premium_P1 to Premium_P5 for redis, got ${String(config['instanceClass'])}.`,
      )
    if (config['multiAZ'] === true && size.tier === 'Basic')
      throw configFault('instanceClass must be of tier Standard or Premium with multiAZ: Basic has no standby.')
    if (config['allocatedStorageGB'] !== 0)
      throw configFault('allocatedStorageGB must be 0 for redis: instanceClass is the size of its memory.')
    if (config['backupRetentionDays'] !== 0)
      throw configFault('backupRetentionDays must be 0 for redis: Azure needs a storage account for backups.')
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

/** Only with TLS. */
const endpointOf = (found: Json) => {
  const properties = propertiesOf(found)
  return { host: textAt(properties, 'hostName'), port: countAt(properties, 'sslPort') ?? 6380 }
}

const serverAt = (session: AzureSession, request: NamedRequest): Promise<Json> =>
  requireFound(session, serverOf(session, request), 'The server')

export const available: ProvisionStep = {
  make: async (session, request) => {
    const found = await serverAt(session, request)
    const isReady = textAt(propertiesOf(found), 'provisioningState') === 'Succeeded'
    return isReady ? { status: 'done', output: endpointOf(found) } : waiting
  },
}

/** Azure has chosen the password. */
export const secret: ProvisionStep = {
  make: async (session, request) => {
    const { path, version } = serverOf(session, request)
    const found = await serverAt(session, request)
    const keys = await session.ask({ method: 'POST', path: `${path}/listKeys`, query: { 'api-version': version } })
    const key = textAt(keys, 'primaryKey')
    if (key === undefined) throw cloudFault('system', 'unknown_answer', 'Azure has returned no key of the cache.')
    return { status: 'done', output: { user: 'default', ...endpointOf(found) }, secrets: { admin: key } }
  },
  unmake: removeAll,
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, serverOf(session, request))
  if (!found || textAt(propertiesOf(found), 'provisioningState') === 'Deleting') return null
  const { config } = request
  const properties = propertiesOf(found)
  const [tier, family] = [textAt(properties, 'sku', 'name'), textAt(properties, 'sku', 'family')]
  const zones = textAt(properties, 'zonalAllocationPolicy')
  return {
    ...config,
    version: versionOf(String(config['version']), textAt(properties, 'redisVersion') ?? ''),
    instanceClass: `${tier}_${family}${countAt(properties, 'sku', 'capacity')}`,
    ...(zones !== undefined && { multiAZ: zones !== 'NoZones' }),
  }
}
