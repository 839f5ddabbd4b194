/**
 * Makes the mapping and the finder of a type of resource out of one value: the list that has it, what else is asked for
 * each, and where each of our attributes stands in the answer.
 */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { propertiesOf, resource, type ResourceFields } from '#streams/cloud/azure/map/resource.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'
import type { Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { callsAtOnce, nestedFinder, type Finder, type SubscriptionScan } from './finder.ts'

/** What a mapping knows: the properties of the item, the item, what was asked for it besides, and the item it is listed below. */
interface Around<D> {
  of: Json
  item: Item
  detail: D | undefined
  parent: Item | undefined
  /** Milliseconds since 1970. */
  now: number
}

/** `D`: what is asked for an item besides. */
interface TypeOf<D> {
  /** As in `resource-types.csv`. */
  type: string
  /** What the application must be allowed, as roles name it. */
  permissions: readonly string[]
  /** Which items are resources of the type; all where it is left out. */
  isOwn?: (item: Item) => boolean
  /** Use `also` of the scan for its calls: attributes that need what was refused stay unknown. */
  detail?: (item: Item, place: SubscriptionScan) => Promise<D>
  fields?: (around: Around<D>) => Omit<ResourceFields, 'specs'>
  /** By attribute as in `attributes.csv`, without `specs.`; undefined: unknown, null: there is none. */
  specs: Readonly<Record<string, (around: Around<D>) => unknown>>
}

type Map = (item: Item, parent: Item | undefined, place: SubscriptionScan) => Promise<DiscoveredResource[]>

/** A type with its mapping. */
export interface ListedType {
  readonly type: string
  readonly permissions: readonly string[]
  readonly map: Map
  /** The mapping of an item of which nothing is known. */
  readonly mapNothing: (item: Item) => void
}

/** A finder with the types that it finds. */
export interface ListedFinder {
  readonly types: readonly ListedType[]
  /** For each scan a new one, because it keeps state. */
  readonly finder: () => Finder
}

export function listedType<D = undefined>(about: TypeOf<D>): ListedType {
  const { type, permissions, isOwn, detail, fields, specs } = about
  const toResource = (around: Around<D>) => {
    const values = Object.entries(specs).map(([name, valueOf]) => [name, valueOf(around)])
    return resource(type, around.item, { ...fields?.(around), specs: Object.fromEntries(values) })
  }
  return {
    type,
    permissions,
    mapNothing: (item) => toResource({ of: {}, item, detail: undefined, parent: undefined, now: 0 }),
    map: async (item, parent, place) => {
      if (isOwn && !isOwn(item)) return []
      const around = { of: propertiesOf(item), item, parent, now: place.now }
      return toResource({ ...around, detail: await detail?.(item, place) })
    },
  }
}

/** A list of the subscription: its kind, and the version of the API. */
type List = readonly [kind: string, version: string, query?: Readonly<Record<string, string>>]

/** For a type with lists of its own. */
export const findInLists = (type: ListedType, ...lists: readonly List[]): ListedFinder =>
  findByCalls(type, async function* (place) {
    for (const list of lists) yield* place.list(...list)
  })

/** For a type whose items are found by calls of its own. */
export const findByCalls = (
  type: ListedType,
  pagesOf: (place: SubscriptionScan) => AsyncIterable<Item[]>,
): ListedFinder => ({
  types: [type],
  finder: () => ({
    types: [type.type],
    async *find(place) {
      for await (const page of pagesOf(place))
        yield (await mapConcurrently(page, callsAtOnce, (one) => type.map(one, undefined, place))).flat()
    },
  }),
})

interface Below {
  list: List
  /** Missing if the parent is not a resource of ours. */
  parent?: ListedType
  /** Lists below each parent by their kind; or how the items are found. */
  children: readonly (readonly [
    type: ListedType,
    kind: string | ((place: SubscriptionScan, parent: Item) => AsyncIterable<Item[]>),
  ])[]
}

/** For types that are listed below others. */
export const listedBelow = ({ list, parent, children }: Below): ListedFinder => ({
  types: [...(parent ? [parent] : []), ...children.map(([type]) => type)],
  finder: () =>
    nestedFinder({
      list: list[0],
      version: list[1],
      ...(parent && {
        parent: { type: parent.type, map: async (one, place) => parent.map(one, undefined, place) },
      }),
      children: children.map(([{ type, map }, kind]) => ({
        type,
        kind: typeof kind === 'string' ? kind : type,
        ...(typeof kind !== 'string' && { list: kind }),
        map,
      })),
    }),
})
