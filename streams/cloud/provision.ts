/**
 * Provisioning interface of connectors: one step of a job per call, each with a token that identifies what it creates.
 */
import { hash } from 'node:crypto'
import { listOf } from '#streams/cloud/kubernetes/api/json-access.ts'

export const provisioningKinds = [
  'kubernetes',
  'datastore',
  'vm_pool',
  'network',
  'registry',
  'load_balancer',
  'component',
  'existing_datastore',
] as const
export type ProvisioningKind = (typeof provisioningKinds)[number]

/** Steps of each kind, in order (decision G-87). */
export const stepsOf = {
  kubernetes: [
    'validate',
    'quota_check',
    'network',
    'control_plane',
    'node_groups',
    'verify',
    'register_space',
    'resource_sync',
  ],
  datastore: ['validate', 'quota_check', 'subnet_group', 'instance', 'wait_available', 'secret', 'verify'],
  vm_pool: ['validate', 'quota_check', 'template', 'group', 'load_balancer', 'verify'],
  network: ['validate', 'create', 'verify'],
  registry: ['validate', 'create', 'verify'],
  load_balancer: ['validate', 'create', 'verify'],
  component: ['validate', 'create', 'verify'],
  existing_datastore: ['validate', 'connect', 'verify'],
} as const satisfies Record<ProvisioningKind, readonly string[]>

/** Steps that create something and must be undone. */
export const makingSteps: ReadonlySet<string> = new Set([
  'network',
  'control_plane',
  'node_groups',
  'subnet_group',
  'instance',
  'secret',
  'template',
  'group',
  'load_balancer',
  'create',
  'connect',
])

/** Steps that the product does itself, without a call to the cloud. */
export const ownSteps: ReadonlySet<string> = new Set(['register_space', 'resource_sync'])

/** An object of a component, with its values filled in. */
export interface ComponentObject {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Readonly<Record<string, string>> }
}

export interface ProvisionRequest {
  jobId: string
  kind: ProvisioningKind
  /** One of `stepsOf` the kind. */
  step: string
  region: string
  /** Uid of the cluster for a component. */
  clusterUid: string | null
  /** Already checked against the schema of its kind. */
  config: Readonly<Record<string, unknown>>
  /** For a component: its objects, in the order in which they are applied. */
  objects?: readonly ComponentObject[]
  /** Tags of everything that is created, in addition to `tidemark:job`. */
  tags: Readonly<Record<string, string>>
  /** Outputs of earlier steps, by step. */
  outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** While the step is being undone: the last output of that. */
  progress?: Readonly<Record<string, unknown>>
  /** A UUID. A repeat with the same token finds what was created and does not create it again. */
  token: string
}

/**
 * `waiting`: the cloud has started; the same step is called again, with this output among the `outputs`. `skipped`:
 * nothing was requested.
 */
export interface ProvisionAnswer {
  status: 'done' | 'waiting' | 'skipped'
  /**
   * Names, addresses and identifiers, visible to people. `host`, `port` and `user` tell how to connect; `clusterUid`
   * and `name` identify a cluster.
   */
  output?: Record<string, unknown>
  /**
   * By name. Never shown: stored encrypted, and referred to as `secret://<job>/<name>`. The first belongs to `user`.
   */
  secrets?: Record<string, string>
}

export interface UnprovisionAnswer {
  status: 'done' | 'waiting'
  /** Of `waiting`: passed to the next call as `progress`; not shown. */
  output?: Record<string, unknown>
  /** Uids to remove from the inventory, even if no scan is complete. At most 256. */
  gone?: readonly string[]
}

/** Maximum uids in an answer. */
const goneMax = 256

/**
 * The answer of a finished deletion, with the uids in the step's output: if the answer of an earlier deletion was lost,
 * this call does not find the object any more.
 */
export function goneAnswer(
  { outputs, step }: Pick<ProvisionRequest, 'outputs' | 'step'>,
  gone: readonly string[] = [],
): UnprovisionAnswer {
  return { status: 'done', gone: [...new Set([...gone, ...uidsIn(outputs[step] ?? {})])].slice(0, goneMax) }
}

function uidsIn(output: Readonly<Record<string, unknown>>): string[] {
  const own = Object.entries(output).flatMap(([name, value]) => (name.endsWith('Uid') ? [value] : []))
  const parts = [output['subnets'], output['nodeGroups']].flatMap(listOf).map(({ uid }) => uid)
  return [...own, ...parts].filter((uid) => typeof uid === 'string' && uid !== '') as string[]
}

/**
 * A name from the config as part of a name in lower case, at most `max` characters; different names stay different.
 * `separator` replaces all characters other than letters and digits.
 */
export function partName(name: string, max: number, separator: '-' | '' = '-'): string {
  const part = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, separator)
  if (part === name && part.length <= max && !part.endsWith('-')) return part
  const kept = part.slice(0, max - 6 - separator.length).replaceAll(/^-+|-+$/g, '')
  return `${kept}${separator}${hash('sha256', name).slice(0, 6)}`
}

/** As precise as the requested version: if 16 was requested, 16.3 counts as 16. */
export const versionOf = (wanted: string, now: string): string => (now.startsWith(`${wanted}.`) ? wanted : now)

/** Engines of servers whose databases have owners, as clouds name them. */
const protocols = {
  postgres: 'postgres',
  'aurora-postgresql': 'postgres',
  mysql: 'mysql',
  'aurora-mysql': 'mysql',
} as const satisfies Record<string, 'postgres' | 'mysql'>

/** Undefined for other engines. */
export const protocolOfEngine = (engine: string): 'postgres' | 'mysql' | undefined =>
  (protocols as Partial<Record<string, 'postgres' | 'mysql'>>)[engine]

/** A database on the server of a job. */
export interface DatabaseRequest {
  jobId: string
  databaseId: string
  region: string
  name: string
  owner: string
  engine: string
  /**
   * The job's outputs, by step: `host`, `port` and `user` tell how to connect. `secretArn` is where the cloud keeps user
   * and password of a server that no job has created.
   */
  outputs: ProvisionRequest['outputs']
  /** Password of `user`; null if it is not known here. */
  password: string | null
  token: string
}

/**
 * What a cloud supports of provisioning. Errors are `cloudFault`s. Unsupported requests throw
 * `unsupported_provisioning` of bucket `system` before anything is created. Every call may be repeated.
 */
export interface Provisioner<Account> {
  /** Supported kinds. */
  readonly provisions: readonly ProvisioningKind[]
  /** @throws also `quota_exceeded` of bucket `user_action`, with `fixHint` and `consoleUrl` */
  provision(account: Account, request: ProvisionRequest): Promise<ProvisionAnswer>
  /**
   * Deletes what the step has created; missing objects count as deleted. Afterwards nothing is created with the step's
   * token any more, even if an earlier call is still in progress and arrives later.
   */
  unprovision(account: Account, request: ProvisionRequest): Promise<UnprovisionAnswer>
  /** The current state in the cloud, in the shape of the config, for detecting drift; null if it no longer exists. */
  describe(account: Account, request: Omit<ProvisionRequest, 'step' | 'token'>): Promise<Record<string, unknown> | null>
  /** `secrets` contains the owner's password under the owner's name. */
  createDatabase(account: Account, request: DatabaseRequest): Promise<{ secrets: Record<string, string> }>
  /**
   * Deletes the database and its owner. Afterwards neither is created with the token any more, as for `unprovision`.
   */
  dropDatabase(account: Account, request: DatabaseRequest): Promise<void>
}
