/** Provisioning in Azure, by kind and step. Unsupported requests are refused before anything is created. */
import { withCluster, type ClusterOptions } from '#streams/cloud/azure/cluster/cluster.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import {
  describeComponent,
  provisionComponent,
  unprovisionComponent,
  type AccountClusters,
} from '#streams/cloud/kubernetes/component/index.ts'
import {
  goneAnswer,
  type ProvisionAnswer,
  type ProvisioningKind,
  type ProvisionRequest,
  type UnprovisionAnswer,
} from '#streams/cloud/provision.ts'
import * as balancer from './balancer.ts'
import * as cache from './cache.ts'
import { isAbout } from './cloud-object.ts'
import * as cluster from './cluster.ts'
import * as network from './network.ts'
import * as pool from './pool.ts'
import * as registry from './registry.ts'
import { nothing, unsupportedFault, type Describer, type ProvisionStep } from './step.ts'
import * as store from './store.ts'

interface Offer {
  /** Steps that are missing here do nothing. */
  steps: Readonly<Record<string, ProvisionStep>>
  describe: Describer
}

const servers: Offer = {
  steps: {
    validate: store.validate,
    instance: store.instance,
    wait_available: store.available,
    secret: store.secret,
    verify: store.verify,
  },
  describe: store.describe,
}

const caches: Offer = {
  steps: {
    validate: cache.validate,
    instance: cache.instance,
    wait_available: cache.available,
    secret: cache.secret,
    verify: cache.available,
  },
  describe: cache.describe,
}

const offers: Readonly<Partial<Record<ProvisioningKind, (config: ProvisionRequest['config']) => Offer>>> = {
  kubernetes: () => ({
    steps: {
      validate: cluster.validate,
      control_plane: cluster.controlPlane,
      node_groups: cluster.nodeGroups,
      verify: cluster.verify,
    },
    describe: cluster.describe,
  }),
  datastore: ({ engine }) => (engine === 'redis' ? caches : servers),
  vm_pool: () => ({
    steps: {
      validate: pool.validate,
      template: pool.template,
      group: pool.group,
      load_balancer: balancer.create,
      verify: pool.verify,
    },
    describe: pool.describe,
  }),
  network: () => ({ steps: { create: network.create, verify: network.verify }, describe: network.describe }),
  load_balancer: () => ({
    steps: { validate: balancer.validate, create: balancer.create, verify: balancer.verify },
    describe: balancer.describe,
  }),
  registry: () => ({
    steps: { validate: registry.validate, create: registry.create, verify: registry.verify },
    describe: registry.describe,
  }),
}

/** Supported kinds. */
export const provisions = [...(Object.keys(offers) as ProvisioningKind[]), 'component'] as const

const clustersOf = (options: ClusterOptions, account: CloudAccount): AccountClusters => ({
  inCluster: (clusterUid, work) => withCluster(options, account, clusterUid, work),
  isClusterGone: (error, clusterUid) => isAbout(error, { path: clusterUid }),
})

/** @throws Fault `unsupported_provisioning` */
function offerOf({ kind, config }: Pick<ProvisionRequest, 'kind' | 'config'>): Offer {
  const offer = offers[kind]?.(config)
  if (!offer) throw unsupportedFault(`Provisioning of ${kind}`)
  return offer
}

export async function provision(
  options: ClusterOptions,
  account: CloudAccount,
  request: ProvisionRequest,
): Promise<ProvisionAnswer> {
  if (request.kind === 'component') return provisionComponent(clustersOf(options, account), request)
  const { make } = offerOf(request).steps[request.step] ?? nothing
  return make(openAzure(account, options), request)
}

export async function unprovision(
  options: ClusterOptions,
  account: CloudAccount,
  request: ProvisionRequest,
): Promise<UnprovisionAnswer> {
  if (request.kind === 'component') return unprovisionComponent(clustersOf(options, account), request)
  const { unmake } = offerOf(request).steps[request.step] ?? nothing
  if (!unmake) return { status: 'done' }
  const answer = await unmake(openAzure(account, options), request)
  return answer.status === 'done' ? goneAnswer(request, answer.gone) : answer
}

export async function describe(
  options: ClusterOptions,
  account: CloudAccount,
  request: Omit<ProvisionRequest, 'step' | 'token'>,
): Promise<Record<string, unknown> | null> {
  if (request.kind === 'component') return describeComponent(clustersOf(options, account), request)
  return offerOf(request).describe(openAzure(account, options), request)
}
