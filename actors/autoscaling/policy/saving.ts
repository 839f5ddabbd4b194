/**
 * What an autopilot policy saves: the units that its target was counted to have fewer than before the policy changed it first, at the
 * price of a unit. Pure: what is told of one count after the other adds up the same however often it is counted in between.
 */
import { savingDaily } from '#analytics/saving/tables.ts'
import { dayOf, days, startOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { AutoscalerPolicy, PolicySaving } from '#actors/autoscaling/entity.ts'

/** What a target was found to have. */
export interface UnitCount {
  /** Milliseconds since 1970. */
  at: number
  /** Null where the policy does not hold it from then on. */
  units: number | null
}

/** Whose saving it is, and what a unit costs. */
export interface SavedOf {
  orgId: string
  cloudAccountId: string
  targetUid: string
  policyId: string
  provider: string
  /** Empty where nobody knows. */
  region: string
  targetType: string
  /** US dollars an hour; null: nothing is counted for what nobody has a price of. */
  unitUsd: number | null
}

export type SavingRow = Static<typeof savingDaily.row>

/** Of a count that nobody has repeated for longer nothing is known any more. */
const seenMs = 2 * 3_600_000
/** Between rows of a day on which the number stays the same. */
const writeMs = 3_600_000
/** As with stops: a saving is not eternal. */
const monthsMax = 12
const places = 14
const hourMs = 3_600_000n

/** From the first change on: `baseline` units before it, `units` behind it. */
export function begunSaving(baseline: number, { at, units }: UnitCount): PolicySaving {
  const time = new Date(at).toISOString()
  return { baseline, since: time, at: time, units, sum: '0', writtenAt: '' }
}

/**
 * Takes one count after the other, in the order of time; an older one changes nothing. Rows are whole days so far, each in place of the
 * row of that day before it: those of days that are over, and of today once an hour, when the number is another, and when it is held
 * no longer.
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

/** Of the time from the count before up to `to`, as far as it is of the day and the count was good for it. */
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

/** What the target has by now counts, as long as the policy holds it. */
export function countSaving(row: AutoscalerPolicy, turn: Turn): void {
  if (!row.saving) return
  const { orgId, place: cloudAccountId } = turn.address
  const { targetUid, policyId, provider, targetType, unitUsd = null } = row
  // What was stopped is saved by its stop.
  const isStopped = !!row.stop || (row.current.desired === 0 && row.min > 0)
  const isHeld = row.status === 'active' && row.effectiveMode === 'autopilot' && !isStopped
  const count = { at: turn.now.getTime(), units: isHeld ? row.current.desired : null }
  const of = { orgId, cloudAccountId, targetUid, policyId, provider, region: '', targetType, unitUsd }
  const { saving, rows } = addCount(row.saving, count, of)
  row.saving = saving
  for (const one of rows) turn.append(savingDaily, one, turn.now)
}
