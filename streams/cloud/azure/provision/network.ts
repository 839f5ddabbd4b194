/**
 * Networks: a virtual network, its subnets, and a network security group with Azure's default rules, which let nothing
 * in from the internet. Subnets are not divided by zones.
 */
import { networkVersion } from '#streams/cloud/azure/discover/index.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { listOf, memberOf, textAt, textsOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { partName } from '#streams/cloud/provision.ts'
import { Creation, look, objectIn, remove, removeAll, requireFound, uidIn, type CloudObject } from './cloud-object.ts'
import { waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

/** @param rules in addition to Azure's */
export const firewallOf = (session: AzureSession, request: NamedRequest, rules: readonly object[] = []): CloudObject =>
  objectIn(session, request, {
    type: 'Microsoft.Network/networkSecurityGroups',
    version: networkVersion,
    body: { properties: { securityRules: rules } },
  })

/** A subnet of a network, as the request has it. */
export interface SubnetSpec {
  name: string
  cidr: string | undefined
  /** Whether machines without an address of their own reach the internet. */
  isPublic: boolean
}

export const networkOf = (
  session: AzureSession,
  request: NamedRequest,
  { cidr, subnets }: { cidr: string | undefined; subnets: readonly SubnetSpec[] },
): CloudObject =>
  objectIn(session, request, {
    type: 'Microsoft.Network/virtualNetworks',
    version: networkVersion,
    body: {
      properties: {
        addressSpace: { addressPrefixes: [cidr] },
        subnets: subnets.map((subnet) => ({
          name: subnet.name,
          properties: {
            addressPrefix: subnet.cidr,
            defaultOutboundAccess: subnet.isPublic,
            networkSecurityGroup: { id: firewallOf(session, request).path },
          },
        })),
      },
    },
  })

/** Maximum characters of a subnet's name. */
const nameMax = 80

const subnetName = (subnet: Json): string => partName(textAt(subnet, 'name') ?? '', nameMax)

const subnetsIn = ({ config }: NamedRequest): readonly Json[] => listOf(config['subnets'])

const requestedNetwork = (session: AzureSession, request: NamedRequest): CloudObject =>
  networkOf(session, request, {
    cidr: textAt(request.config, 'cidr'),
    subnets: subnetsIn(request).map((subnet) => ({
      name: subnetName(subnet),
      cidr: textAt(subnet, 'cidr'),
      isPublic: subnet['public'] === true,
    })),
  })

export const create: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const network = requestedNetwork(session, request)
    const isMade = (await creation.ensure(firewallOf(session, request))) && (await creation.ensure(network))
    if (!isMade) return creation.waiting
    const subnets = subnetsIn(request).map((subnet) => ({
      name: textAt(subnet, 'name'),
      uid: `${uidIn(network)}/subnets/${subnetName(subnet)}`,
    }))
    return { status: 'done', output: { networkUid: uidIn(network), name: network.name, subnets } }
  },
  // First the network alone: Azure refuses at once, with the reason, while something outside of the group is in it.
  unmake: async (session, request) =>
    (await remove(session, request, requestedNetwork(session, request))) ? removeAll(session, request) : waiting,
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    await requireFound(session, requestedNetwork(session, request), 'The network')
    return { status: 'done' }
  },
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, requestedNetwork(session, request))
  if (!found) return null
  const { config } = request
  const byName = new Map(listOf(propertiesOf(found)['subnets']).map((one) => [textAt(one, 'name'), propertiesOf(one)]))
  const subnets = subnetsIn(request).flatMap((subnet) => {
    const known = byName.get(subnetName(subnet))
    if (!known) return []
    const [cidr = textAt(known, 'addressPrefix')] = textsOf(known['addressPrefixes'])
    return [{ ...subnet, cidr, public: known['defaultOutboundAccess'] !== false }]
  })
  const [cidr] = textsOf(memberOf(propertiesOf(found), 'addressSpace', 'addressPrefixes'))
  return { ...config, cidr, subnets }
}
