/** What can be provisioned, by kind (decision G-86): creating, estimating and comparing all read this shape. */
import { t, type Static, type TObject } from '#engine/value/schema.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { secretArn, text } from '#streams/text.ts'

/** Maximum bytes of a config as JSON. */
export const configBytesMax = 64 * 1024

const unitsMax = 1_000
const groupsMax = 30

/** As clouds require it: it starts with a letter. */
const name = text({
  pattern: '^[A-Za-z][A-Za-z0-9_-]{0,62}$',
  description: 'starts with a letter, then letters, digits, - and _',
})
const id = (description: string) => text({ minLength: 1, maxLength: 1024, description })
const instanceType = text({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: 'instance type as named by the cloud',
})
const min = t.Integer({ minimum: 0, maximum: unitsMax, description: 'minimum number of units' })
const max = t.Integer({ minimum: 1, maximum: unitsMax, description: 'maximum number of units; at least min' })
const port = t.Integer({ minimum: 1, maximum: 65_535 })
const cidr = text({ minLength: 9, maxLength: 18, description: 'IPv4 range from /8 to /28, for example 10.0.0.0/16' })
const version = text({
  pattern: '^\\d{1,4}(?:\\.\\d{1,4}){0,3}$',
  description: 'numbers separated by dots, for example 1.31',
})

const engines = ['postgres', 'mysql', 'redis'] as const
const protocols = ['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'http', 'https', 'tcp', 'tls', 'udp'] as const

const Kubernetes = t.Object(
  {
    name,
    version,
    nodeGroups: t.Array(t.Object({ name, instanceType, min, max }), { minItems: 1, maxItems: groupsMax }),
    vpcID: id('the network of the cluster'),
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
    allocatedStorageGB: t.Integer({ minimum: 0, maximum: 65_536, description: '0 only for redis' }),
    multiAZ: t.Boolean({ description: 'true: adds a standby in another zone' }),
    backupRetentionDays: t.Integer({ minimum: 0, maximum: 35, description: '0 turns backups off' }),
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
    createLoadBalancer: t.Boolean({ description: 'true: adds a load balancer in front of the pool' }),
    listenerPorts: t.Array(port, {
      maxItems: 50,
      description: 'ports of the load balancer; at least one if it is created',
    }),
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
        zone: t.Optional(text({ pattern: '^[a-z0-9-]{1,64}$', description: 'default: chosen by the cloud' })),
        public: t.Boolean({ description: 'true: reachable from the internet' }),
      }),
      { minItems: 1, maxItems: 64, description: 'inside the network; subnets must not overlap' },
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
      description: 'image repository name: lowercase letters and digits, separated by . _ - and /',
    }),
    immutableTags: t.Boolean({ description: 'true: a pushed tag cannot be overwritten' }),
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
      description: 'each combination of port and protocol only once',
    }),
    targetUID: text({ minLength: 1, maxLength: 2048, description: 'UID of the resource that receives the traffic' }),
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
    componentID: text({ minLength: 1, maxLength: 100, description: 'name from GET /catalog/components' }),
    values: t.Record(t.String(), t.Unknown(), {
      description: 'values allowed by the schema of the component; the others use their defaults',
    }),
  },
  { title: 'ComponentConfig', examples: [{ componentID: 'ingress-nginx', values: { replicas: 3 } }] },
)

const ExistingDatastore = t.Object(
  {
    serverUID: text({
      minLength: 1,
      maxLength: 1024,
      description: 'UID of a PostgreSQL or MySQL server in the inventory, in the account and region of the space',
    }),
    secretARN: t.Optional(
      text({
        pattern: secretArn,
        description:
          'secret in AWS Secrets Manager with username and password of an administrator; default: the secret that RDS manages',
      }),
    ),
  },
  {
    title: 'ExistingDatastoreConfig',
    examples: [{ serverUID: 'arn:aws:rds:us-east-1:123456789012:db:orders' }],
  },
)

export const configSchemas = {
  kubernetes: Kubernetes,
  datastore: Datastore,
  vm_pool: VmPool,
  network: Network,
  registry: Registry,
  load_balancer: LoadBalancer,
  component: Component,
  existing_datastore: ExistingDatastore,
} as const satisfies Record<ProvisioningKind, TObject>

export type Configs = { [Kind in ProvisioningKind]: Static<(typeof configSchemas)[Kind]> }

/** The name in a config; undefined for kinds without one. */
const nameIn = (config: Readonly<Record<string, unknown>>): string | undefined =>
  typeof config['name'] === 'string' ? config['name'] : undefined

/** Of an ARN or a path: the name of the resource. */
const lastPartOf = (uid: string): string => uid.split(/[:/]/).findLast((part) => part !== '') ?? uid

/** The name of a job whose config has none. */
export function nameOf(kind: ProvisioningKind, config: Readonly<Record<string, unknown>>, jobId: string): string {
  const own = nameIn(config)
  if (own !== undefined) return own
  if (kind === 'component') return (config as Configs['component']).componentID
  if (kind === 'existing_datastore') return lastPartOf((config as Configs['existing_datastore']).serverUID)
  return `${String(config['engine'])}-${jobId.slice(0, 8)}`
}
