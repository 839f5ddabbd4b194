/** How far a rule is with a resource from one day to the next, where days are judged again. */
import { staleMs, type RuleOutcome } from '#actors/recommendation/audit/entity.ts'
import type { SheetFinding } from '#actors/recommendation/audit/fact-sheet.ts'
import type { WeighedFinding } from '#actors/recommendation/audit/weigh.ts'

/** How far a rule is between two days. */
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
 * As it stood before a sheet: of the first one as it was found; else as it came to by these figures, and what is known to have happened
 * between the two sheets, which no figure explains: told or ended while nothing was known, begun anew.
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
  // Told of though the sheet cannot tell, or though another stands before it: so it was told of earlier that day.
  return own.isOpen || isHeld(is) || (is.outcome?.o === 'f' && is.usd === 0)
}

function outcomeBetween(own: RuleOutcome = { o: 'c' }, is: ReplayedRule, was: ReplayedRule): RuleOutcome {
  const since = sinceBetween(own.since, is.outcome?.since, was.outcome?.since)
  const { o, held } = heldBetween(own, is, was)
  return { o, ...(since !== undefined && { since }), ...(held !== undefined && { held }) }
}

/** Not known since the moment of the record, where nobody has counted from another one. */
function heldBetween(own: RuleOutcome, is: ReplayedRule, was: ReplayedRule): Pick<RuleOutcome, 'o' | 'held'> {
  const isFollowed = isHeld(was) || (is.isOpen && !was.isOpen)
  const isNews = own.o !== 'h' || (isFollowed && is.outcome?.held !== was.outcome?.held)
  return isHeld(is) && isNews ? is.outcome! : own
}

/** Begun anew, it counts anew; begun in between, it counts from then on unless it counts already. */
function sinceBetween(own: string | undefined, is: string | undefined, was: string | undefined): string | undefined {
  if (was === undefined) return own ?? is
  return is !== undefined && is !== was ? is : own
}

/** As the sheet leaves it; no outcome: the rule is not applied to the resource. */
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
