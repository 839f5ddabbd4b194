/** Checks of a config beyond its schema: ranges that do not fit, and repeated names. */
import ipaddr from 'ipaddr.js'
import type { Problem } from '#engine/value/fault.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { configBytesMax, type Configs } from './config.ts'

type Check<Kind extends ProvisioningKind> = (config: Configs[Kind]) => readonly Problem[]

/**
 * All problems, each with a JSON pointer into the config. Values of components are checked by the component's own
 * schema.
 */
export function configProblems<Kind extends ProvisioningKind>(kind: Kind, config: Configs[Kind]): Problem[] {
  const bytes = Buffer.byteLength(JSON.stringify(config))
  if (bytes > configBytesMax) return [problem('', 'maxBytes', `must not have more than ${configBytesMax} bytes`)]
  return [...(checks[kind] as Check<Kind>)(config)]
}

const none = (): readonly Problem[] => []

const checks: { readonly [Kind in ProvisioningKind]: Check<Kind> } = {
  kubernetes: ({ nodeGroups, subnetIDs }) => [
    ...nodeGroups.flatMap((group, i) => bounds(group, `/nodeGroups/${i}`)),
    ...twice(
      nodeGroups,
      ({ name }) => name,
      (i) => `/nodeGroups/${i}/name`,
    ),
    ...twice(subnetIDs, String, (i) => `/subnetIDs/${i}`),
  ],
  datastore: ({ engine, allocatedStorageGB }) =>
    engine !== 'redis' && allocatedStorageGB < 1
      ? [problem('/allocatedStorageGB', 'minimum', `must be >= 1 for ${engine}`)]
      : [],
  vm_pool: (pool) => [
    ...bounds(pool, ''),
    ...twice(pool.listenerPorts, String, (i) => `/listenerPorts/${i}`),
    ...(pool.createLoadBalancer && pool.listenerPorts.length === 0
      ? [problem('/listenerPorts', 'minItems', 'must list at least one port for the load balancer')]
      : []),
  ],
  network: networkProblems,
  registry: none,
  load_balancer: ({ listeners }) => {
    const key = ({ port, protocol }: (typeof listeners)[number]) => `${port} ${layerOf(protocol)}`
    return twice(listeners, key, (i) => `/listeners/${i}/port`)
  },
  component: none,
  existing_datastore: none,
}

const problem = (path: string, code: string, message: string): Problem => ({ path, code, message })

function bounds({ min, max }: { min: number; max: number }, above: string): Problem[] {
  return min > max ? [problem(`${above}/max`, 'minimum', `must be >= ${min}, which is min`)] : []
}

/** One problem for each element with the same key as an earlier one. */
function twice<T>(list: readonly T[], keyOf: (one: T) => string, pathOf: (i: number) => string): Problem[] {
  const keys = list.map(keyOf)
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [problem(pathOf(i), 'unique', 'is already in the list')] : [],
  )
}

/** TCP and UDP have separate ports. */
const layerOf = (protocol: string): string => (protocol.toLowerCase() === 'udp' ? 'udp' : 'tcp')

/** Addresses from `first` to `last`, as numbers. */
interface Range {
  first: number
  last: number
}

const shortest = 8
const longest = 28

/** Undefined if it is not a range, or its address is not the first of the range. */
function rangeOf(cidr: string): Range | undefined {
  if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr)) return undefined
  const [address, bits] = ipaddr.IPv4.parseCIDR(cidr)
  if (bits < shortest || bits > longest) return undefined
  const first = address.toByteArray().reduce((sum, byte) => sum * 256 + byte, 0)
  const size = 2 ** (32 - bits)
  return first % size === 0 ? { first, last: first + size - 1 } : undefined
}

function networkProblems({ cidr, subnets }: Configs['network']): Problem[] {
  const whole = rangeOf(cidr)
  const ranges = subnets.map((subnet) => rangeOf(subnet.cidr))
  const isNone = (path: string) =>
    problem(
      path,
      'cidr',
      `must start with the first address of an IPv4 range from /${shortest} to /${longest}, for example 10.0.0.0/16`,
    )
  const subnetProblem = (range: Range | undefined, i: number): Problem[] => {
    const path = `/subnets/${i}/cidr`
    if (!range) return [isNone(path)]
    if (whole && (range.first < whole.first || range.last > whole.last))
      return [problem(path, 'outside', `must be within ${cidr}`)]
    const other = ranges.findIndex((one, n) => n < i && one && one.first <= range.last && range.first <= one.last)
    return other === -1 ? [] : [problem(path, 'overlap', `must not overlap with ${subnets[other]!.cidr}`)]
  }
  return [
    ...(whole ? [] : [isNone('/cidr')]),
    ...ranges.flatMap(subnetProblem),
    ...twice(
      subnets,
      ({ name }) => name,
      (i) => `/subnets/${i}/name`,
    ),
  ]
}
