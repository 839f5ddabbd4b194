/** What clouds are asked for by provisioning: one step of a job at a time, each under a token that names what it makes. */
export const provisioningKinds = [
  'kubernetes',
  'datastore',
  'vm_pool',
  'network',
  'registry',
  'load_balancer',
  'component',
] as const
export type ProvisioningKind = (typeof provisioningKinds)[number]

/** Steps of each kind, in their order (decision G-87). */
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
} as const satisfies Record<ProvisioningKind, readonly string[]>

/** Steps that leave something behind: those are undone. */
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
])

/** Steps of the product's own: no cloud is asked for them. */
export const ownSteps: ReadonlySet<string> = new Set(['register_space', 'resource_sync'])

export interface ProvisionRequest {
  jobId: string
  kind: ProvisioningKind
  /** One of `stepsOf` the kind. */
  step: string
  region: string
  /** Uid of the cluster that a component goes into. */
  clusterUid: string | null
  /** Checked against the schema of its kind. */
  config: Readonly<Record<string, unknown>>
  /** On everything that is made, beside `tidemark:job`. */
  tags: Readonly<Record<string, string>>
  /** Of the steps before, by step. */
  outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** A UUID: what a call under it has made is found, and not made again. */
  token: string
}

/** `waiting`: the cloud has begun, and is asked again by the same step. `skipped`: nothing was asked for. */
export interface ProvisionAnswer {
  status: 'done' | 'waiting' | 'skipped'
  /**
   * Names, addresses, identifiers: shown to people. `host`, `port` and `user` say how what was made is connected to; `clusterUid`,
   * `name` name a cluster.
   */
  output?: Record<string, unknown>
  /** By name; never shown: kept sealed, and told of as `secret://<job>/<name>`. The first is that of `user`. */
  secrets?: Record<string, string>
}

export interface UnprovisionAnswer {
  status: 'done' | 'waiting'
  /** What an inventory may have of it, by uid: it leaves there, also where no scan is complete. 256 at most. */
  gone?: readonly string[]
}

/** A database on a server that a job has made. */
export interface DatabaseRequest {
  jobId: string
  databaseId: string
  region: string
  name: string
  owner: string
  /** Of the job, by step. */
  outputs: ProvisionRequest['outputs']
  token: string
}

/**
 * What a cloud offers of provisioning. Errors are `cloudFault`s; what it does not offer is `unsupported_provisioning` of bucket
 * `system`, said before anything is made. Every call may come twice.
 */
export interface Provisioner<Account> {
  /** Kinds that it offers. */
  readonly provisions: readonly ProvisioningKind[]
  /** @throws besides, `quota_exceeded` of bucket `user_action`, with `fixHint` and `consoleUrl` */
  provision(account: Account, request: ProvisionRequest): Promise<ProvisionAnswer>
  /**
   * Takes away what the step has made; what is gone already is done. Nothing is made under its token from then on: a call that nobody
   * waits for any more may still be on its way, and one that comes behind this makes nothing.
   */
  unprovision(account: Account, request: ProvisionRequest): Promise<UnprovisionAnswer>
  /** What was made, as the cloud has it now, in the shape of its config; null where it is gone. For drift. */
  describe(account: Account, request: Omit<ProvisionRequest, 'step' | 'token'>): Promise<Record<string, unknown> | null>
  /** `secrets` has the password of the owner under its name. */
  createDatabase(account: Account, request: DatabaseRequest): Promise<{ secrets: Record<string, string> }>
  /** Drops it and revokes its owner; from then on neither is made under the token, as `unprovision` says. */
  dropDatabase(account: Account, request: DatabaseRequest): Promise<void>
}
