/** Load balancers for a scale set: a standard load balancer, which forwards ports, and its address. */
import { networkVersion } from '#streams/cloud/azure/discover/index.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { countAt, listOf, memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import { Creation, look, objectIn, removeAll, requireFound, stateOf, uidIn, type CloudObject } from './cloud-object.ts'
import { change, codeOf } from './operation.ts'
import {
  configFault,
  unsupportedFault,
  waiting,
  type Describer,
  type NamedRequest,
  type ProvisionStep,
} from './step.ts'
import { checkUpgraded, isInPool, isUpgraded, poolChange, requireTarget, subnetOf, targetAt } from './target.ts'

type BalancerRequest = NamedRequest & Partial<Pick<ProvisionRequest, 'kind' | 'outputs'>>

interface Listener {
  protocol: 'Tcp' | 'Udp'
  port: number
  targetPort: number
}

interface BalancerSpec {
  listeners: readonly Listener[]
  isInternal: boolean
  /** Uid of a scale set. */
  target: string
}

/** @throws a fault for what Azure does not have */
function specOf({ kind, config, outputs }: Pick<BalancerRequest, 'kind' | 'config' | 'outputs'>): BalancerSpec {
  const isPool = kind === 'vm_pool'
  const listeners: readonly Listener[] = isPool
    ? (config['listenerPorts'] as readonly number[]).map((port) => ({ protocol: 'Tcp', port, targetPort: port }))
    : listOf(config['listeners']).map((one) => ({
        protocol: protocolOf(String(one['protocol']).toUpperCase()),
        port: countAt(one, 'port') ?? 0,
        targetPort: countAt(one, 'targetPort') ?? 0,
      }))
  const targets = new Set(listeners.map(({ protocol, targetPort }) => `${protocol} ${targetPort}`))
  if (targets.size < listeners.length)
    throw configFault('targetPort must differ between listeners of a protocol: Azure forwards one port to each.')
  return {
    listeners,
    isInternal: config['scheme'] === 'internal',
    target: String(isPool ? (memberOf(outputs, 'group', 'groupUid') ?? '') : config['targetUID']),
  }
}

function protocolOf(protocol: string): 'Tcp' | 'Udp' {
  if (protocol === 'HTTPS' || protocol === 'TLS')
    throw unsupportedFault(`A listener of ${protocol}, which needs a certificate,`)
  return protocol === 'UDP' ? 'Udp' : 'Tcp'
}

/** @throws a fault if the pool cannot have its load balancer */
export function checkPool({ config }: NamedRequest): void {
  if (config['createLoadBalancer'] === true) specOf({ kind: 'vm_pool', config })
}

const addressOf = (session: AzureSession, request: NamedRequest): CloudObject =>
  objectIn(session, request, {
    type: 'Microsoft.Network/publicIPAddresses',
    version: networkVersion,
    body: { sku: { name: 'Standard' }, properties: { publicIPAllocationMethod: 'Static' } },
  })

const balancerPath = (session: AzureSession, request: NamedRequest): string =>
  objectIn(session, request, { type: 'Microsoft.Network/loadBalancers', version: networkVersion, body: {} }).path

const [frontend, backend] = ['frontend', 'backend']

const poolOf = (session: AzureSession, request: NamedRequest): string =>
  `${balancerPath(session, request)}/backendAddressPools/${backend}`

function balancerOf(session: AzureSession, request: BalancerRequest, subnet?: string): CloudObject {
  const { listeners, isInternal } = specOf(request)
  const path = balancerPath(session, request)
  const [first] = listeners
  const checked = listeners.find(({ protocol }) => protocol === 'Tcp') ?? first
  return objectIn(session, request, {
    type: 'Microsoft.Network/loadBalancers',
    version: networkVersion,
    body: {
      sku: { name: 'Standard' },
      properties: {
        frontendIPConfigurations: [
          {
            name: frontend,
            properties: isInternal
              ? { privateIPAllocationMethod: 'Dynamic', subnet: { id: subnet } }
              : { publicIPAddress: { id: addressOf(session, request).path } },
          },
        ],
        backendAddressPools: [{ name: backend }],
        // There is no probe for UDP.
        probes: [
          {
            name: 'probe',
            properties: { protocol: 'Tcp', port: checked?.targetPort, intervalInSeconds: 15, probeThreshold: 2 },
          },
        ],
        loadBalancingRules: listeners.map(({ protocol, port, targetPort }) => ({
          name: `${protocol.toLowerCase()}-${port}`,
          properties: {
            protocol,
            frontendPort: port,
            backendPort: targetPort,
            frontendIPConfiguration: { id: `${path}/frontendIPConfigurations/${frontend}` },
            backendAddressPool: { id: poolOf(session, request) },
            probe: { id: `${path}/probes/probe` },
          },
        })),
      },
    },
  })
}

