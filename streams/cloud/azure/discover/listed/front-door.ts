import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { findByCalls, listedType } from '#streams/cloud/azure/discover/listed.ts'
import type { SubscriptionScan } from '#streams/cloud/azure/discover/finder.ts'
import { lengthAt } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

const [profiles, classic] = ['Microsoft.Cdn/profiles', 'Microsoft.Network/frontDoors'] as const
const version = '2024-02-01'

const isClassic = (item: Item): boolean => item.id.toLowerCase().includes('/providers/microsoft.network/')
const skuOf = (item: Item): string | undefined => (isClassic(item) ? 'Classic' : textAt(item, 'sku', 'name'))

/** Profiles of the content delivery network are in the same list. */
const isFrontDoor = (item: Item): boolean => isClassic(item) || (skuOf(item) ?? '').endsWith('_AzureFrontDoor')

const frontDoor = listedType({
  type: 'azure-front-door',
  permissions: [`${profiles}/read`, `${profiles}/afdEndpoints/read`, `${classic}/read`],
  detail: async (item, place) =>
    isClassic(item)
      ? lengthAt(item, 'properties', 'frontendEndpoints')
      : (await place.allBelow(item, 'afdEndpoints', version))?.length,
  fields: ({ item }) => ({ instanceType: skuOf(item) }),
  specs: {
    sku: ({ item }) => skuOf(item),
    endpoint_count: ({ detail }) => detail,
    profile_count_subscription: ({ item }) => item['profileCount'],
  },
})

/** All of them as one page, each with the number of those with the same sku. */
async function* frontDoorPages(place: SubscriptionScan): AsyncGenerator<Item[]> {
  const lists = [place.list(profiles, version), place.list(classic, '2021-06-01')]
  const pages = await Promise.all(lists.map((list) => Array.fromAsync(list)))
  const all = pages.flat(2).filter(isFrontDoor)
  yield all.map((one) => ({ ...one, profileCount: all.filter((other) => skuOf(other) === skuOf(one)).length }))
}

export const frontDoors = findByCalls(frontDoor, frontDoorPages)
