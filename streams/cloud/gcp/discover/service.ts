/** Finders for the other services. */
import {
  Buckets,
  Clusters,
  Databases,
  Dataset,
  Datasets,
  Hadoop,
  IamPolicy,
  Workbenches,
  type Bucket,
} from '#streams/cloud/gcp/answer/service.ts'
import { t } from '#engine/value/schema.ts'
import {
  bucket,
  cluster,
  clusterUid,
  database,
  dataset,
  hadoop,
  isEverybody,
  nodePool,
  workbench,
} from '#streams/cloud/gcp/map/service.ts'
import { pathIn, regionIn } from '#streams/cloud/gcp/resource-path.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { tablesOf } from './big-query-table.ts'
import { sizesOf } from './compute.ts'
import { storedBesides, type StoredBesides } from './stored.ts'
import { callsAtOnce, present, seenBut, type Finder, type ProjectScan } from './finder.ts'

/**
 * Node pools are children of clusters, so both are found together, a cluster before its pools. One answer contains all.
 */
export const kubernetesFinder: Finder = {
  types: ['gcp-gke', 'gcp-gke-nodepool'],
  async *find(place, search) {
    const { project } = place
    const { clusters = [], missingZones = [] } = await place.ask(
      {
        service: 'container',
        path: `/projects/${project}/locations/-/clusters`,
        permission: 'container.clusters.list',
      },
      Clusters,
    )
    search.lose(missingZones)
    const covered = clusters.filter(({ location, zone }) => place.covers(regionIn(location ?? zone)))
    const sizeOf = covered.length === 0 ? undefined : await sizesOf(place)
    for (const one of covered) {
      for (const { name, instanceGroupUrls = [] } of one.nodePools ?? [])
        for (const url of instanceGroupUrls)
          place.known.pools.set(pathIn(url) ?? url, `${clusterUid(project, one)}/nodePools/${name}`)
      yield [
        cluster(one, project),
        ...(one.nodePools ?? []).map((pool) => nodePool(pool, one, project, nodesIn(pool.instanceGroupUrls, sizeOf))),
      ]
    }
    if (search.lost.size === 0) place.known.clusters = covered
  },
}

/** Undefined if one of the groups is unknown. */
function nodesIn(
  urls: readonly string[] = [],
  sizeOf: ((path: string) => number | undefined) | undefined,
): number | undefined {
  const sizes = urls.map((url) => sizeOf?.(pathIn(url) ?? ''))
  if (sizes.length === 0 || sizes.includes(undefined)) return undefined
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

export const databaseFinder: Finder = {
  types: ['gcp-cloudsql'],
  async *find(place, search) {
    const { project } = place
    const call = {
      service: 'sqladmin',
      path: `/projects/${project}/instances`,
      query: { maxResults: 500 },
      permission: 'cloudsql.instances.list',
    } as const
    for await (const { items = [], warnings = [] } of place.pages(call, Databases)) {
      const lost = warnings.filter(({ code }) => code === 'REGION_UNREACHABLE')
      search.lose(lost.flatMap(({ region }) => region ?? []))
      if (lost.some(({ region }) => !region)) search.losePart('Google did not respond for some of them')
      yield items.map((one) => database(one, project)).filter(({ region }) => place.covers(region ?? ''))
    }
  },
}

export const bucketFinder: Finder = {
  types: ['gcp-gcs-bucket'],
  async *find(place, search) {
    const { project } = place
    const call = {
      service: 'storage',
      path: '/b',
      query: { project, maxResults: 200, returnPartialSuccess: true },
      permission: 'storage.buckets.list',
    } as const
    let besides: ((bucket: string) => StoredBesides) | undefined
    for await (const { items = [], unreachable = [] } of place.pages(call, Buckets)) {
      // The names `projects/_/buckets/<name>` do not show the region, so nothing counts as seen.
      if (unreachable.length > 0) search.losePart('Google did not respond for some of them')
      const covered = items.filter(({ location = '' }) => place.covers(location.toLowerCase()))
      if (covered.length > 0) besides ??= await place.more('monitoring', () => storedBesides(place))
      yield await mapConcurrently(covered, callsAtOnce, async (one) =>
        bucket(one, await isPublic(place, one), besides?.(one.name)),
      )
    }
  },
}

/** The policy of a bucket may forbid what others allow, so refusals are noted per bucket. */
async function isPublic(place: ProjectScan, { name, iamConfiguration }: Bucket): Promise<boolean | undefined> {
  if (iamConfiguration?.publicAccessPrevention === 'enforced') return false
  const call = {
    service: 'storage',
    path: `/b/${encodeURIComponent(name)}/iam`,
    permission: 'storage.buckets.getIamPolicy',
  } as const
  const policy = await place.more(`iam ${name}`, () => present(place.ask(call, IamPolicy)))
  return policy && (policy.bindings ?? []).some(({ members = [] }) => members.some(isEverybody))
}

/** Shared data sets of other projects are left out. */
export const datasetFinder: Finder = {
  types: ['gcp-bigquery-dataset'],
  async *find(place) {
    const { project } = place
    const call = {
      service: 'bigquery',
      path: `/projects/${project}/datasets`,
      query: { maxResults: 500 },
      permission: 'bigquery.datasets.get',
    } as const
    for await (const { datasets = [] } of place.pages(call, Datasets)) {
      const covered = datasets.filter(({ location = '' }) => place.covers(location.toLowerCase()))
      yield await mapConcurrently(covered, callsAtOnce, async (one): Promise<DiscoveredResource> => {
        const { datasetId, projectId = project } = one.datasetReference
        const path = `/projects/${encodeURIComponent(projectId)}/datasets/${encodeURIComponent(datasetId)}`
        const whole = await place.more('dataset', () => present(place.ask({ ...call, query: {}, path }, Dataset)))
        return dataset({ ...one, ...whole }, project, await tablesOf(place, datasetId))
      })
    }
  },
}

const Hadoops = t.Object({ nextPageToken: t.Optional(t.String()), clusters: t.Optional(t.Array(Hadoop)) })

/** Queried in regions with machines of Dataproc clusters; stopped clusters keep their machines. */
export const hadoopFinder: Finder = {
  types: ['gcp-dataproc'],
  async *find(place) {
    const { project } = place
    for (const region of place.known.hadoopRegions ?? []) {
      if (!place.covers(region)) continue
      const call = {
        service: 'dataproc',
        path: `/projects/${project}/regions/${encodeURIComponent(region)}/clusters`,
        permission: 'dataproc.clusters.list',
      } as const
      for await (const { clusters = [] } of place.pages(call, Hadoops))
        yield clusters.map((one) => hadoop(one, project, region))
    }
  },
  seen: ({ known, session }) =>
    known.hadoopRegions ? seenBut(['gcp-dataproc'], new Set(), session.account.regions) : [],
}

export const workbenchFinder: Finder = {
  types: ['gcp-workbench'],
  async *find(place, search) {
    const call = {
      service: 'notebooks',
      path: `/projects/${place.project}/locations/-/instances`,
      query: { pageSize: 500 },
      permission: 'notebooks.instances.list',
    } as const
    for await (const { instances = [], unreachable = [] } of place.pages(call, Workbenches)) {
      search.lose(unreachable)
      yield instances.map((one) => workbench(one)).filter(({ region }) => place.covers(region ?? ''))
    }
  },
}
