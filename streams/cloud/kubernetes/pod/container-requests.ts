/** What the containers of a workload are to request, so that one pod requests what is asked for. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { requestsOf } from './spec.ts'
import { mebibytesOf, millicoresOf, quantityOf } from './quantity.ts'
import { dropUndefined, listOf, memberOf, textOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Of one pod; what is left out stays. */
export interface TargetRequests {
  cpu_request_millicores?: number
  memory_request_mib?: number
}

interface Unit {
  resource: 'cpu' | 'memory'
  suffix: 'm' | 'Mi'
  /** Whole units of a quantity. */
  of: (quantity: number) => number
}

const cpu: Unit = { resource: 'cpu', suffix: 'm', of: millicoresOf }
const memory: Unit = { resource: 'memory', suffix: 'Mi', of: mebibytesOf }

/**
 * The `containers` of a patch, each by its name: in the proportion of what they request now, whole units, their sum exactly what is
 * wanted. A limit below its request rises to it. What requests nothing goes on so, unless it is alone.
 * @throws a `user_action` fault `invalid_size` where nobody can say which container it is for
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

/** Undefined where the limit is high enough, or there is none. */
function raiseLimit(container: Json, share: number | undefined, unit: Unit): string | undefined {
  const limit = quantityOf(memberOf(container, 'resources', 'limits', unit.resource))
  if (share === undefined || limit === undefined || unit.of(limit) >= share) return undefined
  return formatShare(share, unit)
}

/** One for each container; undefined for one that is to stay as it is. */
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

/** One unit for each that has any, and the rest in proportion; what rounding leaves goes to the largest. */
function splitShares(now: readonly number[], total: number): (number | undefined)[] {
  const sum = now.reduce((all, one) => all + one, 0)
  const rest = total - now.filter((one) => one > 0).length
  const shares = now.map((one) => (one > 0 ? 1 + Math.floor((one / sum) * rest) : undefined))
  const largest = now.indexOf(Math.max(...now))
  const given = shares.reduce<number>((all, one) => all + (one ?? 0), 0)
  return shares.map((share, at) => (at === largest && share !== undefined ? share + total - given : share))
}
