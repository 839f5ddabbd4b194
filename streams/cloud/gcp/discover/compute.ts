/** Finders for Compute Engine. Each list is for the whole project and names zones and regions that do not answer. */
import { isCredentialsRefused, type DiscoveredResource } from '#streams/cloud/connector.ts'
import {
  Address,
  aggregatedListOf,
  Autoscaler,
  BackendService,
  Disk,
  ForwardingRule,
  Group,
  Instance,
  listPageOf,
  Snapshot,
  Template,
  type Autoscaler as AutoscalerOf,
  type Template as TemplateOf,
} from '#streams/cloud/gcp/answer/compute.ts'
import {
  address,
  disk,
  forwardingRule,
  group,
  instance,
  snapshot,
  uidOf,
  type Attachment,
  type Where,
} from '#streams/cloud/gcp/map/compute.ts'
import { pathIn, regionIn } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpCall } from '#streams/cloud/gcp/session/session.ts'
import type { Finder, FoundGroup, ProjectScan, Search } from './finder.ts'

/** Maximum page size. */
const maxResults = 500

interface ScopedItems<T> {
  scope: string
  items: readonly T[]
}

interface Answer {
  unreachables?: string[]
  items?: Record<string, object & { warning?: { code?: string } }>
}

/** `what` is the list's name in its path and its permission. */
export const listOf = ({ project }: ProjectScan, what: string): GcpCall => ({
  service: 'compute',
  path: `/projects/${project}/aggregated/${what}`,
  // Otherwise one zone that is down would fail the whole list.
  query: { maxResults, returnPartialSuccess: true },
  permission: `compute.${what}.list`,
})

/** Yields scope by scope, page by page. `lose` is called with scopes that do not answer. */
export async function* scopes<T>(
  answers: AsyncIterable<Answer>,
  member: string,
  lose: (places: readonly string[]) => void,
): AsyncGenerator<ScopedItems<T>[]> {
  for await (const { items = {}, unreachables = [] } of answers) {
    const gone = Object.entries(items).flatMap(([scope, { warning }]) =>
      warning?.code === 'UNREACHABLE' ? [scope] : [],
    )
    lose([...unreachables, ...gone])
    yield Object.entries(items).flatMap(([scope, inside]) => {
      const some = (inside as Record<string, T[] | undefined>)[member]
      return some?.length ? [{ scope, items: some }] : []
    })
  }
}

/** Only items in regions that the account covers. */
async function* mappedIn<T>(
  place: ProjectScan,
  search: Search,
  answers: AsyncIterable<Answer>,
  member: string,
  map: (one: T, where: Where) => DiscoveredResource,
): AsyncGenerator<DiscoveredResource[]> {
  const { project } = place
  for await (const page of scopes<T>(answers, member, (places) => search.lose(places)))
    yield page
      .filter(({ scope }) => place.covers(regionIn(scope)))
      .flatMap(({ scope, items }) => items.map((one) => map(one, { project, scope })))
}

const Groups = aggregatedListOf('instanceGroupManagers', Group)

/** All instance groups of the project, requested once; node pools also use them to count their nodes. */
function groupsOf(place: ProjectScan): NonNullable<ProjectScan['known']['groups']> {
  place.known.groups ??= (async () => {
    const byPath = new Map<string, FoundGroup>()
    const lost: string[] = []
    const answers = place.pages(listOf(place, 'instanceGroupManagers'), Groups)
    for await (const page of scopes<Group>(answers, 'instanceGroupManagers', (places) => void lost.push(...places)))
      for (const { scope, items } of page)
        for (const one of items)
          byPath.set(pathIn(one.selfLink) ?? `projects/${place.project}/${scope}/instanceGroupManagers/${one.name}`, {
            group: one,
            scope,
          })
    return { byPath, lost }
  })()
  return place.known.groups
}

export const groupFinder: Finder = {
  types: ['gcp-mig'],
  async *find(place, search) {
    const { byPath, lost } = await groupsOf(place)
    search.lose(lost)
    const covered = [...byPath].filter(([, { scope }]) => place.covers(regionIn(scope)))
    if (covered.length === 0) return
    const scalers = await place.more('autoscalers', () => autoscalersIn(place))
    const templates = await place.more('templates', () => templatesIn(place))
    const { project } = place
    yield covered.map(([path, { group: one, scope }]) =>
      group(
        one,
        { project, scope },
        {
          autoscaler: scalers?.get(path),
          isScaled: scalers && false,
          template: templates?.get(pathIn(one.instanceTemplate) ?? ''),
          pool: place.known.pools.get(path),
        },
      ),
    )
  },
}

