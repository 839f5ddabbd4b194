/** What a pod reserves on its node, as the Kubernetes scheduler calculates it. */
import { requestsOf } from './spec.ts'
import { quantityOf } from './quantity.ts'
import { listOf, memberOf, objectOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** Cores, bytes and whole accelerators. */
export interface PodRequests {
  cpu: number
  memory: number
  gpus: number
}

const accelerators = ['nvidia.com/gpu', 'amd.com/gpu']

/** The accelerators in a list of quantities by resource. */
export const acceleratorsIn = (quantities: unknown): number =>
  accelerators.reduce((sum, name) => sum + (quantityOf(objectOf(quantities)[name]) ?? 0), 0)

const none: PodRequests = { cpu: 0, memory: 0, gpus: 0 }

const by = (one: PodRequests, other: PodRequests, of: (a: number, b: number) => number): PodRequests => ({
  cpu: of(one.cpu, other.cpu),
  memory: of(one.memory, other.memory),
  gpus: of(one.gpus, other.gpus),
})
const plus = (one: PodRequests, other: PodRequests): PodRequests => by(one, other, (a, b) => a + b)
const most = (one: PodRequests, other: PodRequests): PodRequests => by(one, other, Math.max)

/** For accelerators, the limits are the requests. */
function ofContainer(container: Json): PodRequests {
  const { cpu = 0, memory = 0 } = requestsOf(container)
  const resources = memberOf(container, 'resources')
  const requested = acceleratorsIn(memberOf(resources, 'requests'))
  return { cpu, memory, gpus: requested > 0 ? requested : acceleratorsIn(memberOf(resources, 'limits')) }
}

/**
 * The larger of: all containers that run together; and what an init container needs together with the sidecars before
 * it. Plus the overhead of the runtime class. Requests of the whole pod replace those of its containers.
 */
export function requestedBy(spec: unknown): PodRequests {
  let sidecars = none
  let starting = none
  for (const container of listOf(memberOf(spec, 'initContainers'))) {
    const own = ofContainer(container)
    if (container['restartPolicy'] === 'Always') sidecars = plus(sidecars, own)
    else starting = most(starting, plus(sidecars, own))
  }
  const running = listOf(memberOf(spec, 'containers')).map(ofContainer).reduce(plus, sidecars)
  const summed = most(running, starting)
  const whole = requestsOf({ resources: memberOf(spec, 'resources') })
  const overhead = objectOf(memberOf(spec, 'overhead'))
  return roundCores({
    cpu: (whole.cpu ?? summed.cpu) + (quantityOf(overhead['cpu']) ?? 0),
    memory: (whole.memory ?? summed.memory) + (quantityOf(overhead['memory']) ?? 0),
    gpus: summed.gpus,
  })
}

const roundCores = ({ cpu, ...rest }: PodRequests): PodRequests => ({ cpu: Number(cpu.toFixed(9)), ...rest })
