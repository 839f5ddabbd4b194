/** Tables of BigQuery with their sizes, each asked for once in a scan: their data sets and they themselves need them. */
import { t, type Static } from '#engine/value/schema.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { Labels, list, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { numberOf } from '#streams/cloud/gcp/map/resource.ts'
import { callsAtOnce, type ProjectScan } from './finder.ts'
import { also } from './listed.ts'

const Reference = t.Object({ projectId: text, datasetId: t.String(), tableId: t.String() })
const Listed = t.Object({
  nextPageToken: text,
  tables: list(t.Object({ tableReference: Reference, type: text })),
})
const Table = t.Object({
  tableReference: Reference,
  location: text,
  labels: Labels,
  creationTime: text,
  lastModifiedTime: text,
  expirationTime: text,
  timePartitioning: some({ type: text, expirationMs: text }),
  rangePartitioning: some({ field: text }),
  clustering: some({ fields: list(t.String()) }),
  numBytes: text,
  numActiveLogicalBytes: text,
  numLongTermLogicalBytes: text,
  numActivePhysicalBytes: text,
  numLongTermPhysicalBytes: text,
  numTimeTravelPhysicalBytes: text,
})
export type Table = Static<typeof Table>

/** Of a data set with more tables none are looked at. */
export const tablesMax = 1000

const asked = new WeakMap<ProjectScan, Map<string, Promise<readonly Table[] | undefined>>>()

/** Without views and external tables. Undefined if they may not be read, or are too many. */
export function tablesOf(place: ProjectScan, dataset: string): Promise<readonly Table[] | undefined> {
  const ofScan = asked.get(place) ?? new Map<string, Promise<readonly Table[] | undefined>>()
  asked.set(place, ofScan)
  const known = ofScan.get(dataset) ?? readTables(place, dataset)
  ofScan.set(dataset, known)
  return known
}

async function readTables(place: ProjectScan, dataset: string): Promise<readonly Table[] | undefined> {
  const path = `/projects/${encodeURIComponent(place.project)}/datasets/${encodeURIComponent(dataset)}/tables`
  const call = { service: 'bigquery', path, query: { maxResults: 1000 }, permission: 'bigquery.tables.list' } as const
  const listed = await also(place, call.permission, async () => {
    const found: string[] = []
    for await (const { tables = [] } of place.pages(call, Listed)) {
      found.push(...tables.filter(({ type }) => type === 'TABLE').map((one) => one.tableReference.tableId))
      if (found.length > tablesMax) return undefined
    }
    return found
  })
  if (!listed) return undefined
  const tables = await mapConcurrently(listed, callsAtOnce, (id) =>
    also(place, 'bigquery.tables.get', () =>
      place.ask(
        { service: 'bigquery', path: `${path}/${encodeURIComponent(id)}`, permission: 'bigquery.tables.get' },
        Table,
      ),
    ),
  )
  // One that was deleted meanwhile is missing; without the permission all are.
  const found = tables.filter((one) => one !== undefined)
  return found.length === 0 && listed.length > 0 ? undefined : found
}

export const gigabytes = (bytes: number): number => Number((bytes / 1e9).toFixed(3))

/** Hours that deleted data stays: first in time travel, for as long as is set, then a week more. */
const weekHours = 168

/**
 * Gigabytes by how they are billed. No field has the week after time travel, which physical bytes are billed for too: as
 * much per day as in time travel is assumed.
 */
export function storageOf(tables: readonly Table[], timeTravelHours = weekHours) {
  const sum = (of: (one: Table) => string | undefined) =>
    tables.reduce((total, one) => total + (numberOf(of(one)) ?? 0), 0)
  const afterwards = (sum((one) => one.numTimeTravelPhysicalBytes) * weekHours) / (timeTravelHours || weekHours)
  return {
    logical_active_gb: gigabytes(sum((one) => one.numActiveLogicalBytes)),
    logical_longterm_gb: gigabytes(sum((one) => one.numLongTermLogicalBytes)),
    physical_active_gb: gigabytes(sum((one) => one.numActivePhysicalBytes) + afterwards),
    physical_longterm_gb: gigabytes(sum((one) => one.numLongTermPhysicalBytes)),
  }
}
