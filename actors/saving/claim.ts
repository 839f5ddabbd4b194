/**
 * What one cause saves on one resource: the cause, its start, and its duration. Days are `YYYY-MM-DD`, UTC; amounts are
 * US dollars as text, exact to 14 decimals.
 */
import { addDays, dayOf, startOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import type { ActionType } from '#streams/recommendation.ts'
import { longest, type Off } from './off-time.ts'

/**
 * What it changes: running hours, the price per hour, the existence of the resource, its costs besides hours, or the
 * usage covered by a commitment.
 */
export const claimKinds = ['usage', 'rate', 'gone', 'storage', 'commitment'] as const
export type ClaimKind = (typeof claimKinds)[number]

/**
 * Why a claim has ended: `left`: the resource is no longer as the claim has it; `reopened`: people withdrew the
 * recommendation; `age`: after its maximum time.
 */
export const claimEnds = ['left', 'reopened', 'age'] as const
type ClaimEnd = (typeof claimEnds)[number]

/** Properties shown in rows and lists. */
interface ClaimOf {
  provider: string
  region: string
  resourceType: string
}

export interface Claim extends ClaimOf {
  id: string
  source: string
  /** Id of the recommendation, schedule, person, bulk action or override. */
  sourceId: string
  /** Only for a recommendation; otherwise empty. */
  ruleId: string
  category: string
  kind: ClaimKind
  /** Whether it stops and starts repeatedly, as a schedule does: then it does not end when the resource runs. */
  isCycle: boolean
  /** RFC 3339; `until` is null while it runs. */
  from: string
  until: string | null
  why: ClaimEnd | ''
  /** The first day on which its baseline may start, because of other claims of its kind before; empty: any. */
  notBefore: string
  /** Savings per day by the recommendation; null for other causes. */
  perDay: string | null
  /** When people set the recommendation to applied, RFC 3339; otherwise empty. Nothing is estimated before. */
  appliedAt: string
  /** The workflow that executed the recommendation; empty if none did. */
  jobId: string
  /**
   * Causes that had stopped the resource before, by `keyOf`: what they continue to stop does not count for the
   * recommendation.
   */
  others: string[]
  /** Since when the resource was observed as the claim has it, RFC 3339; null until then. */
  seenFrom: string | null
  /**
   * US dollars per hour saved while it is observed so; null if unknown. For claims about hours, each stop has its own
   * rate.
   */
  rate: string | null
  /** The intended size. Below: the size before. Empty if there is none, or unknown. */
  size: string
  was: string
}

/** Amounts are null while unknown. `reason`: why it is not verified. */
export type Entry = [estimated: string | null, observed: string | null, verified: string | null, reason: string]
/** By day, then by cause. */
export type Ledger = Record<string, Record<string, Entry>>

/** Key of a cause, which has one row per day. */
export const keyOf = ({ source, sourceId }: Pick<Claim, 'source' | 'sourceId'>): string => `${source}/${sourceId}`

export const recommendationSource = 'recommendation'

const kinds: Readonly<Partial<Record<ActionType, ClaimKind>>> = {
  stop: 'usage',
  pause: 'usage',
  schedule: 'usage',
  delete: 'gone',
  purchase: 'commitment',
  resize: 'rate',
  change_type: 'rate',
  upgrade: 'rate',
}

/** `isHourly`: whether the resource has a price per hour. */
export function kindOf(actionType: ActionType, isHourly: boolean): ClaimKind {
  const kind = kinds[actionType] ?? 'storage'
  return kind === 'rate' && !isHourly ? 'storage' : kind
}

const places = 14
const hourMs = 3_600_000n

/** When it ended, or ends at the latest, milliseconds since 1970. */
export const endOf = ({ from, until }: Pick<Claim, 'from' | 'until'>): number =>
  Math.min(until === null ? Infinity : Date.parse(until), longest(Date.parse(from)))

export const isRunning = (claim: Pick<Claim, 'from' | 'until'>, now: number): boolean => endOf(claim) > now

/** Whether the bill of a day can verify it; that of the first day cannot. */
export const isProvable = (claim: Pick<Claim, 'from' | 'until'>, day: string): boolean =>
  dayOf(Date.parse(claim.from)) < day && day <= dayOf(endOf(claim))

/** The estimate for a day at whose end (today: now) the claim is active; null if it is not. */
export function estimatedOn(claim: Claim, day: string, now: number): string | null {
  if (claim.perDay === null) return null
  const from = Date.parse(claim.appliedAt)
  // It counts from its start on, even if the clock here is slightly behind.
  const at = Math.max(Math.min(startOf(addDays(day, 1)) - 1, now), dayOf(from) === day ? from : 0)
  return from <= at && at < endOf(claim) && at >= startOf(day) ? claim.perDay : null
}

/** What a claim of kind `rate` or `gone` was observed to save on a day until `now`; null if unknown. */
export function seenOn(claim: Claim, day: string, now: number, offs: readonly Off[]): string | null {
  const { seenFrom, rate, kind } = claim
  if (seenFrom === null || rate === null) return null
  const begin = startOf(day)
  const from = Math.max(Date.parse(seenFrom), begin)
  const to = Math.min(endOf(claim), now, begin + 86_400_000)
  if (to <= from) return null
  const isOff = (off: Off) => Math.max(0, Math.min(to, off.until) - Math.max(from, off.from))
  const off = kind === 'rate' ? offs.reduce((ms, one) => ms + isOff(one), 0) : 0
  const units = (toUnits(rate, places) ?? 0n) * BigInt(to - from - off)
  const half = units < 0n ? -(hourMs / 2n) : hourMs / 2n
  return plain((units + half) / hourMs, places)
}
