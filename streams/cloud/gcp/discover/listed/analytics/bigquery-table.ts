import { dayMs } from '#engine/value/day.ts'
import { t } from '#engine/value/schema.ts'
import { list, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { Datasets } from '#streams/cloud/gcp/answer/service.ts'
import { gigabytes, tablesMax, tablesOf } from '#streams/cloud/gcp/discover/big-query-table.ts'
import type { ProjectScan, Search } from '#streams/cloud/gcp/discover/finder.ts'
import { also, daysSince, listType, onceIn } from '#streams/cloud/gcp/discover/listed.ts'
import { numberOf, timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { datasetUid } from '#streams/cloud/gcp/map/service.ts'

async function* tablesIn(place: ProjectScan, search: Search) {
  const path = `/projects/${place.project}/datasets`
  const call = { service: 'bigquery', path, query: { maxResults: 500 }, permission: 'bigquery.datasets.get' } as const
  for await (const { datasets = [] } of place.pages(call, Datasets))
    for (const { datasetReference, location = '' } of datasets) {
      const { datasetId } = datasetReference
      if (!place.covers(location.toLowerCase())) continue
      const tables = await tablesOf(place, datasetId)
      if (!tables) search.losePart(`data set ${datasetId} may not be read, or has more than ${tablesMax} tables`)
      yield tables ?? []
    }
}

const Jobs = t.Object({
  nextPageToken: text,
  jobs: list(
    t.Object({
      statistics: some({
        query: some({
          totalBytesBilled: text,
          referencedTables: list(t.Object({ projectId: text, datasetId: text, tableId: text })),
        }),
      }),
    }),
  ),
})

const days = 30
/** Pages of a thousand queries, the newest first. */
const pagesMax = 20

/**
 * Bytes billed by table. Queries of other projects are not in it, nor those before the last 20,000: it is at least as much as
 * this.
 */
const bytesBilled = onceIn((place) => {
  const call = {
    service: 'bigquery',
    path: `/projects/${place.project}/jobs`,
    query: {
      allUsers: true,
      projection: 'full',
      stateFilter: 'done',
      minCreationTime: Date.now() - days * dayMs,
      maxResults: 1000,
      // Not the text of the queries.
      fields: 'nextPageToken,jobs(statistics(query(totalBytesBilled,referencedTables)))',
    },
    permission: 'bigquery.jobs.listAll',
  } as const
  return also(place, call.permission, async () => {
    const found = new Map<string, number>()
    let pages = 0
    for await (const { jobs = [] } of place.pages(call, Jobs)) {
      for (const { query } of jobs.map(({ statistics }) => statistics ?? {}))
        for (const one of query?.referencedTables ?? []) {
          const key = `${one.projectId}.${one.datasetId}.${one.tableId}`
          found.set(key, (found.get(key) ?? 0) + (numberOf(query?.totalBytesBilled) ?? 0))
        }
      if (++pages === pagesMax) break
    }
    return found
  })
})

export const bigqueryTables = listType(tablesIn, {
  type: 'gcp-bigquery-table',
  permissions: ['bigquery.datasets.get', 'bigquery.tables.list', 'bigquery.tables.get', 'bigquery.jobs.listAll'],
  detail: async ({ tableReference: { datasetId, tableId } }, place) => {
    const billed = await bytesBilled(place)
    return billed && (billed.get(`${place.project}.${datasetId}.${tableId}`) ?? 0)
  },
  uid: ({ tableReference: { datasetId, tableId } }, { project }) =>
    `${datasetUid(project, datasetId)}/tables/${tableId}`,
  fields: ({ tableReference, location, labels, numBytes }) => ({
    name: `${tableReference.datasetId}.${tableReference.tableId}`,
    region: location?.toLowerCase() ?? '',
    labels,
    sizeGB: gigabytes(numberOf(numBytes) ?? 0),
  }),
  specs: {
    created_at: ({ creationTime }) => timeOf(numberOf(creationTime)),
    partitioned: ({ timePartitioning, rangePartitioning, clustering }) =>
      [timePartitioning, rangePartitioning, clustering].some((one) => one !== undefined),
    expiration: ({ expirationTime, timePartitioning }) =>
      expirationTime !== undefined || timePartitioning?.expirationMs !== undefined,
    days_since_change: ({ lastModifiedTime }) => daysSince(timeOf(numberOf(lastModifiedTime))),
    scanned_tb_30d: (_, billed) => billed && Number((billed / 1e12).toFixed(6)),
  },
})
