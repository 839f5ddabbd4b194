/**
 * Load balancers for a managed instance group: a passthrough network load balancer of the region, which forwards ports
 * unchanged, and a firewall rule for machines with network tags.
 */
import { Fault } from '#engine/value/fault.ts'
import { pathIn, safePath } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import {
  countAt,
  isTrueAt,
  listOf,
  memberOf,
  textAt,
  textsOf,
  type Json,
} from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import { Creation, look, remove, uidPathOf, type CloudObject } from './cloud-object.ts'
import { globalObject, regionalObject } from './compute.ts'
import { Answer } from './operation.ts'
import {
  goneFault,
  labelsOf,
  unsupportedFault,
  waiting,
  type Describer,
  type NamedRequest,
  type ProvisionStep,
} from './step.ts'

const permissions = {
  check: {
    get: 'compute.regionHealthChecks.get',
    create: 'compute.regionHealthChecks.create',
    delete: 'compute.regionHealthChecks.delete',
  },
  service: {
    get: 'compute.regionBackendServices.get',
    create: 'compute.regionBackendServices.create',
    delete: 'compute.regionBackendServices.delete',
  },
  rule: {
    get: 'compute.forwardingRules.get',
    create: 'compute.forwardingRules.create',
    delete: 'compute.forwardingRules.delete',
  },
  firewall: {
    get: 'compute.firewalls.get',
    create: 'compute.firewalls.create',
    delete: 'compute.firewalls.delete',
  },
} as const

type BalancerRequest = NamedRequest & Partial<Pick<ProvisionRequest, 'tags' | 'kind' | 'outputs'>>

interface BalancerSpec {
  protocol: 'TCP' | 'UDP'
  ports: readonly number[]
  isInternal: boolean
  /** Uid of a managed instance group. */
  target: string
}

/** What one rule forwards. */
const portsMax = 5

/** @throws Fault `unsupported_provisioning` */
function specOf({ kind, config, outputs }: Pick<BalancerRequest, 'kind' | 'config' | 'outputs'>): BalancerSpec {
  const listeners =
    kind === 'vm_pool'
      ? (config['listenerPorts'] as readonly number[]).map((port) => ({ port, targetPort: port, protocol: 'TCP' }))
      : listOf(config['listeners'])
  const protocols = new Set(listeners.map(({ protocol }) => layerOf(String(protocol).toUpperCase())))
  const [protocol = 'TCP'] = protocols
  if (protocols.size > 1) throw unsupportedFault('A load balancer for both TCP and UDP')
  if (listeners.length > portsMax) throw unsupportedFault(`A load balancer with more than ${portsMax} ports`)
  if (listeners.some(({ port, targetPort }) => port !== targetPort))
    throw unsupportedFault('A listener whose targetPort differs from its port')
  return {
    protocol,
    ports: listeners.map((one) => countAt(one, 'port') ?? 0),
    isInternal: config['scheme'] === 'internal',
    target: String(kind === 'vm_pool' ? (memberOf(outputs, 'group', 'groupUid') ?? '') : config['targetUID']),
  }
}

function layerOf(protocol: string): 'TCP' | 'UDP' {
  if (protocol === 'HTTPS' || protocol === 'TLS')
    throw unsupportedFault(`A listener of ${protocol}, which needs a certificate,`)
  return protocol === 'UDP' ? 'UDP' : 'TCP'
}

/** @throws Fault `unsupported_provisioning` if the pool cannot have its load balancer */
export function checkPool({ config }: NamedRequest): void {
  if (config['createLoadBalancer'] === true) specOf({ kind: 'vm_pool', config })
}

/** The group that receives the traffic, and the machines in it. */
interface Target {
  instanceGroup: string
  network: string | undefined
  subnetwork: string | undefined
  networkTags: readonly string[]
}

async function targetOf(session: GcpSession, uid: string): Promise<Target> {
  if (!/^projects\/[^/]+\/(regions|zones)\/[^/]+\/instanceGroupManagers\/[^/]+$/.test(uid))
    throw unsupportedFault(`A load balancer for ${uid}, which is not a managed instance group,`)
  const group = await found(session, uid, 'compute.instanceGroupManagers.get')
  const template = await found(
    session,
    pathIn(textAt(group, 'instanceTemplate')) ?? '',
    'compute.instanceTemplates.get',
  )
  const [card] = listOf(memberOf(template, 'properties', 'networkInterfaces'))
  return {
    instanceGroup: pathIn(textAt(group, 'instanceGroup')) ?? '',
    network: pathIn(textAt(card, 'network')),
    subnetwork: pathIn(textAt(card, 'subnetwork')),
    networkTags: textsOf(memberOf(template, 'properties', 'tags', 'items')),
  }
}

