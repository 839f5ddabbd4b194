/**
 * Types whose state needs a separate call: runtimes of Data Factory, compute instances of machine learning, host pools
 * of virtual desktops.
 */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { powerWord } from '#streams/cloud/azure/map/compute.ts'
import { plain, statusIn } from '#streams/cloud/azure/map/switchable.ts'
import { isAt, lengthAt, orNull, propertiesOf, resource } from '#streams/cloud/azure/map/resource.ts'
import { isIdOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { listOf, memberOf, objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { powersOf } from './compute.ts'
import type { Finder, SubscriptionScan } from './finder.ts'

export const factoryVersion = '2018-06-01'
export const desktopVersion = '2024-04-03'

/** Of the integration runtimes only those for SSIS have their own machines. */
export async function runtime(item: Item, factory: Item, place: SubscriptionScan): Promise<DiscoveredResource[]> {
  const properties = propertiesOf(item)
  if (!memberOf(properties, 'typeProperties', 'ssisProperties')) return []
  const answer = await place.more('getStatus', () =>
    place.ask({ path: `${item.id}/getStatus`, method: 'POST', version: factoryVersion }),
  )
  return ssisRuntime(item, factory, objectOf(memberOf(answer, 'properties')))
}

export function ssisRuntime(item: Item, factory: Item, state: Json): DiscoveredResource[] {
  const properties = propertiesOf(item)
  return resource('azure-adf-ssis-ir', item, {
    parentUID: factory.id,
    location: textAt(properties, 'typeProperties', 'computeProperties', 'location') ?? textAt(factory, 'location'),
    status: statusIn('azure-adf-ssis-ir', state) ?? null,
    instanceType: textAt(properties, 'typeProperties', 'computeProperties', 'nodeSize'),
    specs: { state: textAt(state, 'state') },
  })
}

export const instance = (item: Item): DiscoveredResource[] =>
  textAt(item, 'properties', 'computeType') === 'ComputeInstance' ? computeInstance(item) : []

export const computeInstance = plain('azure-ml-compute-instance', (of) => ({
  idle_shutdown: orNull(textAt(of, 'properties', 'idleTimeBeforeShutdown')),
  schedule: (lengthAt(of, 'properties', 'schedules', 'computeStartStop') ?? 0) > 0,
  size: textAt(of, 'properties', 'vmSize'),
}))

/** A pool is running if any of its machines is. */
export function poolStatus(machines: readonly (ResourceStatus | undefined)[]): ResourceStatus {
  return (['running', 'starting', 'stopping'] as const).find((one) => machines.includes(one)) ?? 'stopped'
}

/** Whether the machine of a pool's host belongs to the subscription. */
export const isMachineOf = (subscription: string, id: string): boolean =>
  isIdOf(subscription, id) && id.toLowerCase().includes('/providers/microsoft.compute/virtualmachines/')

/**
 * The power state of the host's machine, which is what is started and stopped. The host's own status is minutes behind,
 * and is used only if the machine is not visible: it belongs to another subscription or is of another type, or power
 * states may not be read.
 */
function hostStatus(host: Item, powers: ReadonlyMap<string, string> | undefined, { session }: SubscriptionScan) {
  const machine = textAt(host, 'properties', 'resourceId') ?? ''
  if (powers && isMachineOf(session.account.externalId, machine))
    return statusOf('azure-vm', powerWord(powers.get(uidOf(machine))))
  const said = textAt(host, 'properties', 'status')
  return said === 'Available' || said === 'NeedsAssistance' ? ('running' as const) : undefined
}

export const hostPool: Finder = {
  types: ['azure-avd-host-pool'],
  async *find(place) {
    const scaled = await scaledPools(place)
    for await (const page of place.list('Microsoft.DesktopVirtualization/hostPools', desktopVersion))
      for (const one of page) {
        const hosts = await place.more('sessionHosts', () => hostsOf(place, one))
        const powers = hosts && (await powersOf(place))
        const status = hosts && poolStatus(hosts.map((host) => hostStatus(host, powers, place)))
        yield poolOfHosts(one, hosts, status, scaled?.has(uidOf(one.id)))
      }
  },
}

/** Uids of pools with a scaling plan that is on; undefined if plans may not be listed. */
async function scaledPools(place: SubscriptionScan): Promise<ReadonlySet<string> | undefined> {
  const plans = await place.also('scalingPlans', async () =>
    (await Array.fromAsync(place.list('Microsoft.DesktopVirtualization/scalingPlans', desktopVersion))).flat(),
  )
  const pools = plans?.flatMap(({ properties }) => listOf(memberOf(properties, 'hostPoolReferences')))
  const on = pools?.filter((one) => memberOf(one, 'scalingPlanEnabled') === true)
  return on && new Set(on.map((one) => uidOf(textAt(one, 'hostPoolArmPath') ?? '')))
}

export const poolOfHosts = (
  one: Item,
  hosts: readonly Item[] | undefined,
  status: ResourceStatus | undefined,
  hasPlan?: boolean,
) =>
  resource('azure-avd-host-pool', one, {
    status: status ?? null,
    specs: {
      pool_type: textAt(one, 'properties', 'hostPoolType'),
      scaling_plan: hasPlan,
      start_on_connect: isAt(one, 'properties', 'startVMOnConnect'),
      host_count: hosts?.length,
      machines: hosts?.flatMap((host) => uidOf(textAt(host, 'properties', 'resourceId') ?? '') || []),
    },
  })

const hostsOf = async (place: SubscriptionScan, { id }: Item): Promise<Item[]> =>
  (await Array.fromAsync(place.below(id, 'sessionHosts', desktopVersion))).flat()
