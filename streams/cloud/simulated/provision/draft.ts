/** What each provisioning step creates, in the terms of each provider. */
import type { Provider } from '#streams/names.ts'
import type { ProvisioningKind, ProvisionRequest } from '#streams/cloud/provision.ts'
import type { MadeObject } from '#streams/cloud/simulated/action/log.ts'

/** An object before it has an id. */
export type DraftObject = Omit<MadeObject, 'uid'>

export interface ProvisionDraft {
  objects: readonly DraftObject[]
  /** Milliseconds until it is available. */
  lasts: number
  /** Output in addition to what `told` makes from the uids of its objects, in their order. */
  output?: Record<string, unknown>
  told: (uids: readonly string[]) => Record<string, unknown>
  /** It is the main object, described by the config. */
  isMain?: true
}

type Drafting = (request: ProvisionRequest, provider: Provider, name: string) => ProvisionDraft

type ByProvider = Readonly<Record<Provider, string>>

const types = {
  firewall: { aws: 'aws-security-group', gcp: 'gcp-firewall-rule', azure: 'azure-nsg' },
  cluster: { aws: 'aws-eks', gcp: 'gcp-gke', azure: 'azure-aks' },
  nodes: { aws: 'aws-eks-nodegroup', gcp: 'gcp-gke-nodepool', azure: 'azure-aks-nodepool' },
  postgres: { aws: 'aws-rds', gcp: 'gcp-cloudsql', azure: 'azure-postgres' },
  mysql: { aws: 'aws-rds', gcp: 'gcp-cloudsql', azure: 'azure-mysql' },
  redis: { aws: 'aws-elasticache', gcp: 'gcp-memorystore', azure: 'azure-redis' },
  pool: { aws: 'aws-asg', gcp: 'gcp-mig', azure: 'azure-vmss' },
  balancer: { aws: 'aws-alb', gcp: 'gcp-forwarding-rule', azure: 'azure-load-balancer' },
  registry: { aws: 'aws-ecr-repository', gcp: 'gcp-artifact-repo', azure: 'azure-acr' },
} as const satisfies Record<string, ByProvider>

const ports = { postgres: 5432, mysql: 3306, redis: 6379 } as const
type Engine = keyof typeof ports

/** Milliseconds; much shorter than in real clouds. */
const lasting = { cluster: 20_000, nodes: 10_000, server: 20_000, pool: 10_000, balancer: 10_000 } as const

const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)
const count = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise)
const list = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value : [])
const engineOf = ({ config }: ProvisionRequest): Engine =>
  Object.hasOwn(ports, text(config['engine'])) ? (config['engine'] as Engine) : 'postgres'

const hostOf = (name: string, { region }: ProvisionRequest): string => `${name}.${region}.simulated.example`

const firewall: Drafting = (_request, provider, name) => ({
  objects: [{ name: `${name}-nodes`, type: types.firewall[provider] }],
  lasts: 0,
  told: ([uid]) => ({ networkUid: uid }),
})

const cluster: Drafting = (request, provider, name) => ({
  objects: [{ name, type: types.cluster[provider], specs: { version: request.config['version'] } }],
  lasts: lasting.cluster,
  output: { name, version: request.config['version'], endpoint: `https://${hostOf(name, request)}` },
  told: ([uid]) => ({ clusterUid: uid }),
  isMain: true,
})

/** For a group of machines, the minimum count. */
const toUnits = (of: Record<string, unknown>): Pick<DraftObject, 'units' | 'specs'> => {
  const [min, max] = [count(of['min']), count(of['max'], 1)]
  return { units: min, specs: { min_size: min, max_size: max, desired: min } }
}

/** Maximum bytes of a list in the output; an output has at most 16 KiB. */
const listBytesMax = 12 * 1024

/** Names and uids; only names if the list would be too long. */
function toNamedList(
  what: string,
  of: readonly Record<string, unknown>[],
  uids: readonly string[],
): Record<string, unknown> {
  const whole = of.map(({ name }, i) => ({ name, uid: uids[i] }))
  if (Buffer.byteLength(JSON.stringify(whole)) <= listBytesMax) return { [what]: whole }
  return { [what]: of.map(({ name }) => ({ name })), truncated: true }
}

const nodeGroups: Drafting = ({ config, outputs }, provider) => {
  const groups = list(config['nodeGroups'])
  const parentUid = text(outputs['control_plane']?.['clusterUid'])
  return {
    objects: groups.map((group) => ({
      name: text(group['name'], 'nodes'),
      type: types.nodes[provider],
      size: text(group['instanceType']),
      parentUid,
      ...toUnits(group),
    })),
    lasts: lasting.nodes,
    told: (uids) => toNamedList('nodeGroups', groups, uids),
  }
}

/** Objects that are not in an inventory are identified only by name. */
const draftUnlisted =
  (what: string): Drafting =>
  (_request, _provider, name) => ({
    objects: [{ name: `${name}-${what}` }],
    lasts: 0,
    output: { name: `${name}-${what}` },
    told: () => ({}),
  })

