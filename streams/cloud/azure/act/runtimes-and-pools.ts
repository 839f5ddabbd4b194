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
import { bucketOf } from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { isUnclear } from '#streams/cloud/resource/verb/carry-out.ts'
import { absent, goneFault, type Absent, type ResourceKind } from '#streams/cloud/resource/verb/kind.ts'
import { does, itemAt, seenAs, type At, type AzureKind, type AzureState } from './kind.ts'

async function lookRuntime(at: At): Promise<AzureState> {
  const item = await itemAt(at, factoryVersion)
  if (!item) return absent
  const answer = await does(at, factoryVersion, 'getStatus')
  const status = statusIn('azure-adf-ssis-ir', objectOf(memberOf(answer, 'properties')))
  return seenAs(item, (one) => resource('azure-adf-ssis-ir', one, { status: status ?? null }))
}

export const runtime: AzureKind = {
  look: lookRuntime,
  start: (at) => does(at, factoryVersion, 'start'),
  stop: (at) => does(at, factoryVersion, 'stop'),
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

interface PoolState extends AzureState {
  hosts: readonly Host[]
}

async function lookPool(at: At): Promise<PoolState | Absent> {
  const item = await itemAt(at, desktopVersion)
  if (!item) return absent
  const hosts = await hostsOf(at)
  const status = poolStatus(hosts.map((host) => host.status))
  return { ...seenAs(item, (one) => resource('azure-avd-host-pool', one, { status })), hosts }
}

const ways = {
  running: { verb: 'start', coming: 'starting', away: 'stopping', off: 'stopped' },
  stopped: { verb: 'deallocate', coming: 'stopping', away: 'starting', off: 'running' },
} as const

/** What its machines do together: one that is on its way elsewhere keeps the pool from being switched. */
function poolPower({ hosts }: PoolState, want: 'running' | 'stopped'): ResourceStatus {
  const { coming, away, off } = ways[want]
  const states = hosts.map(({ status }) => status)
  if (states.includes(away)) return away
  if (states.length === 0 || states.some((status) => status !== want && status !== coming)) return off
  return states.includes(coming) ? coming : want
}

/** Every machine that is neither so already nor on its way. One that is refused does not keep the others from being asked. */
const switchHosts =
  (want: 'running' | 'stopped') =>
  async (at: At, { hosts }: PoolState): Promise<void> => {
    if (hosts.length === 0) throw goneFault(at)
    const { verb, coming } = ways[want]
    const left = hosts.filter(({ status }) => status !== want && status !== coming)
    const refusals = await mapConcurrently(left, atOnce, ({ at: host }) =>
      does(host, computeVersion, verb).then(
        () => undefined,
        (error: unknown) => {
          if (!isUnclear(error)) throw error
          return error
        },
      ),
    )
    const found = refusals.filter((one) => one !== undefined)
    // One that is refused as a repeat would be counts only where no other can still be taken.
    const refusal = found.find((one) => bucketOf(one) === 'transient') ?? found[0]
    if (refusal !== undefined) throw refusal
  }

export const hostPool: ResourceKind<At, PoolState> = {
  look: lookPool,
  powerOf: poolPower,
  start: switchHosts('running'),
  stop: switchHosts('stopped'),
}
