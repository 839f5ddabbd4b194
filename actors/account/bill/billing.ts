/** Bill lines that reach an account: which of them count, their facts in ClickHouse, and the days to recompute. */
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { costFact, costLineDay } from '#analytics/cost/tables.ts'
import type { TableRow } from '#engine/actor/table.ts'
import { sequenceOf } from '#engine/lane/message/mailbox.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { costLine, type CostLine } from '#streams/billing/line/cost-line.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { takeExportLine } from '#actors/account/export/export.ts'
import { rowOf } from './fact.ts'
import { isDated, lineKey, type AccountNeeds, type LineDay } from '#actors/account/needs.ts'

/**
 * Adds a bill line to the facts. If a restatement moves the line to another day, a deleted row replaces it on the old
 * day, and both days are recomputed. Returns the parsed line.
 * @throws Fault `invalid` if the line is refused (see `costLine` and `takeExportLine`)
 */
export function takeLine(account: CloudAccount, data: BillingLine, turn: Turn<AccountNeeds>): CostLine {
  const line = costLine(data, turn.message.time)
  if (data.exportId !== undefined) {
    takeExportLine(account, data, line, turn)
    return line
  }
  const exported = new Date(`${line.x_ExportedAt}Z`)
  if (isDated(line.x_LineId, line.x_Day) || recordLineDay(line, exported, turn)) appendFact(line, exported, turn)
  return line
}

/** Records the day of the line. False if a later export has already set it: then this line changes nothing. */
function recordLineDay(line: CostLine, exported: Date, turn: Turn<AccountNeeds>): boolean {
  const { orgId, place } = turn.address
  const key = lineKey(orgId, place, line.x_LineId)
  const known = (turn.scratch.get(key) as LineDay | undefined) ?? turn.needs.lines.get(key) ?? parseLineDay(line)
  const version = turn.version(exported)
  if (known !== undefined && known.version > version) {
    passOver(line, key, known, version, turn)
    return false
  }
  const movedFrom = known !== undefined && known.day !== line.x_Day ? known.day : null
  if (movedFrom !== null) {
    const gone = { ...line, x_Day: movedFrom, ChargePeriodStart: `${movedFrom}T00:00:00`, x_Deleted: 1 }
    turn.append(costFact, fact(orgId, gone), exported)
  }
  const from = daysLeft(known, movedFrom, turn.scratch.has(key) || isOfThisBatch(known, version))
  markDays(from, turn)
  const left = { from_day: from[0] ?? null, from_days: from.join(',') }
  const row = { org_id: orgId, cloud_account_id: place, line_id: line.x_LineId, day: line.x_Day, ...left }
  turn.append(costLineDay, row, exported)
  turn.scratch.set(key, { day: line.x_Day, from, version })
  return true
}

/**
 * The line may be a repeat, from a batch whose rows are stored but whose marks are not: the days it affected are marked
 * again. If the rows are from another attempt at this very batch, the line still moves from the day it moved from then.
 */
function passOver(line: CostLine, key: string, known: LineDay, version: bigint, turn: Turn<AccountNeeds>): void {
  markDays([line.x_Day, ...known.from], turn)
  if (isOfThisBatch(known, version)) turn.scratch.set(key, known)
}

/** Written by another attempt at this message or a later one: none of it is committed. */
const isOfThisBatch = (known: LineDay | undefined, version: bigint): boolean =>
  known !== undefined && sequenceOf(known.version) >= sequenceOf(version)

/**
 * The days the line left in this batch, or in the one that moved it to its current day: a replay of any part of that
 * batch finds its own rows and marks these days again. For a line that keeps moving, the last few are kept.
 */
function daysLeft(known: LineDay | undefined, movedFrom: string | null, isHere: boolean): string[] {
  const before = movedFrom === null || isHere ? (known?.from ?? []) : []
  return [...new Set([...before, ...(movedFrom === null ? [] : [movedFrom])])].slice(-leftMax)
}

/** Maximum previous days kept with a line. */
const leftMax = 40

/** Uses the line object itself as the row: copying so many columns would cost as much as parsing it. */
function fact(orgId: string, line: CostLine): TableRow<typeof costFact> {
  line['x_Lone'] = 1
  return rowOf(orgId, line)
}

function markDays(days: readonly string[], turn: Turn<AccountNeeds>): void {
  for (const day of days) markDay(day, turn)
}

/** Once per mailbox, because a bill repeats the same few days in every line. */
function markDay(day: string, turn: Turn<AccountNeeds>): void {
  const noted = `marked/${day}`
  if (turn.scratch.has(noted)) return
  turn.scratch.set(noted, true)
  turn.mark(costDays, costDayKey({ cloudAccountId: turn.address.place, day }))
}

/** A line whose id names another day than its own may have been on that day under the same id. */
function parseLineDay(line: CostLine): LineDay | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})\//.exec(line.x_LineId)?.[1]
  return day === undefined ? undefined : { day, from: [], version: 0n }
}

function appendFact(line: CostLine, exported: Date, turn: Turn<AccountNeeds>): void {
  turn.append(costFact, fact(turn.address.orgId, line), exported)
  markDay(line.x_Day, turn)
}
