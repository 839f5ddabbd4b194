/** The state of a rule on a resource, carried from one replayed day to the next. */
import { staleMs, type RuleOutcome } from '#actors/recommendation/audit/entity.ts'
import type { SheetFinding } from '#actors/recommendation/audit/fact-sheet.ts'
import type { WeighedFinding } from '#actors/recommendation/audit/weigh.ts'

/** The state of a rule between two days. */
export interface ReplayedRule {
  outcome: RuleOutcome | undefined
  isOpen: boolean
  isStale: boolean
  usd: number
}

const readSheetRule = (one: SheetFinding | undefined): ReplayedRule => ({
  outcome: one && { o: one.o, ...(one.since && { since: one.since }), ...(one.held && { held: one.held }) },
  isOpen: one?.open !== undefined,
  isStale: one?.open === 'stale',
  usd: one?.usd ?? 0,
})

const untold = readSheetRule(undefined)

/**
 * The state before a sheet is judged. On the first day it is the recorded one. Later it is the replayed one, plus
 * recorded events between the two sheets that no parameter explains: raised or ended while the rule could not tell, or
 * restarted. `now`, `then`: the records of this sheet and of the one before.
 */
export function carryRule(
  own: ReplayedRule | undefined,
  now: SheetFinding | undefined,
  then: SheetFinding | undefined,
  isFirst: boolean,
): ReplayedRule {
  if (isFirst || !own) return now ? readSheetRule(now) : untold
  if (!now && !then) return own
  const [is, was] = [readSheetRule(now), readSheetRule(then)]
  return {
    ...own,
    outcome: is.outcome ? outcomeBetween(own.outcome, is, was) : own.outcome,
    isOpen: isOpenBetween(own, is, was),
    usd: isHeld(is) && is.usd !== was.usd ? is.usd : own.usd,
  }
}

const isHeld = ({ outcome }: ReplayedRule): boolean => outcome?.o === 'h'

function isOpenBetween(own: ReplayedRule, is: ReplayedRule, was: ReplayedRule): boolean {
  if (is.isOpen === was.isOpen || !is.isOpen) return is.isOpen === was.isOpen && own.isOpen
  // The sheet has it open although the rule cannot tell, or is held back: so it was raised earlier that day.
  return own.isOpen || isHeld(is) || (is.outcome?.o === 'f' && is.usd === 0)
}

function outcomeBetween(own: RuleOutcome = { o: 'c' }, is: ReplayedRule, was: ReplayedRule): RuleOutcome {
  const since = sinceBetween(own.since, is.outcome?.since, was.outcome?.since)
  const { o, held } = heldBetween(own, is, was)
  return { o, ...(since !== undefined && { since }), ...(held !== undefined && { held }) }
}

/** Takes the recorded start of holding, unless the replay already counts from another one. */
function heldBetween(own: RuleOutcome, is: ReplayedRule, was: ReplayedRule): Pick<RuleOutcome, 'o' | 'held'> {
  const isFollowed = isHeld(was) || (is.isOpen && !was.isOpen)
  const isNews = own.o !== 'h' || (isFollowed && is.outcome?.held !== was.outcome?.held)
  return isHeld(is) && isNews ? is.outcome! : own
}

/** If it was restarted, it counts from then; if it started in between, too, unless it already counts. */
function sinceBetween(own: string | undefined, is: string | undefined, was: string | undefined): string | undefined {
  if (was === undefined) return own ?? is
  return is !== undefined && is !== was ? is : own
}

/** The state after judging a sheet. Without an outcome the rule does not apply to the resource. */
export function advanceRule(
  before: ReplayedRule,
  outcome: RuleOutcome | undefined,
  weighed: WeighedFinding | undefined,
  at: number,
): ReplayedRule {
  if (!outcome || outcome.o === 'c') return { outcome, isOpen: false, isStale: false, usd: 0 }
  if (outcome.o === 'f') {
    const isOpen = weighed!.heldBackBy === '' || before.isOpen
    return { outcome, isOpen, isStale: false, usd: isOpen ? weighed!.netUsd : 0 }
  }
  const isStale = before.isOpen && at - Date.parse(outcome.held!) >= staleMs
  return { outcome, isOpen: before.isOpen, isStale, usd: before.usd }
}
