/** Inputs for collecting facts of one page of resources in an account, and the form of the results. */
import { collectedOf } from '#actors/metric/queries.ts'
import type { Tools } from '#actors/tools.ts'
import type { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import type { CostColumn } from '#analytics/store/slice.ts'
import { dayMs, dayOf, startOf } from '#engine/value/day.ts'
import type { FactValues } from '#streams/recommendation.ts'
import { olderNameOf } from '#streams/cloud/resource/older-metric.ts'
import type { RuleMetric } from '#streams/metric/messages.ts'

export type GatherTools = Pick<Tools, 'reads' | 'ask'>

/** The fields of an inventory resource that facts are computed from. */
export interface GatherResource {
  readonly uid: string
  readonly type: string
  readonly status: string
  /** Empty for none. */
  readonly parentUid: string
  readonly region: string
  readonly unitCount: number | null
  readonly hourlyRateUsd: number | null
  readonly specs: Readonly<Record<string, unknown>>
  /** When it was first discovered. */
  readonly createdAt: Date
}

/** How far this service has fetched the account's metrics. */
export interface Collector {
  readonly from: Date
  /** Everything before it has been fetched. */
  readonly through: Date
  /** Resources discovered before it were fetched from `from` on, others from their discovery on; null: unknown. */
  readonly askedAt: Date | null
  /**
   * Whether it has ever fetched the metric for a resource of the type: a metric that a connector does not measure is
   * not zero.
   */
  readonly fetches: (type: string, metric: RuleMetric) => boolean
}

export interface GatherAbout {
  readonly orgId: string
  readonly account: string
  readonly now: Date
  /** The displayed one of the four cost columns. */
  readonly cost: CostColumn
  /** By resource type: aggregates that its rules read, such as `cpu_percent.p99.14d`. */
  readonly reads: ReadonlyMap<string, readonly string[]>
  readonly governance: typeof governanceDefaults
  /** Undefined for an account whose metrics come from producers. */
  readonly collector: Collector | undefined
  /** At least one discovery was complete, within its permissions. */
  readonly isInventoryComplete: boolean
  /**
   * Whether the inventory has resources of such types in the region, or anywhere. Types that are never found may just
   * be invisible: a role without permission to list machines finds none.
   */
  readonly holds: (which: RegExp, region?: string) => boolean
}

/** By uid. */
export type FactsOf = Map<string, FactValues>

/** The current day, YYYY-MM-DD, which has not ended; windows are whole days before it. */
export const todayOf = ({ now }: Pick<GatherAbout, 'now'>): string => dayOf(now)
export const untilOf = (about: Pick<GatherAbout, 'now'>): number => startOf(todayOf(about))

/** Days from a moment to `now`, never below 0. */
export const daysSince = (at: number, now: Date): number => Math.max(0, (now.getTime() - at) / dayMs)

/** A time reported by a cloud, milliseconds since 1970; NaN if there is none. */
export const timeOf = (told: unknown): number => (typeof told === 'string' ? Date.parse(told) : NaN)

/** Adds known values to the facts of a resource; undefined values are skipped. */
export function addFacts(facts: FactsOf, uid: string, more: Readonly<Record<string, unknown>>): void {
  const known = facts.get(uid) ?? {}
  for (const [path, value] of Object.entries(more)) if (value !== undefined) known[path] = value
  facts.set(uid, known)
}

/**
 * The state of an account, read before its pages: how far its metrics have been fetched, and whether a discovery was
 * ever complete.
 */
export async function accountState(
  { reads }: Pick<GatherTools, 'reads'>,
  orgId: string,
  account: string,
): Promise<Pick<GatherAbout, 'collector' | 'isInventoryComplete' | 'holds'>> {
  const [found] = await reads.rows(
    'select from cloud_account where org_id = $1 and id = $2 and last_synced_at is not null',
    [orgId, account],
  )
  const collected = await collectedOf(reads, orgId, account)
  const fetches = (type: string, metric: RuleMetric): boolean => {
    const names = collected?.fetched[type] ?? []
    return names.includes(metric) || names.includes(olderNameOf(metric, type) ?? metric)
  }
  const kinds = await reads.rows<{ type: string; region: string }>(
    'select distinct type, region from resource where org_id = $1 and cloud_account_id = $2 and deleted_at is null',
    [orgId, account],
  )
  return {
    isInventoryComplete: found !== undefined,
    collector: collected && { ...collected, fetches },
    holds: (which, region) => kinds.some((one) => which.test(one.type) && (region ?? one.region) === one.region),
  }
}
