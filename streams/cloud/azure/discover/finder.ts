/** How one kind of thing is looked for in a subscription. */
import { permissionIn, type Pages } from '#streams/cloud/scan/scan.ts'
import { Fault } from '#engine/value/fault.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { chunks, mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { Bounds } from '#streams/cloud/azure/map/compute.ts'
import type { AzureSession, Call, Item } from '#streams/cloud/azure/session/session.ts'

export interface Finder {
  /** All that it may find: they are seen together, or not. */
  types: readonly string[]
  find: (place: SubscriptionScan) => Pages
  /** What was seen, read behind the pages; left out: all of its types. Regions are put in by the scan. */
  seen?: (place: SubscriptionScan) => readonly ScanCoverage[]
}

/** Where a finder tells of what it could not see, and goes on without. */
export interface Notes {
  missing: (permission: string) => void
  lost: (types: readonly string[], fault: Fault) => void
  /** For people, as it stands. */
  told: (message: string) => void
}

/** What earlier finders leave to later ones; nothing of what was not seen. */
export interface SharedFindings {
  /** Clusters, as AKS describes them. */
  clusters: readonly Item[] | undefined
  /** By the id of a scale set in lower case, what scales it; undefined where that may not be looked at. */
  bounds: ReadonlyMap<string, Bounds> | undefined
  /** By the id of a machine in lower case, its power, once it was asked for; undefined where that may not be looked at. */
  powers?: Promise<ReadonlyMap<string, string> | undefined>
}

/** Calls of one finder that are made at once, where each resource has one of its own. */
export const callsAtOnce = 8

/** One subscription while it is looked through. */
export class SubscriptionScan {
  readonly session: AzureSession
  readonly known: SharedFindings = { clusters: undefined, bounds: undefined }
  readonly notes: Notes
  /** Milliseconds since 1970. */
  readonly now: number
  private readonly refused = new Set<string>()

  constructor(session: AzureSession, notes: Notes, now: number) {
    this.session = session
    this.notes = notes
    this.now = now
  }

  /** All of a kind in the subscription: `Microsoft.Compute/disks`. A provider that it has not registered has none. */
  async *list(type: string, version: string, query: Readonly<Record<string, string>> = {}): AsyncGenerator<Item[]> {
    const path = this.session.path(`/providers/${type}`)
    yield* present(this.session.pages({ path, query: { ...query, 'api-version': version } }))
  }

  /** All of a kind below something: `<id>/databases`. What is gone by now has none. */
  below(id: string, kind: string, version: string): AsyncGenerator<Item[]> {
    return present(this.session.pages({ path: `${id}/${kind}`, query: { 'api-version': version } }))
  }

  ask(call: Call & { version: string }) {
    const { version, query = {}, ...rest } = call
    return this.session.ask({ ...rest, query: { ...query, 'api-version': version } })
  }

  /**
   * What may be done without: undefined where it is not allowed, which is noted, and not asked again under the name.
   * @throws whatever else goes wrong: what is not known is not told as if there were none
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
}

/** Whether the fault says that there is no such thing, or that nobody can have one here: to a list that is an answer. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'not_found' || error.code === 'not_registered')

/** None once it is said that there are none; half a list is not the whole of it. */
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

/** Finds what one list of the subscription has. */
export const listFinder = (type: string, list: string, version: string, map: Mapping): Finder => ({
  types: [type],
  async *find(place) {
    for await (const page of place.list(list, version)) yield page.flatMap((one) => map(one, place))
  },
})

export interface NestedList {
  /** What is listed of the subscription, and what becomes of it. */
  list: string
  version: string
  /** Left out: it is no resource of ours. */
  parent?: { type: string; map: (item: Item) => DiscoveredResource[] }
  /** What is listed below each. */
  children: readonly {
    type: string
    kind: string
    /** How they are listed, where it is not by the resource manager. */
    list?: (place: SubscriptionScan, parent: Item) => AsyncIterable<Item[]>
    map: (item: Item, parent: Item, place: SubscriptionScan) => DiscoveredResource[] | Promise<DiscoveredResource[]>
  }[]
}

/** Finds what a list has, and what lies below each of it. One whose children cannot be seen does not hold up the others. */
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
        if (parent) yield page.flatMap(parent.map)
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

/** What one part of what was seen may name. */
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
