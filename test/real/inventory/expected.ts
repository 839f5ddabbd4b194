/** What the recorded data says is in the answers, and what the inventory must show after the last of them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { typeIn as azureTypeIn, uidOf as azureUid } from '#test/real/inventory/azure.ts'
import { uidIn } from '#test/real/inventory/aws.ts'
import { linesOf, type Json } from '#test/real/inventory/recording.ts'

export interface Wanted {
  type: string
  status: ResourceStatus
  region?: string
  instanceType?: string
  sizeGB?: number | null
  tags?: Record<string, string>
}

/** By uid, of the resources that exist after the last answer; the newest state wins, and an unknown one says nothing. */
export function wantedOf(folder: string, cloud: keyof typeof clouds): Map<string, Wanted> {
  const files = readdirSync(join(folder, 'expected')).filter((name) => name.startsWith(`inventory_${cloud}_`))
  return folded(
    files.flatMap((name) => linesOf(join(folder, 'expected', name)).flatMap(({ resources }: Json) => resources)),
    cloud,
  )
}

/** The disks that nothing uses after the last answer, by uid. */
export function detachedOf(folder: string, cloud: keyof typeof clouds): string[] {
  const names = readdirSync(join(folder, 'expected')).filter((name) => name.startsWith(`inventory_${cloud}_`))
  const lines = names.flatMap((name) => linesOf(join(folder, 'expected', name)))
  const disks = lines.flatMap(({ resources }: Json) => resources).filter(({ kind }: Json) => kind === 'disk')
  const last = new Map<string, Json>(disks.map((disk: Json) => [disk.uid, disk]))
  return [...last.values()].filter(({ attachedTo }) => attachedTo.length === 0).map(({ uid }) => uid)
}

export function folded(seen: readonly Json[], cloud: keyof typeof clouds): Map<string, Wanted> {
  const { typeOf, uidOf, tags } = clouds[cloud]
  const out = new Map<string, Wanted>()
  for (const one of seen) {
    const type = typeOf(one)
    if (type === undefined) continue
    const uid = uidOf(one, type)
    if (type === 'aws-ec2' && one.state === 'terminated') {
      out.delete(uid)
      continue
    }
    const status = stateOf(one, type) ?? out.get(uid)?.status ?? 'pending'
    out.set(uid, { type, status, ...placed(one, type), ...sized(one), ...(one[tags] && { tags: one[tags] }) })
  }
  return out
}

/** Where the values of a kind say where it is; Azure spells one region in several ways. */
function placed(one: Json, type: string): Partial<Wanted> {
  if (type.startsWith('azure-')) return { region: (one.region ?? '').toLowerCase().replaceAll(' ', '') }
  return type === 'aws-ec2' ? { region: one.region ?? one.zone?.slice(0, -1) ?? '' } : {}
}

function sized(one: Json): Partial<Wanted> {
  return {
    ...('instanceType' in one && { instanceType: one.instanceType ?? '' }),
    ...('sizeGB' in one && { sizeGB: one.sizeGB === null ? null : Number(one.sizeGB) }),
  }
}

const balancers: Readonly<Record<string, string>> = {
  application: 'aws-alb',
  network: 'aws-nlb',
  gateway: 'aws-gwlb',
  classic: 'aws-clb',
}
const engines: Readonly<Record<string, string>> = { docdb: 'aws-documentdb', neptune: 'aws-neptune' }

const kinds: Readonly<Record<string, Readonly<Record<string, string | ((one: Json) => string | undefined)>>>> = {
  aws: {
    vm: 'aws-ec2',
    asg: 'aws-asg',
    disk: 'aws-ebs-volume',
    snapshot: 'aws-ebs-snapshot',
    address: 'aws-eip',
    nat: 'aws-nat-gateway',
    table: 'aws-dynamodb-table',
    containerCluster: 'aws-ecs-cluster',
    containerService: 'aws-ecs-service',
    k8sCluster: 'aws-eks',
    nodeGroup: 'aws-eks-nodegroup',
    cache: 'aws-elasticache',
    function: 'aws-lambda',
    database: 'aws-rds',
    warehouse: 'aws-redshift',
    bucket: 'aws-s3-bucket',
    loadBalancer: ({ type }) => balancers[type ?? 'classic'],
    databaseCluster: ({ engine }) => engines[engine] ?? 'aws-aurora-cluster',
  },
  gcp: {
    vm: 'gcp-vm',
    disk: 'gcp-disk',
    address: 'gcp-address',
    bucket: 'gcp-gcs-bucket',
    database: 'gcp-cloudsql',
    k8sCluster: 'gcp-gke',
    instanceGroup: 'gcp-mig',
  },
  azure: {
    vm: 'azure-vm',
    scaleSet: 'azure-vmss',
    disk: 'azure-disk',
    snapshot: 'azure-snapshot',
    nic: 'azure-nic',
    address: 'azure-public-ip',
    loadBalancer: 'azure-load-balancer',
    storageAccount: 'azure-storage-account',
    appPlan: 'azure-app-service-plan',
    database: 'azure-sql-database',
    databaseServer: ({ uid }) => azureTypeIn(uid),
  },
}

