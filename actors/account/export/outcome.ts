/** Reports the outcome of an export: stored with the account, sent to the sync of its bills, and published. */
import { formatDecimal } from '#engine/value/decimal.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { billingExportTold } from '#streams/billing/sync.ts'
import { billChanged } from '#streams/live/messages.ts'
import { toldMax, type Amount, type OpenExport, type ToldExport } from '#actors/account/bill/bills.ts'
import type { CloudAccount } from '#actors/account/entity.ts'

/** The size of the bill of one billing period, before and after. */
export interface PeriodChange {
  period: string
  before: Amount
  after: Amount
}

export function tellOutcome(
  { bills }: CloudAccount,
  open: OpenExport,
  state: Exclude<ToldExport['state'], 'removed'>,
  periods: readonly PeriodChange[],
  turn: Turn,
): void {
  const { id, at } = open
  const { place: cloudAccountId } = turn.address
  bills.told = [...bills.told, { id, at, state, periods: [...periods], on: turn.now.toISOString() }].slice(-toldMax)
  turn.tell(billChanged, { cloudAccountID: cloudAccountId, exportID: id, state }, { cloudAccountID: cloudAccountId })
  if (state === 'over') return
  turn.emit(billingExportTold, { cloudAccountId, exportId: id, state, message: messageOf(open, state, periods) })
  turn.publish('billing', `billing.export_${state}`, { cloudAccountId, exportId: id, exportedAt: at, periods })
}

/** Reports that an admin removed the export: nothing is left to do about it. */
export function tellRemoved(
  { bills }: CloudAccount,
  { id, at }: Pick<OpenExport, 'id' | 'at'>,
  changes: readonly PeriodChange[],
  removedBy: string,
  turn: Turn,
): void {
  const { place: cloudAccountId } = turn.address
  const periods = changes.map(({ period, before, after }) => ({ period, before, after }))
  bills.told = [...bills.told, { id, at, state: 'removed' as const, periods, on: turn.now.toISOString() }].slice(
    -toldMax,
  )
  turn.tell(
    billChanged,
    { cloudAccountID: cloudAccountId, exportID: id, state: 'removed' },
    { cloudAccountID: cloudAccountId },
  )
  turn.emit(billingExportTold, { cloudAccountId, exportId: id, state: 'removed', message: '' })
  turn.publish('billing', 'billing.export_removed', {
    cloudAccountId,
    exportId: id,
    exportedAt: at,
    periods,
    removedBy,
  })
}

const text = ({ lines, billed }: Amount): string => `${lines} lines, ${formatDecimal(billed, 2)} USD`

function messageOf(open: OpenExport, state: ToldExport['state'], periods: readonly PeriodChange[]): string {
  if (state === 'replaced') return ''
  const name = `The export of ${open.at}`
  if (state === 'incomplete') {
    const told = Object.values(open.periods).reduce((sum, lines) => sum + lines, 0)
    const parts = open.parts ? `; ${Object.keys(open.parts.got).length} of ${open.parts.of} parts were received` : ''
    const of = Object.keys(open.periods).toSorted().slice(0, 3).join(', ')
    return `${name} (${of}) is incomplete: ${open.counted} of ${told} lines arrived${parts}. Nothing was replaced. Rejected lines are in the dead letters.`
  }
  const shrinking = periods.map(({ period, before, after }) => `${period}: ${text(before)} to ${text(after)}`)
  const list = shrinking.slice(0, 3).join('; ')
  return `${name} is on hold because it is less than half of the bill it would replace (${list}). Nothing is replaced until you confirm it.`
}
