/**
 * What is saved for one cause on one resource: who or what caused it, since when, and for how long. A day is `YYYY-MM-DD`, UTC;
 * amounts are US dollars as text, exact to 14 places.
 */
import { addDays, dayOf, startOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import type { ActionType } from '#streams/recommendation.ts'
import { longest, type Off } from './off-time.ts'

/**
 * What it changes: the hours that run, the price of an hour, whether the resource is there at all, what it costs beside its hours,
 * or what a commitment covers.
 */
export const claimKinds = ['usage', 'rate', 'gone', 'storage', 'commitment'] as const
export type ClaimKind = (typeof claimKinds)[number]

/** Why a claim is over: the resource is not any more as the claim has it, or people took back that it was applied. */
export const claimEnds = ['left', 'reopened', 'age'] as const
type ClaimEnd = (typeof claimEnds)[number]

/** What it is of, as rows and lists show it. */
interface ClaimOf {
  provider: string
  region: string
  resourceType: string
}

export interface Claim extends ClaimOf {
  id: string
  source: string
  /** Of the recommendation, the schedule, the person, the bulk action or the override. */
  sourceId: string
  /** Of a recommendation; empty for others. */
  ruleId: string
  category: string
  kind: ClaimKind
  /** Whether it goes on and off again, as a schedule does: then it does not end where the resource runs. */
  isCycle: boolean
  /** RFC 3339; `until` is null while it runs. */
  from: string
  until: string | null
  why: ClaimEnd | ''
  /** The first day its baseline may begin on, as other claims of its kind were before it; empty: any. */
  notBefore: string
  /** What a recommendation said it saves a day; null for others. */
  perDay: string | null
  /** When people said that the recommendation is applied, RFC 3339; empty for others. Nothing is estimated before. */
  appliedAt: string
  /** The workflow that carried the recommendation out; empty where none did. */
  jobId: string
  /** Who had stopped the resource before, by `keyOf`: what they go on stopping is not of the recommendation. */
  others: string[]
  /** Since when the resource was seen as the claim has it, RFC 3339; null while it was not. */
  seenFrom: string | null
  /** Dollars an hour that are saved while it is seen so; null while not known. Of hours that are off each stop has its own. */
  rate: string | null
  /** The size it aims at, and the one before; empty where it has none or nobody knows. */
  size: string
  was: string
}

/** Estimated, observed, verified, each null while not known; why it is not verified. */
export type Entry = [estimated: string | null, observed: string | null, verified: string | null, reason: string]
/** By day, then by who saves. */
export type Ledger = Record<string, Record<string, Entry>>

/** Who saves: one row a day. */
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

/** `isHourly`: whether the resource has a price an hour. */
export function kindOf(actionType: ActionType, isHourly: boolean): ClaimKind {
  const kind = kinds[actionType] ?? 'storage'
  return kind === 'rate' && !isHourly ? 'storage' : kind
}

const places = 14
const hourMs = 3_600_000n

/** When it is over at the latest, or was, milliseconds since 1970. */
export const endOf = ({ from, until }: Pick<Claim, 'from' | 'until'>): number =>
  Math.min(until === null ? Infinity : Date.parse(until), longest(Date.parse(from)))

export const isRunning = (claim: Pick<Claim, 'from' | 'until'>, now: number): boolean => endOf(claim) > now

/** Whether the bills of a day can prove it: the day of the action itself they cannot. */
export const isProvable = (claim: Pick<Claim, 'from' | 'until'>, day: string): boolean =>
  dayOf(Date.parse(claim.from)) < day && day <= dayOf(endOf(claim))

/** Of a whole day at whose end, of today now, it stands; null where it does not. */
export function estimatedOn(claim: Claim, day: string, now: number): string | null {
  if (claim.perDay === null) return null
  const from = Date.parse(claim.appliedAt)
  // It stands from then on, whatever the clock of who counts says of that very moment.
  const at = Math.max(Math.min(startOf(addDays(day, 1)) - 1, now), dayOf(from) === day ? from : 0)
  return from <= at && at < endOf(claim) && at >= startOf(day) ? claim.perDay : null
}

/** What one of kind `rate` or `gone` was seen to save on a day until `now`; null while that is not known. */
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
