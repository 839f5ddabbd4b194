/**
 * Removes lines that were sent individually. Each gets a deleted row with its own time, which is replaced if the line
 * is sent again.
 */
import type { LoneLine } from '#analytics/billing/lone-line.ts'
import { costFact } from '#analytics/cost/tables.ts'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { sequenceOf } from '#engine/lane/message/mailbox.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { loneLinesRemoved } from '#streams/billing/removal.ts'
import { loneLinesMax } from './bill-needs.ts'
import { accountKey, type AccountNeeds } from '#actors/account/needs.ts'

/** Removes the lines that arrived up to now; lines sent later stay. */
export function removeLoneLines(turn: Turn<AccountNeeds>): void {
  const { place: cloudAccountId } = turn.address
  const sequence = String(sequenceOf(turn.version(turn.now)))
  turn.emit(loneLinesRemoved, { cloudAccountId, sequence, afterDay: '1900-01-01', afterLineId: '' })
}

export function removeLoneLinePage(
  _: object,
  { sequence }: Static<typeof loneLinesRemoved.schema>,
  turn: Turn<AccountNeeds>,
): void {
  const { orgId, place: cloudAccountId } = turn.address
  const lines = turn.needs.lone.get(accountKey(orgId, cloudAccountId)) ?? []
  for (const line of lines) {
    turn.append(costFact, deletedRow(orgId, cloudAccountId, line), new Date(`${line.exportedAt}Z`))
  }
  for (const day of new Set(lines.map((line) => line.day))) turn.mark(costDays, costDayKey({ cloudAccountId, day }))
  const last = lines.at(-1)
  if (last === undefined || lines.length < loneLinesMax) return
  turn.emit(loneLinesRemoved, { cloudAccountId, sequence, afterDay: last.day, afterLineId: last.lineId })
}

const deletedRow = (orgId: string, account: string, { day, lineId, provider, exportedAt }: LoneLine) => ({
  x_OrgId: orgId,
  x_CloudAccountId: account,
  x_Day: day,
  x_LineId: lineId,
  x_Provider: provider,
  x_PurchaseType: 'on_demand',
  x_Source: 'actual',
  x_ExportedAt: exportedAt,
  ChargePeriodStart: `${day}T00:00:00`,
  ChargePeriodEnd: `${day}T00:00:00`,
  x_Deleted: 1,
  x_Lone: 1,
})
