/**
 * Pools of machines: a network of their own, a scale set and its autoscale setting, and a load balancer if requested.
 */
import { hash } from 'node:crypto'
import { computeVersion } from '#streams/cloud/azure/discover/compute.ts'
import { autoscaleVersion, boundsIn } from '#streams/cloud/azure/scaling/autoscale.ts'
import { settingProperties } from '#streams/cloud/azure/scaling/policy.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { countAt, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import * as balancer from './balancer.ts'
import { Creation, look, objectIn, removeAll, requireFound, stateOf, uidIn, type CloudObject } from './cloud-object.ts'
import { firewallOf, networkOf } from './network.ts'
import { waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

/** The newest Debian. Sizes with a `p` after their number have processors of Arm. */
const imageFor = (size: string): object => ({
  publisher: 'Debian',
  offer: 'debian-12',
  sku: /^Standard_[A-Z]+\d+(?:-\d+)?[a-z]*p[a-z]*(?:_|$)/.test(size) ? '12-arm64' : '12-gen2',
  version: 'latest',
})

const user = 'tidemark'

/**
 * Azure requires a key or a password. This key is a hash, so nobody has its private part; a repeated request has the
 * same, because Azure does not accept another one.
 */
function publicKey({ jobId }: Pick<NamedRequest, 'jobId'>): string {
  const parts = [Buffer.from('ssh-ed25519'), hash('sha256', `tidemark ${jobId}`, 'buffer')]
  const sized = parts.flatMap((part) => [Buffer.of(0, 0, 0, part.length), part])
  return `ssh-ed25519 ${Buffer.concat(sized).toString('base64')}`
}

/** The machines' ports are open to the load balancer's clients only. */
const firewallFor = (session: AzureSession, request: NamedRequest): CloudObject => {
  const { config } = request
  const ports = config['createLoadBalancer'] === true ? (config['listenerPorts'] as readonly number[]) : []
  const rule = {
    name: 'load-balancer',
    properties: {
      priority: 100,
      direction: 'Inbound',
      access: 'Allow',
      protocol: 'Tcp',
      sourceAddressPrefix: 'Internet',
      sourcePortRange: '*',
      destinationAddressPrefix: '*',
      destinationPortRanges: ports.map(String),
    },
  }
  return firewallOf(session, request, ports.length > 0 ? [rule] : [])
}

const subnet = 'machines'

const networkFor = (session: AzureSession, request: NamedRequest): CloudObject =>
  networkOf(session, request, {
    cidr: '10.0.0.0/16',
    subnets: [{ name: subnet, cidr: '10.0.0.0/16', isPublic: false }],
  })

const groupOf = (session: AzureSession, request: NamedRequest): CloudObject => {
  const size = textAt(request.config, 'instanceType') ?? ''
  return objectIn(session, request, {
    type: 'Microsoft.Compute/virtualMachineScaleSets',
    version: computeVersion,
    body: {
      sku: { name: size, tier: 'Standard', capacity: countAt(request.config, 'min') ?? 0 },
      properties: {
        orchestrationMode: 'Uniform',
        upgradePolicy: { mode: 'Automatic' },
        overprovision: false,
        // Up to 1,000 machines instead of 100.
        singlePlacementGroup: false,
        virtualMachineProfile: {
          osProfile: {
            computerNamePrefix: 'tidemark',
            adminUsername: user,
            linuxConfiguration: {
              disablePasswordAuthentication: true,
              ssh: { publicKeys: [{ path: `/home/${user}/.ssh/authorized_keys`, keyData: publicKey(request) }] },
            },
          },
          storageProfile: {
            imageReference: imageFor(size),
            osDisk: {
              createOption: 'FromImage',
              caching: 'ReadWrite',
              managedDisk: { storageAccountType: 'StandardSSD_LRS' },
            },
          },
          networkProfile: { networkInterfaceConfigurations: [cardOf(session, request)] },
        },
      },
    },
  })
}

/** Without an address of its own. */
const cardOf = (session: AzureSession, request: NamedRequest): object => ({
  name: 'primary',
  properties: {
    primary: true,
    ipConfigurations: [
      {
        name: 'primary',
        properties: {
          primary: true,
          subnet: { id: `${networkFor(session, request).path}/subnets/${subnet}` },
        },
      },
    ],
  },
})

const cpuTarget = 60

function scalerOf(session: AzureSession, request: NamedRequest): CloudObject {
  const target = { id: groupOf(session, request).path, location: request.region }
  const { config } = request
  const bounds = { min: countAt(config, 'min') ?? 0, max: countAt(config, 'max') ?? 1 }
  const scaler = objectIn(session, request, {
    type: 'Microsoft.Insights/autoscaleSettings',
    version: autoscaleVersion,
    body: {},
  })
  const properties = settingProperties(scaler.name, target, bounds, { metricName: 'Percentage CPU', target: cpuTarget })
  return { ...scaler, body: { ...scaler.body, properties } }
}

export const validate: ProvisionStep = {
  make: async (_, request) => {
    balancer.checkPool(request)
    return { status: 'done' }
  },
}

/** Scale sets have no template; the network is what they need first. */
export const template: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const network = networkFor(session, request)
    const isMade = (await creation.ensure(firewallFor(session, request))) && (await creation.ensure(network))
    return isMade ? { status: 'done', output: { networkUid: uidIn(network), name: network.name } } : creation.waiting
  },
  unmake: removeAll,
}

export const group: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const object = groupOf(session, request)
    const isMade = (await creation.ensure(object)) && (await creation.ensure(scalerOf(session, request)))
    return isMade ? { status: 'done', output: { groupUid: uidIn(object), name: object.name } } : creation.waiting
  },
  unmake: removeAll,
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const object = groupOf(session, request)
    const found = await requireFound(session, object, 'The scale set')
    return stateOf(object, found) === 'ready' ? { status: 'done' } : waiting
  },
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, groupOf(session, request))
  if (!found) return null
  const setting = await look(session, scalerOf(session, request))
  const { min, max } = setting ? boundsIn(setting) : { min: undefined, max: undefined }
  return { ...request.config, min, max, instanceType: textAt(found, 'sku', 'name') }
}
