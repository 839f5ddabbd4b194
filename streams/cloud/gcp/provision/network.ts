/** Networks: a VPC network with subnets in the space's region. They are not divided by zones. */
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { listOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { partName } from '#streams/cloud/provision.ts'
import { Creation, look, remove, uidPathOf, type CloudObject } from './cloud-object.ts'
import { globalObject, regionalObject } from './compute.ts'
import { goneFault, waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

const permissions = {
  network: {
    get: 'compute.networks.get',
    create: 'compute.networks.create',
    delete: 'compute.networks.delete',
  },
  subnet: {
    get: 'compute.subnetworks.get',
    create: 'compute.subnetworks.create',
    delete: 'compute.subnetworks.delete',
  },
} as const

const networkOf = (session: GcpSession, request: NamedRequest): CloudObject =>
  globalObject(session, request, 'networks', permissions.network, {
    autoCreateSubnetworks: false,
    routingConfig: { routingMode: 'REGIONAL' },
  })

/** Maximum characters of a subnet's part in its name. */
const partMax = 40

const subnetOf = (session: GcpSession, request: NamedRequest, subnet: Json): CloudObject =>
  regionalObject(session, request, 'subnetworks', permissions.subnet, {
    part: partName(textAt(subnet, 'name') ?? '', partMax),
    network: uidPathOf(networkOf(session, request)),
    ipCidrRange: textAt(subnet, 'cidr'),
    // Without it, machines without an external address do not reach Google's own services.
    privateIpGoogleAccess: true,
  })

const subnetsIn = ({ config }: NamedRequest): readonly Json[] => listOf(config['subnets'])

/** All subnets are requested before any is waited for. */
export const create: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const network = networkOf(session, request)
    if (!(await creation.ensure(network))) return creation.waiting
    const subnets: { name: string | undefined; uid: string }[] = []
    for (const subnet of subnetsIn(request)) {
      const object = subnetOf(session, request, subnet)
      if (await creation.ensure(object)) subnets.push({ name: textAt(subnet, 'name'), uid: uidPathOf(object) })
    }
    if (subnets.length < subnetsIn(request).length) return creation.waiting
    return { status: 'done', output: { networkUid: uidPathOf(network), name: network.name, subnets } }
  },
  unmake: async (session, request) => {
    let isEmpty = true
    for (const subnet of subnetsIn(request))
      if (!(await remove(session, request, subnetOf(session, request, subnet)))) isEmpty = false
    return isEmpty && (await remove(session, request, networkOf(session, request))) ? { status: 'done' } : waiting
  },
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const network = networkOf(session, request)
    if (await look(session, network)) return { status: 'done' }
    throw goneFault(`The network ${network.name}`)
  },
}

/** Networks of Google Cloud have no range of their own. */
export const describe: Describer = async (session, request) => {
  if (!(await look(session, networkOf(session, request)))) return null
  const subnets: object[] = []
  for (const subnet of subnetsIn(request)) {
    const found = await look(session, subnetOf(session, request, subnet))
    if (found) subnets.push({ ...subnet, cidr: textAt(found, 'ipCidrRange') })
  }
  return { ...request.config, subnets }
}
