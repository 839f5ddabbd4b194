/** Interface of finders, each of which finds some types in a subscription. */
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type DiscoveredResource } from '#streams/cloud/connector.ts'
import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { Bounds } from '#streams/cloud/azure/map/compute.ts'
import { typeIn } from '#streams/cloud/azure/session/path.ts'
import type { AzureSession, Call, Item } from '#streams/cloud/azure/session/session.ts'

export interface Finder {
  /** All types that it may find; its coverage applies to all of them. */
  types: readonly string[]
  find: (place: SubscriptionScan) => Pages
  /** Coverage, read after the pages. Left out: all its types. The scan adds the regions. */
  seen?: (place: SubscriptionScan) => readonly ScanCoverage[]
}

/** Where a finder reports what it could not see, and continues. */
export interface Notes {
  missing: (permission: string) => void
  lost: (types: readonly string[], fault: Fault) => void
  /** A message for people. */
  told: (message: string) => void
}

/** Results that earlier finders leave for later ones; undefined or empty if they saw nothing. */
export interface SharedFindings {
  /** Clusters, as AKS describes them. */
  clusters: readonly Item[] | undefined
  /** The autoscale bounds by scale set id in lower case; undefined if they may not be read. */
  bounds: ReadonlyMap<string, Bounds> | undefined
  /** The power states by machine id in lower case, once requested; undefined if they may not be read. */
  powers?: Promise<ReadonlyMap<string, string> | undefined>
  /** Uids of the images that machines, and scale sets, are made from; undefined unless all were seen. */
  imagesOfMachines?: readonly string[]
  imagesOfSets?: readonly string[]
  /** Tiers of plans of App Service by uid. */
  planTiers?: ReadonlyMap<string, string>
}

/** Simultaneous calls of one finder, if each resource needs its own call. */
export const callsAtOnce = 8

/** A subscription during a scan. */
export class SubscriptionScan {
  readonly session: AzureSession
  readonly known: SharedFindings = { clusters: undefined, bounds: undefined }
  readonly notes: Notes
  /** Milliseconds since 1970. */
  readonly now: number
  private readonly refused = new Set<string>()
  private readonly failed = new Set<string>()

  constructor(session: AzureSession, notes: Notes, now: number) {
    this.session = session
    this.notes = notes
    this.now = now
  }

  /**
   * Lists all objects of a type in the subscription, for example `Microsoft.Compute/disks`. Empty if the provider is
   * not registered.
   */
  async *list(type: string, version: string, query: Readonly<Record<string, string>> = {}): AsyncGenerator<Item[]> {
    const path = this.session.path(`/providers/${type}`)
    yield* present(this.session.pages({ path, query: { ...query, 'api-version': version } }))
  }

  /** Lists all objects of a kind below another: `<id>/databases`. Empty if the parent no longer exists. */
  below(id: string, kind: string, version: string): AsyncGenerator<Item[]> {
    return present(this.session.pages({ path: `${id}/${kind}`, query: { 'api-version': version } }))
  }

  ask(call: Call & { version: string }) {
    const { version, query = {}, ...rest } = call
    return this.session.ask({ ...rest, query: { ...query, 'api-version': version } })
  }

  /**
   * Makes an optional call. Undefined if it is not permitted; this is noted, and calls under the same name are not
   * repeated.
   * @throws every other error, because unknown must not be reported as none
   */
  async more<T>(name: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.refused.has(name)) return undefined
    try {
      return await ask()
    } catch (error) {
      if (isAbsent(error)) return undefined
      const permission = permissionIn(error)
      if (permission === undefined) throw error
      this.refused.add(name)
      this.notes.missing(permission)
      return undefined
    }
  }

  /**
   * Asks for attributes of a resource: null if what was asked for does not exist, undefined if it is refused or fails, which
   * hides these attributes alone. Calls under a name that were refused are not repeated.
   */
  async also<T>(name: string, ask: () => Promise<T>): Promise<T | null | undefined> {
    try {
      return await this.more(name, async () => {
        try {
          return await ask()
        } catch (error) {
          if (isAbsent(error)) return null
          throw error
        }
      })
    } catch (error) {
      if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
      if (!this.failed.has(name)) this.notes.told(error.message)
      this.failed.add(name)
      return undefined
    }
  }

  /** The whole list below an object, as `also`. */
  async allBelow({ id }: Pick<Item, 'id'>, kind: string, version: string): Promise<Item[] | undefined> {
    const all = await this.also(typeIn(`${id}/${kind}`), async () =>
      (await Array.fromAsync(this.below(id, kind, version))).flat(),
    )
    return all ?? undefined
  }

  /** One object below another, as `also`. */
  oneBelow({ id }: Item, path: string, version: string) {
    return this.also(typeIn(`${id}/${path}`), () => this.ask({ path: `${id}/${path}`, version }))
  }
}

