/** The outcome of an export that was sent, as its account reports it. */
import type { Amount, Bills, OpenExport } from '#actors/account/bill/bills.ts'
import { missingParts, type ExportIdentity } from './bill-export.ts'

/**
 * `reading`: the end has not been processed yet. `waiting`: lines or parts are missing; `incomplete`: and none has
 * arrived for a while. `over`: a newer export is shown in all its periods. `removed`: by an admin. `unknown`: its end
 * was dead-lettered, or the export has been forgotten since.
 */
type State = 'replaced' | 'over' | 'held' | 'waiting' | 'incomplete' | 'removed' | 'reading' | 'unknown'

export interface PeriodOutcome {
  period: string
  /** Size of the bill shown before, null if not known. `after`: the size of this export, null until it is counted. */
  before: Amount | null
  after: Amount | null
}

export interface Verdict {
  state: State
  periods: PeriodOutcome[]
  /** Numbers of the parts that still have to be sent. */
  missing: number[]
  open?: OpenExport
}

/** What is known of the export once its end has been processed. */
export function verdictOf({ shown, open, told }: Bills, { id }: ExportIdentity): Verdict {
  const outcome = told.findLast((one) => one.id === id)
  const still = open.find((one) => one.id === id)
  if (still) {
    const periods = still.state === 'held' ? (outcome?.periods ?? []) : []
    return { state: still.state, periods, missing: missingParts(still), open: still }
  }
  if (outcome) return { state: outcome.state, periods: outcome.periods, missing: [] }
  const mine = Object.entries(shown).filter(([, bill]) => bill.id === id && bill.complete)
  const periods = mine.map(([period, { amount }]) => ({ period, before: null, after: amount }))
  return { state: mine.length > 0 ? 'replaced' : 'unknown', periods, missing: [] }
}
