/** What is provisioned, by kind (decision G-86): the one shape that making, estimating and comparing read. */
import { t, type Static, type TObject } from '#engine/schema.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { text } from '#streams/text.ts'

/** Bytes of a config as JSON, at most. */
export const configBytesMax = 64 * 1024

const unitsMax = 1_000
const groupsMax = 30

/** As clouds take it: it begins with a letter. */
const name = text({
  pattern: '^[A-Za-z][A-Za-z0-9_-]{0,62}$',
  description: 'letters, digits, - and _, from a letter on',
})
const id = (description: string) => text({ minLength: 1, maxLength: 1024, description })
const instanceType = text({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$', description: 'as the cloud calls it' })
const min = t.Integer({ minimum: 0, maximum: unitsMax, description: 'units at least' })
const max = t.Integer({ minimum: 1, maximum: unitsMax, description: 'units at most, not less than min' })
const port = t.Integer({ minimum: 1, maximum: 65_535 })
const cidr = text({ minLength: 9, maxLength: 18, description: 'an IPv4 range such as 10.0.0.0/16, /8 to /28' })
const version = text({ pattern: '^\\d{1,4}(?:\\.\\d{1,4}){0,3}$', description: 'digits between points, such as 1.31' })

export const engines = ['postgres', 'mysql', 'redis'] as const
export const protocols = ['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'http', 'https', 'tcp', 'tls', 'udp'] as const

const Kubernetes = t.Object(
  {
    name,
    version,
    nodeGroups: t.Array(t.Object({ name, instanceType, min, max }), { minItems: 1, maxItems: groupsMax }),
    vpcID: id('the network that the cluster is put into'),
    subnetIDs: t.Array(id('a subnet of the network'), { minItems: 1, maxItems: 16 }),
  },
  {
    title: 'KubernetesConfig',
    examples: [
      {
        name: 'shop',
        version: '1.31',
        nodeGroups: [{ name: 'general', instanceType: 'm5.large', min: 2, max: 6 }],
        vpcID: 'vpc-0a1b2c3d',
        subnetIDs: ['subnet-0a', 'subnet-0b'],
      },
    ],
  },
)

const Datastore = t.Object(
  {
    name: t.Optional(name),
    engine: t.Enum(engines),
    version,
    instanceClass: instanceType,
    allocatedStorageGB: t.Integer({ minimum: 0, maximum: 65_536, description: '0 for redis alone' }),
    multiAZ: t.Boolean({ description: 'true: a second one stands by in another zone' }),
    backupRetentionDays: t.Integer({ minimum: 0, maximum: 35, description: '0: no backups' }),
  },
  {
    title: 'DatastoreConfig',
    examples: [
      {
        engine: 'postgres',
        version: '16.3',
        instanceClass: 'db.m5.large',
        allocatedStorageGB: 100,
        multiAZ: true,
        backupRetentionDays: 7,
      },
    ],
  },
)

const VmPool = t.Object(
  {
    name,
    instanceType,
    min,
    max,
    createLoadBalancer: t.Boolean({ description: 'true: one is put before the pool' }),
    listenerPorts: t.Array(port, { maxItems: 50, description: 'of the load balancer; one at least where it is made' }),
  },
  {
    title: 'VmPoolConfig',
    examples: [
      {
        name: 'workers',
        instanceType: 'm5.large',
        min: 2,
        max: 8,
        createLoadBalancer: true,
        listenerPorts: [80, 443],
      },
    ],
  },
)

const Network = t.Object(
  {
    name,
    cidr,
    subnets: t.Array(
      t.Object({
        name,
        cidr,
        zone: t.Optional(text({ pattern: '^[a-z0-9-]{1,64}$', description: 'the cloud chooses unless given' })),
        public: t.Boolean({ description: 'true: reached from outside' }),
      }),
      { minItems: 1, maxItems: 64, description: 'within the network, and none within another' },
    ),
  },
  {
    title: 'NetworkConfig',
    examples: [
      {
        name: 'shop',
        cidr: '10.20.0.0/16',
        subnets: [
          { name: 'public-a', cidr: '10.20.0.0/20', zone: 'us-east-1a', public: true },
          { name: 'private-a', cidr: '10.20.128.0/20', zone: 'us-east-1a', public: false },
        ],
      },
    ],
  },
)

const Registry = t.Object(
  {
    name: text({
      pattern: '^[a-z0-9]+(?:[._/-]+[a-z0-9]+)*$',
      maxLength: 100,
      description: 'as images are named: small letters and digits between . _ - and /',
    }),
    immutableTags: t.Boolean({ description: 'true: a tag that is pushed stays what it is' }),
  },
  { title: 'RegistryConfig', examples: [{ name: 'images', immutableTags: true }] },
)

const LoadBalancer = t.Object(
  {
    name,
    scheme: t.Enum(['public', 'internal']),
    listeners: t.Array(t.Object({ port, protocol: t.Enum(protocols), targetPort: port }), {
      minItems: 1,
      maxItems: 50,
      description: 'each of a port and protocol of its own',
    }),
    targetUID: text({ minLength: 1, maxLength: 2048, description: 'uid of what takes the traffic' }),
  },
  {
    title: 'LoadBalancerConfig',
    examples: [
      {
        name: 'shop',
        scheme: 'public',
        listeners: [{ port: 443, protocol: 'HTTPS', targetPort: 8080 }],
        targetUID: 'asg-web',
      },
    ],
  },
)

const Component = t.Object(
  {
    componentID: text({ minLength: 1, maxLength: 100, description: 'as GET /catalog/components names it' }),
    values: t.Record(t.String(), t.Unknown(), { description: 'by the schema of the component; defaults for the rest' }),
  },
  { title: 'ComponentConfig', examples: [{ componentID: 'ingress-nginx', values: { replicas: 3 } }] },
)

export const configSchemas = {
  kubernetes: Kubernetes,
  datastore: Datastore,
  vm_pool: VmPool,
  network: Network,
  registry: Registry,
  load_balancer: LoadBalancer,
  component: Component,
} as const satisfies Record<ProvisioningKind, TObject>

export type Configs = { [Kind in ProvisioningKind]: Static<(typeof configSchemas)[Kind]> }

/** The name that a config gives what is made by it; undefined for the kinds that have none. */
export const nameIn = (config: Readonly<Record<string, unknown>>): string | undefined =>
  typeof config['name'] === 'string' ? config['name'] : undefined

/** What a job is called that nobody gave a name. */
export function nameOf(kind: ProvisioningKind, config: Readonly<Record<string, unknown>>, jobId: string): string {
  const own = nameIn(config)
  if (own !== undefined) return own
  return kind === 'component'
    ? (config as Configs['component']).componentID
    : `${String(config['engine'])}-${jobId.slice(0, 8)}`
}
