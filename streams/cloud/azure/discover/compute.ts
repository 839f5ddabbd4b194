import { disk, image, machine, powerIn, scaleSet, snapshot, type Bounds } from '#streams/cloud/azure/map/compute.ts'
import { memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { groupOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, listFinder, type Finder, type SharedFindings, type SubscriptionScan } from './finder.ts'
import { backedUpIn } from './listed/backup.ts'
import { boundsIn } from '#streams/cloud/azure/scaling/autoscale.ts'

export const computeVersion = '2024-07-01'
export const diskVersion = '2023-10-02'

const machines: Finder = {
  types: ['azure-vm'],
  async *find(place) {
    const powers = await powersOf(place)
    const backedUp = await backedUpIn(place)
    const images: string[] = []
    for await (const page of place.list('Microsoft.Compute/virtualMachines', computeVersion)) {
      images.push(...page.map((one) => imageOf(one['properties'])))
      yield page.flatMap((one) =>
        machine(one, powers?.get(uidOf(one.id)) ?? powerOf(one), backedUp?.has(uidOf(one.id))),
      )
    }
    place.known.imagesOfMachines = images
  },
}

/** The uid of the image that a machine, or the model of a set, is made from; empty for those of the marketplace. */
const imageOf = (model: unknown): string => uidOf(textAt(model, 'storageProfile', 'imageReference', 'id') ?? '')

/** Power states of all machines of the subscription, requested once per scan. */
export const powersOf = (place: SubscriptionScan): Promise<ReadonlyMap<string, string> | undefined> =>
  (place.known.powers ??= place.more('statusOnly', () => askPowers(place)))

/** The normal list of machines has no power states; this list has only those, for the whole subscription. */
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

/** The power states of a scale set's machines need a call for each set. */
const sets: Finder = {
  types: ['azure-vmss'],
  async *find(place) {
    const bounds = await place.more('autoscale', () => boundsOf(place))
    const images: string[] = []
    for await (const page of place.list('Microsoft.Compute/virtualMachineScaleSets', computeVersion)) {
      images.push(...page.map((one) => imageOf(memberOf(one, 'properties', 'virtualMachineProfile'))))
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
    place.known.imagesOfSets = images
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

/** The cluster whose own resource group contains the set. */
function holderOf(place: SubscriptionScan, set: Item): string | undefined {
  const group = groupOf(set.id)?.toLowerCase()
  return place.known.clusters?.find(
    (one) => textAt(one, 'properties', 'nodeResourceGroup')?.toLowerCase() === group && group !== undefined,
  )?.id
}

/** Undefined if not all machines and sets were seen. */
function usesOf({ id }: Item, { imagesOfMachines, imagesOfSets }: SharedFindings): number | undefined {
  if (!imagesOfMachines || !imagesOfSets) return undefined
  return [...imagesOfMachines, ...imagesOfSets].filter((one) => one === uidOf(id)).length
}

/** Run after the finder of clusters, which provides the owners of machines. */
export const computeFinders: readonly Finder[] = [
  sets,
  machines,
  listFinder('azure-disk', 'Microsoft.Compute/disks', diskVersion, (one, { now }) => disk(one, now)),
  listFinder('azure-snapshot', 'Microsoft.Compute/snapshots', diskVersion, snapshot),
  listFinder('azure-image', 'Microsoft.Compute/images', computeVersion, (one, { known }) =>
    image(one, usesOf(one, known)),
  ),
]
