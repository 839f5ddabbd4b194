/** Kubernetes clusters in GKE: a regional cluster, which is created and deleted together with its node pools. */
import { clusterUid } from '#streams/cloud/gcp/map/service.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { countAt, listOf, memberOf, textAt, textsOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { partName, versionOf, type ProvisionRequest } from '#streams/cloud/provision.ts'
import { Creation, look, remove, type CloudObject, type ObjectState } from './cloud-object.ts'
import {
  configFault,
  goneFault,
  labelsOf,
  ownName,
  waiting,
  type Describer,
  type NamedRequest,
  type ProvisionStep,
} from './step.ts'

const permissions = {
  cluster: {
    get: 'container.clusters.get',
    create: 'container.clusters.create',
    delete: 'container.clusters.delete',
    operation: 'container.operations.get',
  },
  pool: {
    get: 'container.clusters.get',
    create: 'container.clusters.update',
    delete: 'container.clusters.update',
    operation: 'container.operations.get',
  },
} as const

type TaggedRequest = NamedRequest & Partial<Pick<ProvisionRequest, 'tags'>>

const states: Readonly<Record<string, ObjectState>> = {
  PROVISIONING: 'creating',
  ERROR: 'failed',
  STOPPING: 'deleting',
}
const stateOf = (found: Json): ObjectState => states[textAt(found, 'status') ?? ''] ?? 'ready'

/** Zones of a regional cluster; counts of a pool that are not totals are per zone. */
const zones = 3

const nameMax = 40

const poolName = (group: Json): string => partName(textAt(group, 'name') ?? '', nameMax)

function poolBody(request: TaggedRequest, group: Json): object {
  const [min, max] = [countAt(group, 'min') ?? 0, countAt(group, 'max') ?? 1]
  return {
    name: poolName(group),
    initialNodeCount: Math.ceil(min / zones),
    autoscaling: { enabled: true, totalMinNodeCount: min, totalMaxNodeCount: max, locationPolicy: 'BALANCED' },
    config: {
      machineType: textAt(group, 'instanceType'),
      oauthScopes: ['https://www.googleapis.com/auth/cloud-platform'],
      resourceLabels: labelsOf({ tags: {}, ...request }),
    },
  }
}

const groupsIn = ({ config }: NamedRequest): readonly Json[] => listOf(config['nodeGroups'])

/** Of a name, or of a path as the output of a network has it. */
const pathFor = (text: string, place: string): string => (text.includes('/') ? text : `${place}/${text}`)

function clusterOf({ project }: GcpSession, request: TaggedRequest): CloudObject {
  const { config, region } = request
  const [subnet = ''] = textsOf(config['subnetIDs'])
  return {
    service: 'container',
    place: `/projects/${project}/locations/${region}`,
    collection: 'clusters',
    name: ownName(request),
    permissions: permissions.cluster,
    body: {
      cluster: {
        name: ownName(request),
        initialClusterVersion: textAt(config, 'version'),
        network: pathFor(textAt(config, 'vpcID') ?? '', `projects/${project}/global/networks`),
        subnetwork: pathFor(subnet, `projects/${project}/regions/${region}/subnetworks`),
        ipAllocationPolicy: { useIpAliases: true },
        workloadIdentityConfig: { workloadPool: `${project}.svc.id.goog` },
        resourceLabels: labelsOf({ tags: {}, ...request }),
        nodePools: groupsIn(request).map((group) => poolBody(request, group)),
      },
    },
    stateOf,
    isReplaceable: true,
  }
}

function poolOf(session: GcpSession, request: TaggedRequest, group: Json): CloudObject {
  const { service, place, name } = clusterOf(session, request)
  return {
    service,
    place,
    collection: `clusters/${name}/nodePools`,
    name: poolName(group),
    permissions: permissions.pool,
    body: { nodePool: poolBody(request, group) },
    stateOf,
    isReplaceable: true,
  }
}

export const validate: ProvisionStep = {
  make: async (_, { config }) => {
    if (textsOf(config['subnetIDs']).length !== 1)
      throw configFault(
        'subnetIDs must name one subnet: a cluster of GKE has one, which covers all zones of the region.',
      )
    return { status: 'done' }
  },
}

const uidOf = ({ project }: GcpSession, request: NamedRequest): string =>
  clusterUid(project, { name: ownName(request), location: request.region })

const outputOf = (session: GcpSession, request: NamedRequest, found: Json) => {
  const endpoint = textAt(found, 'endpoint')
  return {
    clusterUid: uidOf(session, request),
    name: ownName(request),
    version: textAt(found, 'currentMasterVersion'),
    ...(endpoint !== undefined && { endpoint: `https://${endpoint}` }),
  }
}

export const controlPlane: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const found = await creation.ensure(clusterOf(session, request))
    return found ? { status: 'done', output: outputOf(session, request, found) } : creation.waiting
  },
  unmake: async (session, request) => {
    if (!(await remove(session, request, clusterOf(session, request)))) return waiting
    const pools = listOf(memberOf(request.outputs, 'node_groups', 'nodeGroups'))
    return { status: 'done', gone: pools.map(({ uid }) => String(uid)) }
  },
}

/** The pools were created with the cluster; those that are missing are created again. */
export const nodeGroups: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const made: { name: string | undefined; uid: string }[] = []
    for (const group of groupsIn(request))
      if (await creation.ensure(poolOf(session, request, group)))
        made.push({ name: textAt(group, 'name'), uid: `${uidOf(session, request)}/nodePools/${poolName(group)}` })
    if (made.length < groupsIn(request).length) return creation.waiting
    return { status: 'done', output: { nodeGroups: made } }
  },
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const cluster = clusterOf(session, request)
    const found = await look(session, cluster)
    if (!found) throw goneFault(`The cluster ${cluster.name}`)
    return stateOf(found) === 'ready' ? { status: 'done', output: outputOf(session, request, found) } : waiting
  },
}

/** Includes pools that the job did not create. */
export const describe: Describer = async (session, request) => {
  const found = await look(session, clusterOf(session, request))
  if (!found || stateOf(found) === 'deleting') return null
  const { config } = request
  const wanted = new Map(groupsIn(request).map((group) => [poolName(group), textAt(group, 'name')]))
  const nodeGroups = listOf(found['nodePools']).map((pool) => {
    const name = textAt(pool, 'name') ?? ''
    return {
      name: wanted.get(name) ?? name,
      instanceType: textAt(pool, 'config', 'machineType'),
      min: countAt(pool, 'autoscaling', 'totalMinNodeCount') ?? 0,
      max: countAt(pool, 'autoscaling', 'totalMaxNodeCount'),
    }
  })
  return {
    ...config,
    version: versionOf(textAt(config, 'version') ?? '', textAt(found, 'currentMasterVersion') ?? ''),
    nodeGroups,
  }
}
