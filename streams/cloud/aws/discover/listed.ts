/**
 * Makes the finder of a type of resource out of one value: the call that lists it, what else is asked for each, and where each
 * of our attributes stands in the answer. A type that needs no more than that is one file of 20 to 60 lines in `listed/`.
 */
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { resource, type ResourceFields, type Where } from '#streams/cloud/aws/map/resource.ts'
import type { Modules, Service } from '#streams/cloud/aws/session/services.ts'
import type { AwsCommand } from '#streams/cloud/aws/session/session.ts'
import { callsAtOnce, noRegion, present, type Finder, type RegionScan } from './finder.ts'

type Maybe<T> = T | null | undefined

/** `A`: the answer of the list; `I`: one item of it; `D`: what is asked for an item besides. */
export interface ListedType<S extends Service, A, I, D> {
  /** As in `resource-types.csv`. */
  type: string
  /** What the role must allow for all of the calls, as IAM names it. */
  permissions: readonly string[]
  /** `global`: asked once for an account, in the region of the account itself. */
  scope?: 'region' | 'global'
  list: (module: Modules[S], token: string | undefined) => AwsCommand<A>
  /** The token of the next page; left out where the list is always whole. */
  next?: (answer: A) => Maybe<string>
  /** May ask for descriptions where the list names its items only. */
  items: (answer: A, place: RegionScan) => Maybe<readonly I[]> | Promise<Maybe<readonly I[]>>
  /** Which of them are resources of the account; all where it is left out. */
  isOwn?: (item: I) => boolean
  /** Undefined where it is refused or the item has gone since: attributes that need it stay unknown. Use `also` for its calls. */
  detail?: (item: I, place: RegionScan) => Promise<D | undefined>
  uid: (item: I, where: Where) => Maybe<string>
  fields: (item: I, where: Where, detail: D | undefined) => Omit<ResourceFields, 'specs'>
  /** By attribute as in `attributes.csv`, without `specs.`; undefined: unknown, null: there is none. */
  specs: Readonly<Record<string, (item: I, detail: D | undefined, where: Where) => unknown>>
}

/** A finder that says which permissions it needs and which attributes it fills. */
export interface ListedFinder extends Finder {
  readonly permissions: readonly string[]
  /** `specs.<attribute>` of its type. */
  readonly attributes: readonly string[]
}

export function listType<S extends Service, A, I, D = undefined>(service: S, of: ListedType<S, A, I, D>): ListedFinder {
  const { type, permissions, scope = 'region', specs } = of
  return {
    types: [type],
    service,
    scope,
    permissions,
    attributes: Object.keys(specs).map((attribute) => `specs.${attribute}`),
    ...(scope === 'global' && { seen: seenGlobally(type) }),
    async *find(place) {
      const where = scope === 'global' ? { account: place.account, region: noRegion } : place
      const answers = place.pages(service, of.list, (answer) => of.next?.(answer) ?? undefined)
      for await (const answer of answers) {
        const items = ((await of.items(answer, place)) ?? []).filter((item) => of.isOwn?.(item) ?? true)
        const found = await mapConcurrently(items, callsAtOnce, async (item) =>
          resourceOf(of, item, where, await of.detail?.(item, place)),
        )
        yield found.flat()
      }
    },
  }
}

function resourceOf<S extends Service, A, I, D>(
  { type, uid, fields, specs }: ListedType<S, A, I, D>,
  item: I,
  where: Where,
  detail: D | undefined,
): DiscoveredResource[] {
  const values = Object.entries(specs).map(([name, valueOf]) => [name, valueOf(item, detail, where)])
  return resource(type, uid(item, where), where, { ...fields(item, where, detail), specs: Object.fromEntries(values) })
}

/** Coverage of a type whose resources belong to no region, however few regions the account is limited to. */
export const seenGlobally =
  (type: string): NonNullable<Finder['seen']> =>
  ({ session }) => [{ types: [type], regions: session.account.regions.length === 0 ? [] : [noRegion] }]

/** A call for one item that may be refused, or find that the item has gone; `name` says what is asked, for the next items. */
export const also = <T>(place: RegionScan, name: string, ask: () => Promise<T>): Promise<T | undefined> =>
  place.more(name, () => present(ask()))

/** Whole days from `from` to `now`, or undefined. */
export const daysSince = (from: Maybe<Date>, now: number = Date.now()): number | undefined =>
  from ? Math.floor((now - from.getTime()) / 86_400_000) : undefined
