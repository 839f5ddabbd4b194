import { disk, image, machine, powerIn, scaleSet, snapshot, type Bounds } from '#streams/cloud/azure/map/compute.ts'
import { memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { groupOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, listFinder, type Finder, type SubscriptionScan } from './finder.ts'
import { boundsIn } from '#streams/cloud/azure/scaling/autoscale.ts'

export const computeVersion = '2024-07-01'
export const diskVersion = '2023-10-02'

const machines: Finder = {
  types: ['azure-vm'],
  async *find(place) {
    const powers = await powersOf(place)
    for await (const page of place.list('Microsoft.Compute/virtualMachines', computeVersion))
      yield page.flatMap((one) => machine(one, powers?.get(uidOf(one.id)) ?? powerOf(one)))
  },
}

/** Powers of all machines of the subscription, asked for once a scan. */
export const powersOf = (place: SubscriptionScan): Promise<ReadonlyMap<string, string> | undefined> =>
  (place.known.powers ??= place.more('statusOnly', () => askPowers(place)))

/** A list of machines does not tell whether they run; this one tells that alone, of all of a subscription. */
async function askPowers(place: SubscriptionScan): Promise<ReadonlyMap<string, string>> {
  const powers = new Map<string, string>()
  const pages = place.list('Microsoft.Compute/virtualMachines', computeVersion, { statusOnly: 'true' })
  for await (const page of pages)
    for (const one of page) {
      const power = powerOf(one)
      if (power !== undefined) powers.set(uidOf(one.id), power)
    }
  return powers
}

const powerOf = (one: Item): string | undefined => powerIn(memberOf(one, 'properties', 'instanceView'))

/** Whether the machines of a set are off is told of each set alone. */
const sets: Finder = {
  types: ['azure-vmss'],
  async *find(place) {
    const bounds = await place.more('autoscale', () => boundsOf(place))
    for await (const page of place.list('Microsoft.Compute/virtualMachineScaleSets', computeVersion)) {
      const views = await mapConcurrently(page, callsAtOnce, ({ id }) =>
        place.more('instanceView', () => place.ask({ path: `${id}/instanceView`, version: computeVersion })),
      )
      yield page.flatMap((one, at) =>
        scaleSet(one, {
          view: views[at],
          bounds: bounds && (bounds.get(uidOf(one.id)) ?? null),
          holder: holderOf(place, one),
        }),
      )
    }
  },
}

async function boundsOf(place: SubscriptionScan): Promise<ReadonlyMap<string, Bounds>> {
  const bounds = new Map<string, Bounds>()
  for await (const page of place.list('Microsoft.Insights/autoscaleSettings', '2022-10-01'))
    for (const one of page) {
      const target = textAt(one, 'properties', 'targetResourceUri')
      if (target !== undefined) bounds.set(uidOf(target), boundsIn(one))
    }
  return bounds
}

/** The cluster in whose own resource group it lies. */
function holderOf(place: SubscriptionScan, set: Item): string | undefined {
  const group = groupOf(set.id)?.toLowerCase()
  return place.known.clusters?.find(
    (one) => textAt(one, 'properties', 'nodeResourceGroup')?.toLowerCase() === group && group !== undefined,
  )?.id
}

/** Behind clusters, whose machines are told by them. */
export const computeFinders: readonly Finder[] = [
  sets,
  machines,
  listFinder('azure-disk', 'Microsoft.Compute/disks', diskVersion, (one, { now }) => disk(one, now)),
  listFinder('azure-snapshot', 'Microsoft.Compute/snapshots', diskVersion, snapshot),
  listFinder('azure-image', 'Microsoft.Compute/images', computeVersion, image),
]
