/** Kubernetes clusters in AKS, which are created and deleted together with their node pools. */
import { clusterVersion } from '#streams/cloud/azure/discover/kubernetes.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import { isIdOf } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { countAt, listOf, textAt, textsOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { partName, versionOf } from '#streams/cloud/provision.ts'
import { Creation, look, objectIn, removeAll, requireFound, stateOf, uidIn, type CloudObject } from './cloud-object.ts'
import { configFault, ownName, tagsOf, waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

/** Maximum characters; letters and digits only. */
const nameMax = 12

const poolName = (group: Json): string => partName(textAt(group, 'name') ?? '', nameMax, '')

const groupsIn = ({ config }: NamedRequest): readonly Json[] => listOf(config['nodeGroups'])

/** Runs what the cluster needs itself, so it always has a machine. */
const systemGroup = (request: NamedRequest): Json | undefined =>
  groupsIn(request).find((group) => (countAt(group, 'min') ?? 0) > 0)

function poolProperties(request: NamedRequest, group: Json): object {
  const [subnet] = textsOf(request.config['subnetIDs'])
  const min = countAt(group, 'min') ?? 0
  return {
    mode: poolName(group) === poolName(systemGroup(request) ?? {}) ? 'System' : 'User',
    type: 'VirtualMachineScaleSets',
    osType: 'Linux',
    vmSize: textAt(group, 'instanceType'),
    count: min,
    enableAutoScaling: true,
    minCount: min,
    maxCount: countAt(group, 'max'),
    vnetSubnetID: subnet,
    tags: tagsOf(request),
  }
}

const clusterOf = (session: AzureSession, request: NamedRequest): CloudObject =>
  objectIn(session, request, {
    type: 'Microsoft.ContainerService/managedClusters',
    version: clusterVersion,
    body: {
      // The tier whose price the estimate has.
      sku: { name: 'Base', tier: 'Standard' },
      identity: { type: 'SystemAssigned' },
      properties: {
        kubernetesVersion: textAt(request.config, 'version'),
        dnsPrefix: ownName(request),
        nodeResourceGroup: `${ownName(request)}-nodes`,
        agentPoolProfiles: groupsIn(request).map((group) => ({
          name: poolName(group),
          ...poolProperties(request, group),
        })),
        networkProfile: {
          networkPlugin: 'azure',
          networkPluginMode: 'overlay',
          // Azure's default, 10.0.0.0/16, overlaps with many networks.
          serviceCidr: '172.30.0.0/16',
          dnsServiceIP: '172.30.0.10',
        },
        oidcIssuerProfile: { enabled: true },
        securityProfile: { workloadIdentity: { enabled: true } },
      },
    },
  })

function poolOf(session: AzureSession, request: NamedRequest, group: Json): CloudObject {
  const { path, version } = clusterOf(session, request)
  const name = poolName(group)
  return { path: `${path}/agentPools/${name}`, name, version, body: { properties: poolProperties(request, group) } }
}

export const validate: ProvisionStep = {
  make: async ({ account }, request) => {
    const { config } = request
    const [subnet = '', ...others] = textsOf(config['subnetIDs'])
    const network = textAt(config, 'vpcID') ?? ''
    if (others.length > 0)
      throw configFault('subnetIDs must name one subnet: subnets of Azure cover all zones of the region.')
    if (!isIdOf(account.externalId, network) || !subnet.toLowerCase().startsWith(`${network.toLowerCase()}/subnets/`))
      throw configFault(
        'vpcID must be the id of a virtual network in the subscription, and subnetIDs the id of a subnet in it: /subscriptions/…/virtualNetworks/NAME/subnets/NAME.',
      )
    if (!systemGroup(request))
      throw configFault('min must be at least 1 in one of nodeGroups: the cluster itself runs on its machines.')
    return { status: 'done' }
  },
}

const outputOf = (session: AzureSession, request: NamedRequest, found: Json) => {
  const properties = propertiesOf(found)
  const host = textAt(properties, 'fqdn')
  return {
    clusterUid: uidIn(clusterOf(session, request)),
    name: ownName(request),
    version: textAt(properties, 'currentKubernetesVersion') ?? textAt(properties, 'kubernetesVersion'),
    ...(host !== undefined && { endpoint: `https://${host}` }),
  }
}

export const controlPlane: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const found = await creation.ensure(clusterOf(session, request))
    return found ? { status: 'done', output: outputOf(session, request, found) } : creation.waiting
  },
  unmake: removeAll,
}

/** The pools were created with the cluster; those that are missing are created again. */
export const nodeGroups: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const made: { name: string | undefined; uid: string }[] = []
    // One after the other: a cluster takes one change at a time.
    for (const group of groupsIn(request)) {
      const pool = poolOf(session, request, group)
      if (!(await creation.ensure(pool))) return creation.waiting
      made.push({ name: textAt(group, 'name'), uid: uidIn(pool) })
    }
    return { status: 'done', output: { nodeGroups: made } }
  },
  unmake: removeAll,
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const cluster = clusterOf(session, request)
    const found = await requireFound(session, cluster, 'The cluster')
    return stateOf(cluster, found) === 'ready' ? { status: 'done', output: outputOf(session, request, found) } : waiting
  },
}

/** Includes pools that the job did not create. */
export const describe: Describer = async (session, request) => {
  const cluster = clusterOf(session, request)
  const found = await look(session, cluster)
  if (!found || stateOf(cluster, found) === 'deleting') return null
  const { config } = request
  const wanted = new Map(groupsIn(request).map((group) => [poolName(group), textAt(group, 'name')]))
  const properties = propertiesOf(found)
  const pools = listOf(properties['agentPoolProfiles']).map((pool) => {
    const name = textAt(pool, 'name') ?? ''
    return {
      name: wanted.get(name) ?? name,
      instanceType: textAt(pool, 'vmSize'),
      min: countAt(pool, 'minCount') ?? countAt(pool, 'count'),
      max: countAt(pool, 'maxCount') ?? countAt(pool, 'count'),
    }
  })
  const version = textAt(properties, 'currentKubernetesVersion') ?? textAt(properties, 'kubernetesVersion') ?? ''
  return { ...config, version: versionOf(textAt(config, 'version') ?? '', version), nodeGroups: pools }
}
