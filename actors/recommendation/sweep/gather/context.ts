/** What the parts that gather facts are told of a page of resources of one account, and what each says of a resource. */
import { collectedOf } from '#actors/metric/queries.ts'
import type { Tools } from '#actors/tools.ts'
import type { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import type { CostColumn } from '#analytics/store/slice.ts'
import { dayMs, dayOf, startOf } from '#engine/value/day.ts'
import type { FactValues } from '#streams/recommendation.ts'
import { olderNameOf } from '#streams/cloud/resource/older-metric.ts'
import type { RuleMetric } from '#streams/metric/messages.ts'

export type GatherTools = Pick<Tools, 'reads' | 'ask'>

/** A resource of the inventory, as far as facts are worked out from it. */
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

/** How far this service's own collector of the account is. */
export interface Collector {
  readonly from: Date
  /** Everything before it has been fetched. */
  readonly through: Date
  /** Resources discovered before it were fetched from `from` on, others from their discovery on; null: of none it is known. */
  readonly askedAt: Date | null
  /** Whether it has ever fetched the metric for a resource of the type: what a connector does not measure is no zero. */
  readonly fetches: (type: string, metric: RuleMetric) => boolean
}

export interface GatherAbout {
  readonly orgId: string
  readonly account: string
  readonly now: Date
  /** Which of the four costs is shown. */
  readonly cost: CostColumn
  /** By type of resource the aggregates its rules read, as `cpu_percent.p99.14d`. */
  readonly reads: ReadonlyMap<string, readonly string[]>
  readonly governance: typeof governanceDefaults
  /** Undefined for an account whose metrics producers send. */
  readonly collector: Collector | undefined
  /** A discovery has found everything at least once, as far as it may look. */
  readonly isInventoryComplete: boolean
  /**
   * Whether the inventory has such types in the region, or anywhere where it is left out. What is never found of a kind may just not
   * be seen: a role that may not list machines finds none.
   */
  readonly holds: (which: RegExp, region?: string) => boolean
}

/** By uid. */
export type FactsOf = Map<string, FactValues>

/** The day that has not ended yet, YYYY-MM-DD, and its beginning: windows are whole days before it. */
export const todayOf = ({ now }: Pick<GatherAbout, 'now'>): string => dayOf(now)
export const untilOf = (about: Pick<GatherAbout, 'now'>): number => startOf(todayOf(about))

/** Days from a moment to `now`, never below 0. */
export const daysSince = (at: number, now: Date): number => Math.max(0, (now.getTime() - at) / dayMs)

/** Of a time that a cloud tells, milliseconds since 1970; NaN where it tells none. */
export const timeOf = (told: unknown): number => (typeof told === 'string' ? Date.parse(told) : NaN)

/** Adds what is known to what is known of each; undefined is not known. */
export function addFacts(facts: FactsOf, uid: string, more: Readonly<Record<string, unknown>>): void {
  const known = facts.get(uid) ?? {}
  for (const [path, value] of Object.entries(more)) if (value !== undefined) known[path] = value
  facts.set(uid, known)
}

/** What is to be known of an account before its pages: how far its metrics were fetched, and whether all of it was ever discovered. */
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
