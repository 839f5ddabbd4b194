/** Jobs of provisioning in words. */
import type { Reply } from '../../api.ts'

type Jobs = Reply<'GET /provisioning-jobs'>
export type ProvisioningJob = Jobs['items'][number]
export type JobKind = ProvisioningJob['kind']
export type Failure = NonNullable<ProvisioningJob['error']>
type Spaces = Reply<'GET /spaces'>
type Deployments = Reply<'GET /deployments'>
export type Deployment = Deployments['items'][number]
export type Space = Spaces['items'][number]

export const kinds: Readonly<Record<JobKind, string>> = {
  datastore: 'database server',
  kubernetes: 'Kubernetes cluster',
  vm_pool: 'VM pool',
  network: 'network',
  registry: 'image registry',
  load_balancer: 'load balancer',
  component: 'cluster component',
  existing_datastore: 'existing database server',
}

export const looks: Readonly<Record<ProvisioningJob['phase'], string>> = {
  queued: '',
  validating: '',
  provisioning: '',
  configuring: '',
  verifying: '',
  ready: 'good',
  failed: 'failed',
  deleting: 'warning',
  deleted: '',
  delete_failed: 'failed',
}

export const isUnderWay = ({ phase }: ProvisioningJob): boolean =>
  ['queued', 'validating', 'provisioning', 'configuring', 'verifying', 'deleting'].includes(phase)

/** Who can act on a failure. */
export const buckets: Readonly<Record<Failure['bucket'], string>> = {
  user_action: 'fix it, then retry',
  transient: 'temporary failure, retry at any time',
  system: 'internal error, a retry does not help',
}

export const nameOf = (names: ReadonlyMap<string, string>, id: string): string => names.get(id) ?? id
