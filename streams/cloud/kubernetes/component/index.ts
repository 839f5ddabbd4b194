/** Provisioning of components, the same for the clusters of all clouds. */
import { Fault } from '#engine/value/fault.ts'
import {
  goneAnswer,
  type ProvisionAnswer,
  type ProvisionRequest,
  type UnprovisionAnswer,
} from '#streams/cloud/provision.ts'
import type { KubernetesApi } from '#streams/cloud/kubernetes/api/api.ts'
import { applyComponent, checkComponent, verifyComponent } from './apply.ts'
import type { ComponentRequest } from './owned.ts'
import { goneUids, removeComponent } from './remove.ts'

/** The clusters of an account. */
export interface AccountClusters {
  /** Runs `work` with the API of the cluster. @throws a fault if there is no such cluster */
  inCluster: <T>(clusterUid: string, work: (api: KubernetesApi) => Promise<T>) => Promise<T>
  /** Whether the fault of `inCluster` says that this cluster does not exist: not its account, for example. */
  isClusterGone: (error: unknown, clusterUid: string) => boolean
}

const steps: Readonly<Record<string, (api: KubernetesApi, request: ComponentRequest) => Promise<ProvisionAnswer>>> = {
  validate: checkComponent,
  create: applyComponent,
  verify: verifyComponent,
}

export async function provisionComponent(
  { inCluster }: AccountClusters,
  request: ProvisionRequest,
): Promise<ProvisionAnswer> {
  const step = steps[request.step]
  return step ? inCluster(request.clusterUid ?? '', (api) => step(api, request)) : { status: 'done' }
}

export async function unprovisionComponent(
  clusters: AccountClusters,
  request: ProvisionRequest,
): Promise<UnprovisionAnswer> {
  const answer = await ifClusterExists(clusters, request, (api) => removeComponent(api, request))
  return answer?.status === 'waiting' ? answer : goneAnswer(request, goneUids(request))
}

/** As requested while anything of it is left: the values cannot be read from the objects. */
export async function describeComponent(
  clusters: AccountClusters,
  request: ComponentRequest,
): Promise<Record<string, unknown> | null> {
  const isThere = await ifClusterExists(clusters, request, (api) => hasWorkloads(api, request))
  return isThere ? { ...request.config } : null
}

async function hasWorkloads(api: KubernetesApi, request: ComponentRequest): Promise<boolean> {
  try {
    await verifyComponent(api, request)
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'resource_not_found') return false
    if (error instanceof Fault && error.code === 'component_not_ready') return true
    throw error
  }
}

/** Undefined if the cluster no longer exists, and all its objects with it. */
async function ifClusterExists<T>(
  { inCluster, isClusterGone }: AccountClusters,
  { clusterUid }: ComponentRequest,
  work: (api: KubernetesApi) => Promise<T>,
): Promise<T | undefined> {
  const uid = clusterUid ?? ''
  let isReached = false
  try {
    return await inCluster(uid, (api) => {
      isReached = true
      return work(api)
    })
  } catch (error) {
    if (!isReached && isClusterGone(error, uid)) return undefined
    throw error
  }
}
