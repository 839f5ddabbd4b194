/** Lists of Compute Engine for types that are described by one value each. */
import type { Static, TSchema } from '#engine/value/schema.ts'
import { aggregatedListOf, listPageOf, Region } from '#streams/cloud/gcp/answer/compute.ts'
import { uidOf, type Where } from '#streams/cloud/gcp/map/compute.ts'
import { regionIn } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpCall } from '#streams/cloud/gcp/session/session.ts'
import { listOf, scopes } from './compute.ts'
import type { ProjectScan } from './finder.ts'
import { onceIn, type ListOf } from './listed.ts'

/** Where an item was listed. */
interface Placed {
  where: Where
}
export type ScopedItem<T> = T & Placed

/** A list of the whole project by zone and region. `what` is its name in its path, its permission and its answer. */
export function inScopes<S extends TSchema>(what: string, item: S): ListOf<ScopedItem<Static<S>>> {
  const schema = aggregatedListOf(what, item)
  return async function* (place, search) {
    for await (const page of scopes<Static<S>>(place.pages(listOf(place, what), schema), what, (places) =>
      search.lose(places),
    ))
      yield page.flatMap(({ scope, items }) => placed(items, { project: place.project, scope }))
  }
}

/** A list of what belongs to no region. */
export function inProject<S extends TSchema>(what: string, item: S): ListOf<ScopedItem<Static<S>>> {
  const schema = listPageOf(item)
  return async function* (place) {
    const { project } = place
    const call: GcpCall = {
      service: 'compute',
      path: `/projects/${project}/global/${what}`,
      query: { maxResults: 500 },
      permission: `compute.${what}.list`,
    }
    for await (const { items = [] } of place.pages(call, schema)) yield placed(items, { project, scope: 'global' })
  }
}

const placed = <T>(items: readonly T[], where: Where): ScopedItem<T>[] => items.map((one) => ({ ...one, where }))

/** The path of the object, by its own link or by where it was listed. */
export const pathAs =
  (plural: string) =>
  (one: ScopedItem<{ name: string; selfLink?: string }>): string =>
    uidOf(one, one.where, plural)

export const scopeRegion = ({ where }: { where: Where }): string => regionIn(where.scope)

const regions: Omit<GcpCall, 'path'> = {
  service: 'compute',
  query: { maxResults: 500 },
  permission: 'compute.regions.list',
}

/** All regions that the project may use, with its quotas there. */
export const regionsOf = onceIn(async (place) => {
  const call: GcpCall = { ...regions, path: `/projects/${place.project}/regions` }
  const pages = await Array.fromAsync(place.pages(call, listPageOf(Region)))
  return pages.flatMap(({ items = [] }) => items)
})

/** Their names. */
export const regionNames = async (place: ProjectScan): Promise<readonly string[]> =>
  (await regionsOf(place)).map(({ name }) => name)
