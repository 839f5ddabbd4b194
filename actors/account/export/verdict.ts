/** What became of an export that was sent, as its account tells it. */
import type { Amount, Bills, OpenExport } from '#actors/account/bill/bills.ts'
import { missingParts, type ExportIdentity } from './bill-export.ts'

/**
 * `reading`: the end has not been reached. `waiting`: lines or parts are missing; `incomplete`: and none has come for a while.
 * `removed`: by an admin. `unknown`: its end was set aside, or it was forgotten since.
 */
type State = 'replaced' | 'over' | 'held' | 'waiting' | 'incomplete' | 'removed' | 'reading' | 'unknown'

export interface PeriodOutcome {
  period: string
  /** What stood there, null where that is not known; and what this export comes to, null until it is counted. */
  before: Amount | null
  after: Amount | null
}

export interface Verdict {
  state: State
  periods: PeriodOutcome[]
  /** Numbers of the parts that are still to be sent. */
  missing: number[]
  open?: OpenExport
}

/** What is known of the export once its end has been read. */
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
