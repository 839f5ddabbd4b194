/** Jobs of provisioning in words. */
import type { Reply } from '../../api.ts'

export type Jobs = Reply<'GET /provisioning-jobs'>
export type Job = Jobs['items'][number]
export type Kind = Job['kind']
export type Failure = NonNullable<Job['error']>
export type Spaces = Reply<'GET /spaces'>
export type Deployments = Reply<'GET /deployments'>
export type Deployment = Deployments['items'][number]
export type Space = Spaces['items'][number]

export const kinds: Readonly<Record<Kind, string>> = {
  datastore: 'database server',
  kubernetes: 'Kubernetes cluster',
  vm_pool: 'VM pool',
  network: 'network',
  registry: 'image registry',
  load_balancer: 'load balancer',
  component: 'cluster component',
}

export const looks: Readonly<Record<Job['phase'], string>> = {
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

export const isUnderWay = ({ phase }: Job): boolean =>
  ['queued', 'validating', 'provisioning', 'configuring', 'verifying', 'deleting'].includes(phase)

/** Who can act on a failure. */
export const buckets: Readonly<Record<Failure['bucket'], string>> = {
  user_action: 'fix it, then retry',
  transient: 'temporary failure, retry at any time',
  system: 'internal error, a retry does not help',
}

export const nameOf = (names: ReadonlyMap<string, string>, id: string): string => names.get(id) ?? id
