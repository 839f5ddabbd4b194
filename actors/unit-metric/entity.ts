import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { Provider } from '#streams/names.ts'

export const ingestions = ['push', 'pull', 'csv'] as const
export type Ingestion = (typeof ingestions)[number]
export const aggregations = ['sum', 'avg', 'max', 'last'] as const
export type Aggregation = (typeof aggregations)[number]

/** Where values are pulled from. Paths are names joined by dots; an empty `rowsPath` is the answer itself. */
export interface Pull {
  url: string
  method: 'GET' | 'POST'
  rowsPath: string
  timestampField: string
  valueField: string
  /** 15 at least. */
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
    /** What reports call it by; lower case, one of a kind within the organization. */
    key: p.text(),
    unit: p.text(),
    ingestion: p.enum(ingestions),
    aggregation: p.enum(aggregations),
    /** There for `pull` only. */
    pull: p.json<Pull>().nullable(),
    /** Headers of the pull, sealed: they may hold secrets, and are never shown. */
    pullHeaders: p.text().nullable(),
    costScope: p.json<CostScope>().nullable(),
    /** Whose values count: dropping them all gives the metric another series. */
    seriesId: p.uuid(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'key'] }],
})

/** What is counted beside the costs, such as orders. Written only by actors/unit-metric/change.ts. */
export class UnitMetric extends metric.class {}
metric.setClass(UnitMetric)

/** Headers that pulls send. */
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
    /** The series that values came for last, and when they did. */
    seriesId: p.text().default(''),
    lastIngestedAt: p.datetime(3).nullable(),
    /** Null while nothing is pulled. */
    intervalMinutes: p.integer().nullable(),
    nextPullAt: p.datetime(3).nullable(),
    /** When the schedule was last set: an older wish that comes late changes nothing. */
    pullChangedAt: p.datetime(3).nullable(),
    /** What the last pull failed by; null when it did not. */
    failure: p.text().nullable(),
  },
})

/** How the values of one unit metric come in. Written only by the unit-metric actor. */
export class UnitMetricFeed extends feed.class {}
feed.setClass(UnitMetricFeed)
