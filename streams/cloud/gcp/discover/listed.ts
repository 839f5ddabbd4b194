/**
 * Makes the finder of a type of resource out of one value: how it is listed, what else is asked for each, and where each of our
 * attributes stands in the answer. A type that needs no more than that is one file of 20 to 60 lines in `listed/`.
 */
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { Labels, list as listed, text, texts } from '#streams/cloud/gcp/answer/field.ts'
import { resource, type ResourceFields } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf, regionIn } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpCall } from '#streams/cloud/gcp/session/session.ts'
import { callsAtOnce, type Finder, type ProjectScan, type Search } from './finder.ts'

/** Yields page by page. */
export interface ListOf<I> {
  (place: ProjectScan, search: Search): AsyncGenerator<readonly I[]>
}

/** `I`: one item of the list; `D`: what is asked for an item besides. */
export interface ListedType<I, D> {
  /** As in `resource-types.csv`. */
  type: string
  /** What the role must allow for all of the calls. */
  permissions: readonly string[]
  /** Which of them are resources; all where it is left out. */
  isOwn?: (item: I) => boolean
  /** Use `also` for its calls: attributes that need what is refused stay unknown. */
  detail?: (item: I, place: ProjectScan) => Promise<D>
  uid: (item: I, place: ProjectScan) => string
  fields: (item: I, detail: D | undefined) => Omit<ResourceFields, 'specs'>
  /** By attribute as in `attributes.csv`, without `specs.`; undefined: unknown, null: there is none. */
  specs: Readonly<Record<string, (item: I, detail: D | undefined) => unknown>>
}

/** A finder that says which permissions it needs and which attributes it fills. */
export interface ListedFinder extends Finder {
  readonly permissions: readonly string[]
  /** `specs.<attribute>` of its type. */
  readonly attributes: readonly string[]
}

export function listType<I, D = undefined>(list: ListOf<I>, of: ListedType<NoInfer<I>, D>): ListedFinder {
  const { type, permissions, specs } = of
  return {
    types: [type],
    permissions,
    attributes: Object.keys(specs).map((attribute) => `specs.${attribute}`),
    async *find(place, search) {
      for await (const page of list(place, search)) {
        const items = page.filter((item) => of.isOwn?.(item) ?? true)
        const covered = items.filter((item) => place.covers(of.fields(item, undefined).region))
        yield await mapConcurrently(covered, callsAtOnce, async (item) =>
          resourceOf(of, item, place, await of.detail?.(item, place)),
        )
      }
    },
  }
}

function resourceOf<I, D>(
  { type, uid, fields, specs }: ListedType<I, D>,
  item: I,
  place: ProjectScan,
  detail: D | undefined,
): DiscoveredResource {
  const values = Object.entries(specs).map(([name, valueOf]) => [name, valueOf(item, detail)])
  return resource(type, uid(item, place), { ...fields(item, detail), specs: Object.fromEntries(values) })
}

/** Of a list that answers for all of the project: what is listed of a project, in its path and as a member of the answer. */
export function pagesOf<S extends TSchema>(
  callOf: (project: string) => GcpCall,
  member: string,
  item: S,
): ListOf<Static<S>> {
  const page = pageOf(member, item)
  return async function* (place, search) {
    for await (const answer of place.pages(callOf(place.project), page)) {
      noteUnreachable(answer, search)
      yield itemsIn<Static<S>>(answer, member)
    }
  }
}

/** The same of lists that answer for one location each. */
export function pagesInEach<S extends TSchema>(
  locationsOf: (place: ProjectScan) => Promise<readonly string[]>,
  callOf: (project: string, location: string) => GcpCall,
  member: string,
  item: S,
): ListOf<Static<S>> {
  const page = pageOf(member, item)
  return async function* (place) {
    const locations = (await locationsOf(place)).filter((one) => place.covers(regionIn(one)))
    const found = await mapConcurrently(locations, callsAtOnce, async (location) => {
      const pages = place.pages(callOf(place.project, location), page)
      const answers = await whereItIs(() => Array.fromAsync(pages))
      return (answers ?? []).flatMap((answer) => itemsIn<Static<S>>(answer, member))
    })
    yield found.flat()
  }
}