async function autoscalersIn(place: ProjectScan): Promise<ReadonlyMap<string, AutoscalerOf>> {
  const found = new Map<string, AutoscalerOf>()
  const answers = place.pages(listOf(place, 'autoscalers'), aggregatedListOf('autoscalers', Autoscaler))
  for await (const page of scopes<AutoscalerOf>(answers, 'autoscalers', () => {}))
    for (const { items } of page) for (const one of items) found.set(pathIn(one.target) ?? '', one)
  return found
}

async function templatesIn(place: ProjectScan): Promise<ReadonlyMap<string, TemplateOf>> {
  const found = new Map<string, TemplateOf>()
  const answers = place.pages(listOf(place, 'instanceTemplates'), aggregatedListOf('instanceTemplates', Template))
  for await (const page of scopes<TemplateOf>(answers, 'instanceTemplates', () => {}))
    for (const { scope, items } of page)
      for (const one of items) found.set(`projects/${place.project}/${scope}/instanceTemplates/${one.name}`, one)
  return found
}

export const instanceFinder: Finder = {
  types: ['gcp-vm'],
  async *find(place, search) {
    const poolOf = (path: string) => place.known.pools.get(path)
    const regions = new Set<string>()
    const attachments = new Map<string, Attachment>()
    const answers = place.pages(listOf(place, 'instances'), aggregatedListOf('instances', Instance))
    yield* mappedIn<Instance>(place, search, answers, 'instances', (one, where) => {
      if (one.labels?.['goog-dataproc-cluster-name'])
        regions.add(one.labels['goog-dataproc-location'] ?? regionIn(where.scope))
      for (const { source, deviceName } of one.disks ?? [])
        attachments.set(pathIn(source) ?? '', { instanceId: one.id, deviceName })
      return instance(one, where, { poolOf })
    })
    place.known.attachments = attachments
    if (search.lost.size === 0) place.known.hadoopRegions = regions
  },
}

export const diskFinder: Finder = {
  types: ['gcp-disk'],
  async *find(place, search) {
    const images = new Map<string, number>()
    const answers = place.pages(listOf(place, 'disks'), aggregatedListOf('disks', Disk))
    yield* mappedIn<Disk>(place, search, answers, 'disks', (one, where) => {
      const image = pathIn(one.sourceImage) ?? ''
      images.set(image, (images.get(image) ?? 0) + 1)
      return disk(one, where, place.known.attachments?.get(uidOf(one, where, 'disks')))
    })
    // An account of some regions does not see all of them.
    if (search.lost.size === 0 && place.session.account.regions.length === 0) place.known.imagesOfDisks = images
  },
}

/** A list for the whole project; each snapshot states where it is stored. */
export const snapshotFinder: Finder = {
  types: ['gcp-snapshot'],
  async *find(place) {
    const { project } = place
    const call: GcpCall = {
      service: 'compute',
      path: `/projects/${project}/global/snapshots`,
      query: { maxResults },
      permission: 'compute.snapshots.list',
    }
    for await (const { items = [] } of place.pages(call, listPageOf(Snapshot)))
      yield items
        .map((one) => snapshot(one, { project, scope: 'global' }))
        .filter(({ region }) => place.covers(region ?? ''))
  },
}

export const addressFinder: Finder = {
  types: ['gcp-address'],
  find: (place, search) =>
    mappedIn<Address>(
      place,
      search,
      place.pages(listOf(place, 'addresses'), aggregatedListOf('addresses', Address)),
      'addresses',
      address,
    ),
}

export const ruleFinder: Finder = {
  types: ['gcp-forwarding-rule'],
  async *find(place, search) {
    const backends = await place.more('backendServices', () => backendsIn(place))
    const answers = place.pages(listOf(place, 'forwardingRules'), aggregatedListOf('forwardingRules', ForwardingRule))
    yield* mappedIn<ForwardingRule>(place, search, answers, 'forwardingRules', (one, where) =>
      forwardingRule(one, where, backends?.get(pathIn(one.backendService) ?? '')),
    )
  },
}

/** The number of backends of each service that answers, by its path. */
async function backendsIn(place: ProjectScan): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  const answers = place.pages(listOf(place, 'backendServices'), aggregatedListOf('backendServices', BackendService))
  for await (const page of scopes<BackendService>(answers, 'backendServices', () => {}))
    for (const { selfLink, backends = [] } of page.flatMap(({ items }) => items))
      found.set(pathIn(selfLink) ?? '', backends.length)
  return found
}

/**
 * A function that returns the target size of a group; undefined if groups may not be listed.
 * @throws refused credentials
 */
export async function sizesOf(place: ProjectScan): Promise<((path: string) => number | undefined) | undefined> {
  try {
    const { byPath } = await groupsOf(place)
    return (path) => byPath.get(path)?.group.targetSize
  } catch (error) {
    if (isCredentialsRefused(error)) throw error
    return undefined
  }
}