const attachment = 'attachment'

export const create: ProvisionStep = {
  make: async (session, request) => {
    const { target, isInternal } = specOf(request)
    const creation = new Creation(session, request)
    const set = await requireTarget(session, target)
    const balancer = balancerOf(session, request, subnetOf(set))
    const address = isInternal ? {} : await creation.ensure(addressOf(session, request))
    const made = address && (await creation.ensure(balancer))
    if (!made || !(await attach(creation, set, target))) return creation.waiting
    const [front] = listOf(propertiesOf(made)['frontendIPConfigurations']).map(propertiesOf)
    const shown = isInternal ? textAt(front, 'privateIPAddress') : textAt(propertiesOf(address), 'ipAddress')
    return { status: 'done', output: { loadBalancerUid: uidIn(balancer), address: shown } }
  },
  unmake: async (session, request) => {
    // The scale set of a pool is deleted together with its load balancer.
    if (request.kind === 'vm_pool') return removeAll(session, request)
    return (await detach(session, request)) ? removeAll(session, request) : waiting
  },
}

/** Whether the machines receive the traffic. */
async function attach(creation: Creation, set: Json, target: string): Promise<boolean> {
  const { session, request } = creation
  const pool = poolOf(session, request)
  if (!(await creation.isSettled(attachment, { method: 'PATCH', path: target }))) return false
  if (isInPool(set, pool)) return isUpgraded(session, set, target)
  await creation.change(attachment, poolChange(set, target, pool, true))
  return false
}

/** A load balancer cannot be deleted while machines outside of its group are in it. */
async function detach(session: AzureSession, request: BalancerRequest): Promise<boolean> {
  const { target } = specOf(request)
  const set = await look(session, targetAt(session, target))
  const pool = poolOf(session, request)
  if (!set || stateOf(targetAt(session, target), set) === 'deleting') return true
  if (!isInPool(set, pool)) return (await isReleased(session, request)) || isUpgraded(session, set, target)
  try {
    await change(session, poolChange(set, target, pool, false))
  } catch (error) {
    if (codeOf(error) !== 'busy') throw error
  }
  return false
}

/** Whether no machine is in the load balancer, which may not exist. */
async function isReleased(session: AzureSession, request: BalancerRequest): Promise<boolean> {
  const found = await look(session, balancerOf(session, request))
  return !found || machinesIn(found).length === 0
}

/** Ids of the addresses of machines. */
function machinesIn(balancer: Json): string[] {
  const [pool] = listOf(propertiesOf(balancer)['backendAddressPools']).map(propertiesOf)
  return listOf(memberOf(pool, 'backendIPConfigurations')).map((one) => textAt(one, 'id') ?? '')
}

export const validate: ProvisionStep = {
  make: async (session, request) => {
    const { target } = specOf(request)
    await requireTarget(session, target)
    await checkUpgraded(session, target)
    return { status: 'done' }
  },
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    await requireFound(session, balancerOf(session, request), 'The load balancer')
    return { status: 'done' }
  },
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, balancerOf(session, request))
  if (!found) return null
  const { config } = request
  const [front] = listOf(propertiesOf(found)['frontendIPConfigurations']).map(propertiesOf)
  const rules = listOf(propertiesOf(found)['loadBalancingRules']).map(propertiesOf)
  const forwarded = new Set(
    rules.map((rule) => `${textAt(rule, 'protocol')} ${countAt(rule, 'frontendPort')} ${countAt(rule, 'backendPort')}`),
  )
  const listeners = specOf(request).listeners
  const isForwarded = (_: Json, at: number): boolean => {
    const { protocol, port, targetPort } = listeners[at]!
    return forwarded.has(`${protocol} ${port} ${targetPort}`)
  }
  const [machine] = machinesIn(found)
  const target = /^(.*\/virtualMachineScaleSets\/[^/]+)\//i.exec(machine ?? '')?.[1]?.toLowerCase()
  return {
    ...config,
    scheme: memberOf(front, 'publicIPAddress') === undefined ? 'internal' : 'public',
    listeners: listOf(config['listeners']).filter(isForwarded),
    // Without machines it is not known.
    ...(target !== undefined && target !== String(config['targetUID']).toLowerCase() && { targetUID: target }),
  }
}