/** The resource groups of the subscription. */
export const groupPages = ({ session }: SubscriptionScan): AsyncGenerator<Item[]> =>
  session.pages({ path: session.path('/resourcegroups'), query: { 'api-version': '2021-04-01' } })

/** Whether the fault means that the object does not exist or cannot exist here; for a list that means it is empty. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'not_found' || error.code === 'not_registered')

/**
 * Empty if the first page says that there is nothing; an error on a later page is thrown, because a partial list is not
 * complete.
 */
async function* present(pages: AsyncGenerator<Item[]>): AsyncGenerator<Item[]> {
  let isBegun = false
  try {
    for await (const page of pages) {
      isBegun = true
      yield page
    }
  } catch (error) {
    if (isBegun || !isAbsent(error)) throw error
  }
}

type Mapping = (item: Item, place: SubscriptionScan) => DiscoveredResource[]

/** A finder for one list of the subscription. */
export const listFinder = (
  type: string,
  list: string,
  version: string,
  map: Mapping,
  query: Readonly<Record<string, string>> = {},
): Finder => ({
  types: [type],
  async *find(place) {
    for await (const page of place.list(list, version, query)) yield page.flatMap((one) => map(one, place))
  },
})

export interface NestedList {
  /** A list of the subscription, and how its items are mapped. */
  list: string
  version: string
  /** Missing if the parent is not a resource of ours. */
  parent?: {
    type: string
    map: (item: Item, place: SubscriptionScan) => DiscoveredResource[] | Promise<DiscoveredResource[]>
  }
  /** Lists below each parent. */
  children: readonly {
    type: string
    kind: string
    /** Set if they are not listed by the resource manager. */
    list?: (place: SubscriptionScan, parent: Item) => AsyncIterable<Item[]>
    map: (item: Item, parent: Item, place: SubscriptionScan) => DiscoveredResource[] | Promise<DiscoveredResource[]>
  }[]
}

/**
 * A finder for a list and for what is below each of its items. Failing to list an item's children does not stop the
 * others.
 */
export function nestedFinder({ list, version, parent, children }: NestedList): Finder {
  const below = children.map(({ type }) => type)
  let whole: Item[] = []
  let count = 0
  return {
    types: [...(parent ? [parent.type] : []), ...below],
    async *find(place) {
      const all: Item[] = []
      whole = []
      for await (const page of place.list(list, version)) {
        all.push(...page)
        if (parent) yield (await mapConcurrently(page, callsAtOnce, async (one) => parent.map(one, place))).flat()
      }
      count = all.length
      for (let at = 0; at < all.length; at += callsAtOnce) {
        const found = await mapConcurrently(all.slice(at, at + callsAtOnce), callsAtOnce, async (one) =>
          childrenOf(place, one, { children, version, below }),
        )
        for (const { of, resources } of found) {
          if (!resources) continue
          whole.push(of)
          yield resources
        }
      }
    },
    seen: () => {
      if (whole.length === count) return [{ types: [...(parent ? [parent.type] : []), ...below], regions: [] }]
      if (!parent) return []
      const parents = whole.map(({ id }) => id.toLowerCase())
      return [
        { types: [parent.type], regions: [] },
        ...chunks(parents, parentsMax).map((some) => ({ types: below, regions: [], parents: some })),
      ]
    },
  }
}

/** Maximum parents in one part of the coverage. */
const parentsMax = 10_000

async function childrenOf(
  place: SubscriptionScan,
  of: Item,
  { children, version, below }: Pick<NestedList, 'children' | 'version'> & { below: readonly string[] },
): Promise<{ of: Item; resources?: DiscoveredResource[] }> {
  const resources: DiscoveredResource[] = []
  try {
    for (const { kind, map, list } of children)
      for await (const page of list?.(place, of) ?? place.below(of.id, kind, version))
        for (const one of page) resources.push(...(await map(one, of, place)))
    return { of, resources }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const permission = permissionIn(error)
    if (permission !== undefined) place.notes.missing(permission)
    place.notes.lost(below, error)
    return { of }
  }
}
