import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { costFact, costLineDay } from '#analytics/cost/tables.ts'
import type { Row } from '#engine/actor/table.ts'
import { sequenceOf } from '#engine/lane/message/mailbox.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { costLine, type CostLine } from '#streams/billing/line/cost-line.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { takeExportLine } from '#actors/account/export/export.ts'
import { rowOf } from './fact.ts'
import { isDated, lineKey, type AccountNeeds, type Standing } from '#actors/account/needs.ts'

/**
 * Puts a line of a bill among the facts. A restatement that moves it to another day takes it off the old one: there a
 * deleted row replaces it, and both days are worked out anew. Returns the line as it was read.
 * @throws Fault `invalid` when the line is refused (see `costLine` and `takeExportLine`)
 */
export function takeLine(account: CloudAccount, data: BillingLine, turn: Turn): CostLine {
  const line = costLine(data, turn.message.time)
  if (data.exportId !== undefined) {
    takeExportLine(account, data, line, turn)
    return line
  }
  const exported = new Date(`${line.x_ExportedAt}Z`)
  if (isDated(line.x_LineId, line.x_Day) || placed(line, exported, turn)) appendFact(line, exported, turn)
  return line
}

/** Notes on which day the line stands. False when a later export has said where: then this one says nothing. */
function placed(line: CostLine, exported: Date, turn: Turn): boolean {
  const { orgId, place } = turn.address
  const key = lineKey(orgId, place, line.x_LineId)
  const known =
    (turn.scratch.get(key) as Standing | undefined) ?? (turn.needs as AccountNeeds).lines.get(key) ?? named(line)
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
 * It may be a repeat, of a batch whose rows are there and whose marks are not: the days it spoke of then are marked. Where the
 * rows are of another attempt at this very batch, the line still comes from where it came then.
 */
function passOver(line: CostLine, key: string, known: Standing, version: bigint, turn: Turn): void {
  markDays([line.x_Day, ...known.from], turn)
  if (isOfThisBatch(known, version)) turn.scratch.set(key, known)
}

/** Written by another attempt at this message or at one behind it: nothing of it is committed. */
const isOfThisBatch = (known: Standing | undefined, version: bigint): boolean =>
  known !== undefined && sequenceOf(known.version) >= sequenceOf(version)

/**
 * The days the line left in this batch, or in the one that put it where it stands: a replay of any part of that, which finds
 * rows of its own, marks them once more. Of a line that moves on and on the last few are kept.
 */
function daysLeft(known: Standing | undefined, movedFrom: string | null, isHere: boolean): string[] {
  const before = movedFrom === null || isHere ? (known?.from ?? []) : []
  return [...new Set([...before, ...(movedFrom === null ? [] : [movedFrom])])].slice(-leftMax)
}

/** Days that a line left which are kept with it. */
const leftMax = 40

/** Makes a row of the line itself: a copy of so many columns would cost as much as reading it did. */
function fact(orgId: string, line: CostLine): Row<typeof costFact> {
  line['x_Lone'] = 1
  return rowOf(orgId, line)
}

function markDays(days: readonly string[], turn: Turn): void {
  for (const day of days) markDay(day, turn)
}

/** Once in a mailbox: a bill says the same few days in every line. */
function markDay(day: string, turn: Turn): void {
  const noted = `marked/${day}`
  if (turn.scratch.has(noted)) return
  turn.scratch.set(noted, true)
  turn.mark(costDays, costDayKey({ cloudAccountId: turn.address.place, day }))
}

/** A line whose id names a day it does not stand on may have stood there under the same id. */
function named(line: CostLine): Standing | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})\//.exec(line.x_LineId)?.[1]
  return day === undefined ? undefined : { day, from: [], version: 0n }
}

function appendFact(line: CostLine, exported: Date, turn: Turn): void {
  turn.append(costFact, fact(turn.address.orgId, line), exported)
  markDay(line.x_Day, turn)
}