/** Metrics and advice are in the answers too, and are no resources. */
function typeOf(cloud: string) {
  return (one: Json): string | undefined => {
    const type = kinds[cloud]![one.kind]
    return typeof type === 'function' ? type(one) : type
  }
}

const services: Readonly<Record<string, string>> = {
  'aws-s3-bucket': 's3',
  'aws-redshift': 'redshift',
  'aws-elasticache': 'elasticache',
  'aws-clb': 'elb',
}
const own = (one: Json): string => one.uid
const awsUid = ({ uid }: Json, type: string): string =>
  services[type] && !uid.startsWith('arn:') ? uidIn(services[type], uid) : uid

const clouds = {
  aws: { typeOf: typeOf('aws'), uidOf: awsUid, tags: 'tags' },
  gcp: { typeOf: typeOf('gcp'), uidOf: own, tags: 'labels' },
  azure: { typeOf: typeOf('azure'), uidOf: (one: Json) => azureUid(one.uid), tags: 'tags' },
} as const

type States = Readonly<Record<string, ResourceStatus>>
const database: States = {
  available: 'running',
  starting: 'starting',
  stopping: 'stopping',
  stopped: 'stopped',
}
/** Worked out by hand from the list of types; a state that is not here is `pending`. */
const states: Readonly<Record<string, States>> = {
  'aws-ec2': {
    running: 'running',
    pending: 'starting',
    stopping: 'stopping',
    'shutting-down': 'stopping',
    stopped: 'stopped',
  },
  'aws-rds': { ...database, 'backing-up': 'running', modifying: 'running' },
  'aws-aurora-cluster': database,
  'aws-documentdb': database,
  'aws-neptune': database,
  'aws-redshift': { available: 'running', resuming: 'starting', pausing: 'stopping', paused: 'stopped' },
  'gcp-vm': {
    RUNNING: 'running',
    PROVISIONING: 'starting',
    STAGING: 'starting',
    STOPPING: 'stopping',
    SUSPENDING: 'stopping',
    TERMINATED: 'stopped',
    SUSPENDED: 'stopped',
  },
  'azure-vm': {
    'PowerState/running': 'running',
    'PowerState/starting': 'starting',
    'PowerState/stopping': 'stopping',
    'PowerState/deallocating': 'stopping',
    'PowerState/stopped': 'stopped',
    'PowerState/deallocated': 'stopped',
  },
  'azure-postgres': { Ready: 'running', Updating: 'running' },
  'azure-mysql': { Ready: 'running', Updating: 'running' },
}

const rules: Readonly<Record<string, (one: Json) => ResourceStatus>> = {
  'aws-asg': ({ desired, instances }) => (desired > 0 ? 'running' : instances === 0 ? 'stopped' : 'stopping'),
  'aws-ecs-service': ({ desired, running }) => (running > 0 ? 'running' : desired === 0 ? 'stopped' : 'starting'),
  'aws-eks-nodegroup': ({ state, scaling }) =>
    state !== 'ACTIVE' ? 'pending' : scaling?.desiredSize > 0 ? 'running' : 'stopped',
  'gcp-mig': ({ target }) => (target > 0 ? 'running' : 'stopped'),
  'gcp-cloudsql': ({ state, activation }) =>
    state !== 'RUNNABLE' ? 'pending' : activation === 'NEVER' ? 'stopped' : 'running',
  'azure-vmss': ({ capacity }) => (capacity === 0 ? 'stopped' : 'running'),
}

/** Undefined while the answer does not tell. */
function stateOf(one: Json, type: string): ResourceStatus | undefined {
  if (rules[type]) return rules[type](one)
  const known = states[type]
  if (!known) return 'running'
  const state = (type === 'azure-vm' ? one.power : one.state) as string | null | undefined
  return state === null || state === undefined ? undefined : (known[state] ?? 'pending')
}
