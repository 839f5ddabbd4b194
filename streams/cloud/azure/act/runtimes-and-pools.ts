/** What has to be asked for its state by itself: runtimes of Data Factory, and host pools by the machines of their hosts. */
import { computeVersion } from '#streams/cloud/azure/discover/compute.ts'
import {
  desktopVersion,
  factoryVersion,
  isMachineOf,
  poolStatus,
} from '#streams/cloud/azure/discover/runtimes-and-pools.ts'
import { machine as machineOf, powerIn } from '#streams/cloud/azure/map/compute.ts'
import { statusIn } from '#streams/cloud/azure/map/switchable.ts'
import { resource } from '#streams/cloud/azure/map/resource.ts'
import { memberOf, objectOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import {
  becoming,
  busy,
  does,
  goneFault,
  itemAt,
  requireExisting,
  mayHaveBeenTaken,
  notThere,
  seenAs,
  switching,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from './kind.ts'

async function lookRuntime(at: At): Promise<ResourceState> {
  const item = await itemAt(at, factoryVersion)
  if (!item) return notThere
  const answer = await does(at, factoryVersion, 'getStatus')
  const status = statusIn('azure-adf-ssis-ir', objectOf(memberOf(answer, 'properties')))
  return seenAs(item, (one) => resource('azure-adf-ssis-ir', one, { status: status ?? null }))
}

export const runtime: ResourceKind = {
  look: lookRuntime,
  acts: {
    start: switching(lookRuntime, 'running', (at) => does(at, factoryVersion, 'start')),
    stop: switching(lookRuntime, 'stopped', (at) => does(at, factoryVersion, 'stop')),
  },
}

const atOnce = 8

interface Host {
  at: At
  status: ResourceStatus | undefined
}

/** The machines of the hosts of a pool, those that are in the subscription. */
async function hostsOf(at: At): Promise<Host[]> {
  const ids: string[] = []
  const list = { path: `${at.id}/sessionHosts`, query: { 'api-version': desktopVersion } }
  for await (const page of at.session.pages(list))
    for (const one of page) {
      const id = textAt(one, 'properties', 'resourceId') ?? ''
      if (isMachineOf(at.session.account.externalId, id)) ids.push(id)
    }
  const found = await mapConcurrently(ids, atOnce, async (id): Promise<Host[]> => {
    const host = { ...at, id }
    const item = await itemAt(host, computeVersion, { $expand: 'instanceView' })
    const [one] = item ? machineOf(item, powerIn(memberOf(item, 'properties', 'instanceView'))) : []
    return one ? [{ at: host, status: one.status }] : []
  })
  return found.flat()
}

async function lookPool(at: At): Promise<ResourceState> {
  const item = await itemAt(at, desktopVersion)
  if (!item) return notThere
  const hosts = await hostsOf(at)
  return seenAs(item, (one) =>
    resource('azure-avd-host-pool', one, { status: poolStatus(hosts.map(({ status }) => status)) }),
  )
}

const onTheWay = { running: 'starting', stopped: 'stopping' } as const
const opposite = { running: 'stopping', stopped: 'starting' } as const

/** Every machine that is not so already, and not on its way. */
const all =
  (want: 'running' | 'stopped', verb: 'start' | 'deallocate'): ActionHandler =>
  async (at) => {
    await requireExisting({ look: lookPool }, at)
    const hosts = await hostsOf(at)
    if (hosts.length === 0) throw goneFault(at)
    if (hosts.some(({ status }) => status === opposite[want])) throw busy(at, opposite[want])
    const left = hosts.filter(({ status }) => status !== want && status !== onTheWay[want])
    const refusals = (
      await mapConcurrently(left, atOnce, ({ at: host }) => catchRefusal(() => does(host, computeVersion, verb)))
    ).flat()
    const now = left.length === 0 ? hosts : await hostsOf(at)
    const isTaken = now.every(({ status }) => status === want || status === onTheWay[want])
    if (refusals.length > 0 && !isTaken) throw refusals[0]
    return becoming(now.every(({ status }) => status === want) ? want : undefined, want)
  }

/** One that is refused does not keep the others from being asked. */
async function catchRefusal(ask: () => Promise<unknown>): Promise<unknown[]> {
  try {
    await ask()
    return []
  } catch (error) {
    if (!mayHaveBeenTaken(error)) throw error
    return [error]
  }
}

export const hostPool: ResourceKind = {
  look: lookPool,
  acts: { start: all('running', 'start'), stop: all('stopped', 'deallocate') },
}