async function found(session: GcpSession, uid: string, permission: string): Promise<Json> {
  try {
    return await session.ask({ service: 'compute', path: `/${safePath(uid)}`, permission }, Answer)
  } catch (error) {
    throw error instanceof Fault && error.code === 'not_found' ? goneFault(uid) : error
  }
}

const part = 'lb'

const checkOf = (session: GcpSession, request: BalancerRequest): CloudObject =>
  regionalObject(session, request, 'healthChecks', permissions.check, {
    part,
    type: 'TCP',
    tcpHealthCheck: { port: specOf(request).ports[0] },
  })

const scheme = ({ isInternal }: BalancerSpec): string => (isInternal ? 'INTERNAL' : 'EXTERNAL')

function serviceOf(session: GcpSession, request: BalancerRequest, target?: Target): CloudObject {
  const spec = specOf(request)
  return regionalObject(session, request, 'backendServices', permissions.service, {
    part,
    protocol: spec.protocol,
    loadBalancingScheme: scheme(spec),
    healthChecks: [uidPathOf(checkOf(session, request))],
    backends: [{ group: target?.instanceGroup, balancingMode: 'CONNECTION' }],
  })
}

function ruleOf(session: GcpSession, request: BalancerRequest, target?: Target): CloudObject {
  const spec = specOf(request)
  const { network, subnetwork } = target ?? {}
  return regionalObject(session, request, 'forwardingRules', permissions.rule, {
    part,
    IPProtocol: spec.protocol,
    ports: spec.ports.map(String),
    loadBalancingScheme: scheme(spec),
    backendService: uidPathOf(serviceOf(session, request)),
    ...(spec.isInternal && { network, ...(subnetwork !== undefined && { subnetwork }) }),
    labels: labelsOf({ tags: {}, ...request }),
  })
}

const anywhere = ['0.0.0.0/0']
/** Private ranges, and Google's health checks. */
const inside = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '35.191.0.0/16', '130.211.0.0/22']

function firewallOf(session: GcpSession, request: BalancerRequest, target?: Target): CloudObject {
  const { protocol, ports, isInternal } = specOf(request)
  const checked = protocol === 'UDP' ? [{ IPProtocol: 'tcp', ports: [String(ports[0])] }] : []
  return globalObject(session, request, 'firewalls', permissions.firewall, {
    part,
    network: target?.network,
    direction: 'INGRESS',
    sourceRanges: isInternal ? inside : anywhere,
    allowed: [{ IPProtocol: protocol.toLowerCase(), ports: ports.map(String) }, ...checked],
    targetTags: target?.networkTags,
  })
}

export const create: ProvisionStep = {
  make: async (session, request) => {
    const target = await targetOf(session, specOf(request).target)
    const creation = new Creation(session, request)
    // Without tags, the rule would be for the whole network.
    const firewalls = target.networkTags.length > 0 ? [firewallOf(session, request, target)] : []
    const rule = ruleOf(session, request, target)
    for (const object of [...firewalls, checkOf(session, request), serviceOf(session, request, target)])
      if (!(await creation.ensure(object))) return creation.waiting
    const made = await creation.ensure(rule)
    if (!made) return creation.waiting
    return { status: 'done', output: { loadBalancerUid: uidPathOf(rule), address: textAt(made, 'IPAddress') } }
  },
  unmake: async (session, request) => {
    for (const objectOf of [ruleOf, serviceOf, checkOf, firewallOf])
      if (!(await remove(session, request, objectOf(session, request)))) return waiting
    return { status: 'done' }
  },
}

export const validate: ProvisionStep = {
  make: async (session, request) => {
    await targetOf(session, specOf(request).target)
    return { status: 'done' }
  },
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const rule = ruleOf(session, request)
    if (await look(session, rule)) return { status: 'done' }
    throw goneFault(`The load balancer ${rule.name}`)
  },
}

export const describe: Describer = async (session, request) => {
  const made = await look(session, ruleOf(session, request))
  if (!made) return null
  const service = await look(session, serviceOf(session, request))
  const ports = new Set(textsOf(made['ports']).map(Number))
  const { config } = request
  const [backend] = listOf(memberOf(service, 'backends'))
  const group = pathIn(textAt(backend, 'group'))?.replace('/instanceGroups/', '/instanceGroupManagers/')
  return {
    ...config,
    scheme: textAt(made, 'loadBalancingScheme') === 'INTERNAL' ? 'internal' : 'public',
    listeners: listOf(config['listeners']).filter(
      (one) => isTrueAt(made, 'allPorts') || ports.has(Number(one['port'])),
    ),
    targetUID: group,
  }
}
