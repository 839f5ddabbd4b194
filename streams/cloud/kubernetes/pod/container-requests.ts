/** Distributes new requests of a pod to its containers. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { requestsOf } from './spec.ts'
import { mebibytesOf, millicoresOf, quantityOf } from './quantity.ts'
import { dropUndefined, listOf, memberOf, textOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Requests of one pod; missing ones do not change. */
export interface TargetRequests {
  cpu_request_millicores?: number
  memory_request_mib?: number
}

interface Unit {
  resource: 'cpu' | 'memory'
  suffix: 'm' | 'Mi'
  /** Converts a quantity to whole units. */
  of: (quantity: number) => number
}

const cpu: Unit = { resource: 'cpu', suffix: 'm', of: millicoresOf }
const memory: Unit = { resource: 'memory', suffix: 'Mi', of: mebibytesOf }

/**
 * The `containers` of a patch, by name. Requests keep their proportions, are in whole units, and add up exactly to the
 * target. Limits below their request are raised to it. A container without a request keeps none, unless it is the only
 * one.
 * @throws a `user_action` fault `invalid_size` if it is unclear which container to change
 */
export function containersFor(spec: unknown, wanted: TargetRequests, name: string): Json[] {
  const containers = listOf(memberOf(spec, 'containers'))
  const cores = sharesOf(containers, wanted.cpu_request_millicores, cpu, name)
  const bytes = sharesOf(containers, wanted.memory_request_mib, memory, name)
  return containers.flatMap((container, at) => {
    const [core, byte] = [cores[at], bytes[at]]
    const requests = dropUndefined({ cpu: formatShare(core, cpu), memory: formatShare(byte, memory) })
    if (Object.keys(requests).length === 0) return []
    const limits = dropUndefined({ cpu: raiseLimit(container, core, cpu), memory: raiseLimit(container, byte, memory) })
    const resources = { requests, ...(Object.keys(limits).length > 0 && { limits }) }
    return [{ name: textOf(container['name']), resources }]
  })
}

const formatShare = (share: number | undefined, { suffix }: Unit): string | undefined =>
  share === undefined ? undefined : `${share}${suffix}`

/** Undefined if the limit is high enough or there is none. */
function raiseLimit(container: Json, share: number | undefined, unit: Unit): string | undefined {
  const limit = quantityOf(memberOf(container, 'resources', 'limits', unit.resource))
  if (share === undefined || limit === undefined || unit.of(limit) >= share) return undefined
  return formatShare(share, unit)
}

/** One value per container; undefined if the container does not change. */
function sharesOf(
  containers: readonly Json[],
  total: number | undefined,
  { resource }: Unit,
  name: string,
): (number | undefined)[] {
  const now = containers.map((container) => requestsOf(container)[resource] ?? 0)
  if (total === undefined) return now.map(() => undefined)
  const sum = now.reduce((all, one) => all + one, 0)
  if (sum === 0 && containers.length === 1) return [total]
  const asking = now.filter((one) => one > 0).length
  if (sum === 0 || total < asking)
    throw cloudFault(
      'user_action',
      'invalid_size',
      `${name}: ${total} of ${resource} cannot be divided among its containers.`,
    )
  return splitShares(now, total)
}

/**
 * One unit for each container with a request, the rest in proportion; the remainder of rounding goes to the largest.
 */
function splitShares(now: readonly number[], total: number): (number | undefined)[] {
  const sum = now.reduce((all, one) => all + one, 0)
  const rest = total - now.filter((one) => one > 0).length
  const shares = now.map((one) => (one > 0 ? 1 + Math.floor((one / sum) * rest) : undefined))
  const largest = now.indexOf(Math.max(...now))
  const given = shares.reduce<number>((all, one) => all + (one ?? 0), 0)
  return shares.map((share, at) => (at === largest && share !== undefined ? share + total - given : share))
}
