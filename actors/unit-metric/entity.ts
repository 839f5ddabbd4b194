import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { Provider } from '#streams/names.ts'

export const ingestions = ['push', 'pull', 'csv'] as const
export type Ingestion = (typeof ingestions)[number]
export const aggregations = ['sum', 'avg', 'max', 'last'] as const
export type Aggregation = (typeof aggregations)[number]

/** Where values are pulled from. Paths are names joined by dots; an empty `rowsPath` is the response itself. */
export interface Pull {
  url: string
  method: 'GET' | 'POST'
  rowsPath: string
  timestampField: string
  valueField: string
  /** At least 15. */
  intervalMinutes: number
}

/** Which costs the units account for; an empty list or map means all. */
export interface CostScope {
  providers: Provider[]
  teamIDs: string[]
  tags: Record<string, string>
}

const metric = defineEntity({
  name: 'UnitMetric',
  tableName: 'unit_metric',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    /** Its name in reports; lower case, unique in the organization. */
    key: p.text(),
    unit: p.text(),
    ingestion: p.enum(ingestions),
    aggregation: p.enum(aggregations),
    /** Only for ingestion `pull`. */
    pull: p.json<Pull>().nullable(),
    /** Headers of the pull, sealed because they may contain secrets; never shown. */
    pullHeaders: p.text().nullable(),
    costScope: p.json<CostScope>().nullable(),
    /** The series whose values count: deleting all values gives the metric a new series. */
    seriesId: p.uuid(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'key'] }],
})

/** A business figure to divide costs by, such as orders. Written only by actors/unit-metric/change.ts. */
export class UnitMetric extends metric.class {}
metric.setClass(UnitMetric)

/** Headers of pull requests. */
export const headersSealed: SealedColumn = {
  table: 'unit_metric',
  column: 'pull_headers',
  isOfOrg: true,
  purpose: 'pull values',
}

const feed = defineEntity({
  name: 'UnitMetricFeed',
  tableName: 'unit_metric_feed',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    metricId: p.text().primary(),
    /** The series that the last values were for. Below: when they arrived. */
    seriesId: p.text().default(''),
    lastIngestedAt: p.datetime(3).nullable(),
    /** Null if nothing is pulled. */
    intervalMinutes: p.integer().nullable(),
    nextPullAt: p.datetime(3).nullable(),
    /** When the schedule was last set: older changes that arrive late are ignored. */
    pullChangedAt: p.datetime(3).nullable(),
    /** Error of the last pull; null if it succeeded. */
    failure: p.text().nullable(),
  },
})

/** How the values of one unit metric arrive. Written only by the unit-metric actor. */
export class UnitMetricFeed extends feed.class {}
feed.setClass(UnitMetricFeed)