/** Undefined in locations where the service does not exist, which it answers in one of these ways. */
async function whereItIs<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'not_found' || code === 'rejected') return undefined
    throw error
  }
}

/** What a list says it could not reach stands under several names. */
const pageOf = <S extends TSchema>(member: string, item: S) =>
  t.Object({
    nextPageToken: text,
    unreachable: texts,
    failedLocations: texts,
    failedLocation: listed(t.Object({ name: text })),
    [member]: listed(item),
  })

const itemsIn = <T>(answer: object, member: string): readonly T[] =>
  (answer as Record<string, T[] | undefined>)[member] ?? []

const location = /^[a-z]+(-[a-z]+)+\d+(-[a-z])?$/

/** Locations, or resources of an unknown location. */
function noteUnreachable(
  answer: { unreachable?: string[]; failedLocations?: string[]; failedLocation?: { name?: string }[] },
  search: Search,
): void {
  const { unreachable = [], failedLocations = [], failedLocation = [] } = answer
  const lost = [...unreachable, ...failedLocations, ...failedLocation.map(({ name = '' }) => name)].map(lastOf)
  search.lose(lost.filter((one) => location.test(one)))
  if (lost.some((one) => !location.test(one))) search.losePart('Google did not respond for some of them')
}

/** A call for one item that may be refused, or find nothing; `name` says what is asked, for the next items. */
export const also = <T>(place: ProjectScan, name: string, ask: () => Promise<T>): Promise<T | undefined> =>
  place.more(name, async () => {
    try {
      return await ask()
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'not_found' || code === 'service_disabled') return undefined
      throw error
    }
  })

/** Asked once in a scan, whoever needs it. */
export function onceIn<T>(ask: (place: ProjectScan) => Promise<T>): (place: ProjectScan) => Promise<T> {
  const asked = new WeakMap<ProjectScan, Promise<T>>()
  return (place) => {
    const known = asked.get(place) ?? ask(place)
    asked.set(place, known)
    return known
  }
}

/** All of a list that is asked for besides. */
export async function allOf<S extends TSchema>(
  place: ProjectScan,
  call: GcpCall,
  member: string,
  item: S,
): Promise<readonly Static<S>[]> {
  const answers = await Array.fromAsync(place.pages(call, pageOf(member, item)))
  return answers.flatMap((answer) => itemsIn<Static<S>>(answer, member))
}

/** What items of most services have. */
export const usualMembers = { name: t.String(), state: text, createTime: text, labels: Labels }

/** The full name of a resource of this project; some services name projects by their number. */
export const uidIn = (service: string, name: string, { project }: Pick<ProjectScan, 'project'>): string =>
  `//${service}.googleapis.com/${name.replace(/^projects\/[^/]+\//, `projects/${project}/`)}`

/** The region in a name: of a zone its region. */
export const regionOf = (name: string): string => regionIn(locationOf(name))

/** The location in a name: a zone, a region, or `global`. */
export const locationOf = (name: string): string | undefined => /\/locations\/([^/]+)/.exec(name)?.[1]

/** The part of a name after a word: `partOf('projects/p/instances/i/clusters/c', 'instances')` is `i`. */
export const partOf = (name: string, word: string): string | undefined =>
  new RegExp(`(?:^|/)${word}/([^/]+)`).exec(name)?.[1]

const dayMs = 86_400_000

/** Whole days since a time, or undefined. */
export const daysSince = (time: string | undefined): number | undefined => {
  const at = Date.parse(time ?? '')
  return Number.isNaN(at) ? undefined : Math.floor((Date.now() - at) / dayMs)
}

/** Whole days until a time, or undefined. */
export const daysUntil = (time: string | undefined): number | undefined => {
  const at = Date.parse(time ?? '')
  return Number.isNaN(at) ? undefined : Math.floor((at - Date.now()) / dayMs)
}

/** Of a duration, which Google writes as `600s`. */
export const secondsOf = (duration: string | undefined): number | undefined => {
  const [, seconds] = /^([\d.]+)s$/.exec(duration ?? '') ?? []
  return seconds === undefined ? undefined : Number(seconds)
}
