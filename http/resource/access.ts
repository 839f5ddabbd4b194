import { BlockList, isIPv6 } from 'node:net'
import { findAccount } from '#actors/account/queries.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { findResource } from '#actors/resource/queries.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { cloudPasses } from '#http/account/cloud-refusal.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { seenByCloud } from '#actors/account/connection/cloud.ts'
import { bucketOf, type AccessFacts } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'

const Network = t.Object(
  {
    reachable: t.Boolean(),
    reason: t.Optional(t.Enum(['egress_config_error', 'private', 'ip_not_allowlisted'])),
    publicAccess: t.Boolean(),
    ourIps: t.Array(t.String(), { description: 'source CIDRs of this service' }),
    ourIp: t.Optional(t.String({ deprecated: true, description: 'the first of ourIps' })),
  },
  {
    title: 'NetworkAccess',
    examples: [{ reachable: true, publicAccess: true, ourIps: ['198.51.100.10/32'], ourIp: '198.51.100.10/32' }],
  },
)
type Network = Static<typeof Network>

/** The type of cluster whose network access is checked (decision G-33). */
const networkedType = 'aws-eks'

export const access: readonly Route[] = [
  route({
    method: 'GET',
    path: '/resources/:resourceID/access',
    summary: 'Check whether the service can reach a resource; returns 200 even if it cannot',
    description:
      'Queries the cloud with the credentials of the account. accessible is false if they are rejected. network is only returned for EKS clusters: whether the endpoint accepts the source addresses of this service.',
    permission: 'space.view',
    tags: ['Resources'],
    params: t.Object({ resourceID: t.String() }),
    reply: t.Object({ accessible: t.Boolean(), principal: t.String(), network: t.Optional(Network) }),
    example: {
      accessible: true,
      principal: 'arn:aws:iam::123456789012:role/tidemark',
      network: { reachable: true, publicAccess: true, ourIps: ['198.51.100.10/32'], ourIp: '198.51.100.10/32' },
    },
    refuses: cloudPasses,
    handle: async ({ caller, params }, services) => {
      const found = await findResource(services.em, caller.orgId, params.resourceID)
      if (!found) throw Fault.missing('resource', params.resourceID)
      const facts = await factsOf(found, services)
      const network =
        found.type === networkedType ? { network: networkAccess(facts.network, services.settings.egressCidrs) } : {}
      return { accessible: facts.accessible, principal: facts.principal, ...network }
    },
  }),
]

const noAccess: AccessFacts = { accessible: false, principal: '' }

/** What the cloud reports; no access if it refuses the customer's credentials. @throws the connector's other faults */
async function factsOf(r: Resource, services: Services): Promise<AccessFacts> {
  const account = await findAccount(services.em, r.orgId, r.cloudAccountId)
  if (!account || !isProvider(r.provider)) return noAccess
  const { uid: resourceUid, type, region, specs } = r
  const seen = seenByCloud(account, r.provider, services)
  try {
    return await services.cloudOf(seen).access(seen, { resourceUid, type, region, specs })
  } catch (error) {
    if (bucketOf(error) === 'user_action') return noAccess
    throw error
  }
}

/** What `facts` mean for calls from `ourIps`. Reasons are in the order of decision G-33. */
export function networkAccess(facts: AccessFacts['network'], ourIps: readonly string[]): Network {
  const publicAccess = facts?.publicAccess ?? false
  const reason = refusal(publicAccess, facts?.allowlist ?? [], ourIps)
  return {
    reachable: reason === undefined,
    ...(reason && { reason }),
    publicAccess,
    ourIps: [...ourIps],
    ...(ourIps[0] !== undefined && { ourIp: ourIps[0] }),
  }
}

function refusal(publicAccess: boolean, allowlist: readonly string[], ourIps: readonly string[]): Network['reason'] {
  if (ourIps.length === 0) return 'egress_config_error'
  if (!publicAccess) return 'private'
  return ourIps.every((cidr) => allowlist.some((allowed) => networkHolds(allowed, cidr)))
    ? undefined
    : 'ip_not_allowlisted'
}

/** Whether `outer` contains all of `inner`. A single address is a network of one. */
export function networkHolds(outer: string, inner: string): boolean {
  const [o, i] = [network(outer), network(inner)]
  if (o.family !== i.family || o.bits > i.bits) return false
  const list = new BlockList()
  list.addSubnet(o.address, o.bits, o.family)
  return list.check(i.address, i.family)
}

function network(cidr: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', bits] = cidr.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  return { address, bits: bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family }
}