const server: Drafting = (request, provider, name) => {
  const { config } = request
  const engine = engineOf(request)
  const size = text(config['instanceClass'])
  const gb = count(config['allocatedStorageGB'])
  return {
    objects: [
      {
        name,
        type: types[engine][provider],
        size,
        ...(engine !== 'redis' && { gb }),
        specs: {
          engine,
          engine_version: config['version'],
          multi_az: config['multiAZ'] === true,
          backup_retention_days: count(config['backupRetentionDays']),
        },
      },
    ],
    lasts: lasting.server,
    output: { host: hostOf(name, request), port: ports[engine] },
    told: ([uid]) => ({ serverUid: uid }),
    isMain: true,
  }
}

const secret: Drafting = (request, _provider, name) => ({
  objects: [{ name: `${name}-admin` }],
  lasts: 0,
  output: {
    user: 'tidemark_admin',
    host: text(request.outputs['instance']?.['host']),
    port: count(request.outputs['instance']?.['port'], ports[engineOf(request)]),
  },
  told: () => ({}),
})

const pool: Drafting = ({ config }, provider, name) => ({
  objects: [{ name, type: types.pool[provider], size: text(config['instanceType']), ...toUnits({ ...config }) }],
  lasts: lasting.pool,
  output: { name },
  told: ([uid]) => ({ groupUid: uid }),
  isMain: true,
})

const balancer: Drafting = (request, provider, name) => ({
  objects: [{ name: `${name}-lb`, type: types.balancer[provider] }],
  lasts: lasting.balancer,
  output: { address: hostOf(`${name}-lb`, request) },
  told: ([uid]) => ({ loadBalancerUid: uid }),
  ...(request.kind === 'load_balancer' && { isMain: true as const }),
})

/** A network with its subnets; for Google, only subnets are in the inventory. */
const network: Drafting = ({ config }, provider, name) => {
  const whole = { aws: 'aws-vpc', gcp: undefined, azure: 'azure-vnet' }[provider]
  const part = provider === 'gcp' ? 'gcp-subnet' : undefined
  const subnets = list(config['subnets'])
  const typed = (type: string | undefined, cidr: unknown) => ({ ...(type !== undefined && { type }), specs: { cidr } })
  return {
    objects: [
      { name, ...typed(whole, config['cidr']) },
      ...subnets.map((subnet) => ({ name: text(subnet['name'], 'subnet'), ...typed(part, subnet['cidr']) })),
    ],
    lasts: 0,
    told: ([uid, ...parts]) => ({
      networkUid: uid,
      ...toNamedList('subnets', subnets, parts),
    }),
    isMain: true,
  }
}

const registry: Drafting = (request, provider, name) => ({
  objects: [{ name, type: types.registry[provider] }],
  lasts: 0,
  output: { uri: `registry.${request.region}.simulated.example/${name}` },
  told: ([uid]) => ({ registryUid: uid }),
  isMain: true,
})

const component: Drafting = ({ config, clusterUid }, provider, name) => ({
  objects: [
    {
      name: text(config['componentID'], name),
      type: `${types.cluster[provider]}-deployment`,
      ...(clusterUid !== null && { parentUid: clusterUid }),
      specs: { namespace: 'tidemark-components', replicas: 1 },
    },
  ],
  lasts: 0,
  output: { namespace: 'tidemark-components' },
  told: ([uid]) => ({ workloadUid: uid }),
  isMain: true,
})

/** It reports how to connect to a server, without an object of its own. */
const connection: Drafting = (request, _provider, name) => ({
  objects: [],
  lasts: 0,
  output: { engine: 'postgres', host: hostOf(name, request), port: ports.postgres, user: 'tidemark_admin' },
  told: () => ({}),
  isMain: true,
})

const drafts: Readonly<Record<ProvisioningKind, Readonly<Record<string, Drafting>>>> = {
  kubernetes: { network: firewall, control_plane: cluster, node_groups: nodeGroups },
  datastore: { subnet_group: draftUnlisted('subnets'), instance: server, secret },
  vm_pool: { template: draftUnlisted('template'), group: pool, load_balancer: balancer },
  network: { create: network },
  registry: { create: registry },
  load_balancer: { create: balancer },
  component: { create: component },
  existing_datastore: { connect: connection },
}

/** Undefined for a step that only checks. */
export const draftOf = (request: ProvisionRequest, provider: Provider): ProvisionDraft | undefined =>
  drafts[request.kind][request.step]?.(request, provider, nameOf(request))

/** The name in the config, or the engine and the job. */
export const nameOf = ({ config, jobId }: Pick<ProvisionRequest, 'config' | 'jobId'>): string =>
  text(config['name']) || `${text(config['engine']) || text(config['componentID'], 'job')}-${jobId.slice(0, 8)}`

/** The step that creates the main object. */
export const mainStep = (kind: ProvisioningKind): string =>
  (
    { kubernetes: 'control_plane', datastore: 'instance', vm_pool: 'group', existing_datastore: 'connect' } as Partial<
      Record<string, string>
    >
  )[kind] ?? 'create'
