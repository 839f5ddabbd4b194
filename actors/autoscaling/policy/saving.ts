/**
 * Savings of an autopilot policy: units fewer than before its first change, at the price of a unit. Pure: the sum does
 * not depend on how often the units are counted.
 */
import { savingDaily } from '#analytics/saving/tables.ts'
import { dayOf, days, startOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { AutoscalerPolicy, PolicySaving } from '#actors/autoscaling/entity.ts'

/** A count of the target's units. */
export interface UnitCount {
  /** Milliseconds since 1970. */
  at: number
  /** Null if the policy does not control the target from then on. */
  units: number | null
}

/** Identifies whose saving it is, and has the price of a unit. */
export interface SavedOf {
  orgId: string
  cloudAccountId: string
  targetUid: string
  policyId: string
  provider: string
  /** Empty if unknown. */
  region: string
  targetType: string
  /** US dollars per hour; null if unknown, then nothing is saved. */
  unitUsd: number | null
}

export type SavingRow = Static<typeof savingDaily.row>

/** Milliseconds for which a count is valid without another one. */
const seenMs = 2 * 3_600_000
/** Minimum milliseconds between rows of a day while the number stays the same. */
const writeMs = 3_600_000
/** As with stops, savings end after this many months. */
const monthsMax = 12
const places = 14
const hourMs = 3_600_000n

/** Starts at the first change: `baseline` units before it, `units` after it. */
export function begunSaving(baseline: number, { at, units }: UnitCount): PolicySaving {
  const time = new Date(at).toISOString()
  return { baseline, since: time, at: time, units, sum: '0', writtenAt: '' }
}

/**
 * Adds a count. Counts must come in order of time; older ones are ignored. Each row has the total of a day so far and
 * replaces the row before it of that day. Rows are written for days that have ended, and for today when the number
 * changes, when the policy loses control of the target, and otherwise once an hour.
 */
export function addCount(
  before: PolicySaving,
  count: UnitCount,
  of: SavedOf,
): { saving: PolicySaving; rows: SavingRow[] } {
  const from = Date.parse(before.at)
  if (count.at <= from) return { saving: before, rows: [] }
  const today = dayOf(count.at)
  const rows: SavingRow[] = []
  let { sum, writtenAt } = before
  for (const day of days(dayOf(from), today)) {
    const isFirst = day === dayOf(from)
    const carried = isFirst ? BigInt(sum) : 0n
    const total = carried + unitsOn(before, count.at, day, of.unitUsd)
    if (!isFirst) writtenAt = ''
    const isOver = day < today
    if ((total > 0n || writtenAt !== '') && (isOver || isDue(before, count, writtenAt))) {
      rows.push(rowOf(of, day, total))
      writtenAt = new Date(count.at).toISOString()
    }
    sum = String(total)
  }
  const at = new Date(count.at).toISOString()
  return { saving: { ...before, at, units: count.units, sum, writtenAt }, rows }
}

const isDue = (before: PolicySaving, { at, units }: UnitCount, writtenAt: string): boolean =>
  units !== before.units || writtenAt === '' || at - Date.parse(writtenAt) >= writeMs

/** The part of `day` from the last count up to `to` for which that count is valid, in the unit of `sum`. */
function unitsOn(
  { baseline, since, at, units }: PolicySaving,
  to: number,
  day: string,
  unitUsd: number | null,
): bigint {
  if (units === null || unitUsd === null) return 0n
  const fewer = Math.max(0, baseline - Math.ceil(units))
  const begin = startOf(day)
  const from = Date.parse(at)
  const end = Math.min(to, from + seenMs, longest(since), begin + 86_400_000)
  const ms = end - Math.max(from, begin)
  return ms > 0 ? (toUnits(unitUsd, places) ?? 0n) * BigInt(fewer) * BigInt(ms) : 0n
}

function longest(since: string): number {
  const at = new Date(since)
  return at.setUTCMonth(at.getUTCMonth() + monthsMax)
}

function rowOf(of: SavedOf, day: string, total: bigint): SavingRow {
  const usd = plain((total + hourMs / 2n) / hourMs, places)
  return {
    org_id: of.orgId,
    day,
    cloud_account_id: of.cloudAccountId,
    resource_uid: of.targetUid,
    source: 'autoscaler',
    source_id: of.policyId,
    provider: of.provider,
    region: of.region,
    service_name: '',
    resource_type: of.targetType,
    purchase_type: '',
    saved: usd,
    basis: 'observed',
    estimated: null,
    observed: usd,
    verified: null,
    claim_id: uuidOf('saving', of.orgId, of.policyId),
    rule_id: '',
    category: '',
    reason: 'units',
  }
}

/** Adds the current units to the savings, as long as the policy controls the target. */
export function countSaving(row: AutoscalerPolicy, turn: Turn): void {
  if (!row.saving) return
  const { orgId, place: cloudAccountId } = turn.address
  const { targetUid, policyId, provider, targetType, unitUsd = null } = row
  // What a stop saves counts as a saving of the stop.
  const isStopped = !!row.stop || (row.current.desired === 0 && row.min > 0)
  const isHeld = row.status === 'active' && row.effectiveMode === 'autopilot' && !isStopped
  const count = { at: turn.now.getTime(), units: isHeld ? row.current.desired : null }
  const of = { orgId, cloudAccountId, targetUid, policyId, provider, region: '', targetType, unitUsd }
  const { saving, rows } = addCount(row.saving, count, of)
  row.saving = saving
  for (const one of rows) turn.append(savingDaily, one, turn.now)
}
