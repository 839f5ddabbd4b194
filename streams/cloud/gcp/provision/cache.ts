/** Redis servers in Memorystore, with a replica in another zone if a standby is requested. */
import { t } from '#engine/value/schema.ts'
import { fullName } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { countAt, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
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
  get: 'redis.instances.get',
  create: 'redis.instances.create',
  delete: 'redis.instances.delete',
  operation: 'redis.operations.get',
} as const

/** Google's capacity tiers: GB of memory from and to. */
const tiers: Readonly<Record<string, readonly [number, number]>> = {
  M1: [1, 4],
  M2: [5, 10],
  M3: [11, 35],
  M4: [36, 100],
  M5: [101, 300],
}

/** GB of memory: `allocatedStorageGB`; 0 is the least of the class. @throws a fault of the config */
function memoryOf({ config }: Pick<NamedRequest, 'config'>): number {
  const size = String(config['instanceClass'])
  const [least, most] = tiers[size] ?? []
  if (least === undefined || most === undefined)
    throw configFault(`instanceClass must be one of ${Object.keys(tiers).join(', ')} for redis, got ${size}.`)
  const gb = countAt(config, 'allocatedStorageGB') || least
  if (gb < least || gb > most)
    throw configFault(`allocatedStorageGB must be 0, or ${least} to ${most} GB of memory for ${size}, got ${gb}.`)
  return gb
}

/** `REDIS_7_2`; there is one version 6.x only. */
function redisVersion({ config }: Pick<NamedRequest, 'config'>): string {
  const [major, minor = '0'] = String(config['version']).split('.')
  return major === '6' ? 'REDIS_6_X' : `REDIS_${major}_${minor}`
}

const states: Readonly<Record<string, ObjectState>> = { CREATING: 'creating', FAILED: 'failed', DELETING: 'deleting' }

function serverOf(
  { project }: GcpSession,
  request: NamedRequest & Partial<Pick<ProvisionRequest, 'tags'>>,
): CloudObject {
  const { config, region } = request
  const name = ownName(request)
  const hasBackups = (countAt(config, 'backupRetentionDays') ?? 0) > 0
  return {
    service: 'redis',
    place: `/projects/${project}/locations/${region}`,
    collection: 'instances',
    name,
    permissions,
    query: { instanceId: name },
    body: {
      tier: config['multiAZ'] === true ? 'STANDARD_HA' : 'BASIC',
      memorySizeGb: memoryOf(request),
      redisVersion: redisVersion(request),
      authEnabled: true,
      // A snapshot a day; only the newest is kept.
      ...(hasBackups && { persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'TWENTY_FOUR_HOURS' } }),
      labels: labelsOf({ tags: {}, ...request }),
    },
    stateOf: (found) => states[textAt(found, 'state') ?? ''] ?? 'ready',
    isReplaceable: true,
  }
}

export const validate: ProvisionStep = {
  make: async (_, request) => {
    memoryOf(request)
    return { status: 'done' }
  },
}

export const instance: ProvisionStep = {
  make: async (session, request) => {
    const server = serverOf(session, request)
    const creation = new Creation(session, request)
    if (!(await creation.ensure(server))) return creation.waiting
    return { status: 'done', output: { serverUid: fullName('redis', uidPathOf(server)), name: server.name } }
  },
  unmake: async (session, request) =>
    (await remove(session, request, serverOf(session, request))) ? { status: 'done' } : waiting,
}

const endpointOf = (found: Json) => ({ host: textAt(found, 'host'), port: countAt(found, 'port') ?? 6379 })

async function serverAt(session: GcpSession, request: NamedRequest): Promise<Json> {
  const server = serverOf(session, request)
  const found = await look(session, server)
  if (!found) throw goneFault(`The server ${server.name}`)
  return found
}

export const available: ProvisionStep = {
  make: async (session, request) => {
    const found = await serverAt(session, request)
    return textAt(found, 'state') === 'READY' ? { status: 'done', output: endpointOf(found) } : waiting
  },
}

const AuthAnswer = t.Object({ authString: t.String() })

/** Google has chosen the password. */
export const secret: ProvisionStep = {
  make: async (session, request) => {
    const found = await serverAt(session, request)
    const path = `${pathOf(serverOf(session, request))}/authString`
    const call = { service: 'redis', path, permission: 'redis.instances.getAuthString' } as const
    const { authString } = await session.ask(call, AuthAnswer)
    return { status: 'done', output: { user: 'default', ...endpointOf(found) }, secrets: { admin: authString } }
  },
  unmake: async () => ({ status: 'done' }),
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, serverOf(session, request))
  if (!found || textAt(found, 'state') === 'DELETING') return null
  const { config } = request
  const version = textAt(found, 'redisVersion')
  const memory = countAt(found, 'memorySizeGb')
  return {
    ...config,
    version: version === redisVersion(request) ? config['version'] : version,
    allocatedStorageGB: memory === memoryOf(request) ? config['allocatedStorageGB'] : memory,
    multiAZ: textAt(found, 'tier') === 'STANDARD_HA',
  }
}
