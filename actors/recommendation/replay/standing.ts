/** How far a rule is with a resource from one day to the next, where days are judged again. */
import { staleMs, type RuleOutcome } from '#actors/recommendation/audit/entity.ts'
import type { SheetFinding } from '#actors/recommendation/audit/sheet.ts'
import type { Weighed } from '#actors/recommendation/audit/weigh.ts'

/** How far a rule is between two days. */
export interface Standing {
  outcome: RuleOutcome | undefined
  isOpen: boolean
  isStale: boolean
  usd: number
}

const recorded = (one: SheetFinding | undefined): Standing => ({
  outcome: one && { o: one.o, ...(one.since && { since: one.since }), ...(one.held && { held: one.held }) },
  isOpen: one?.open !== undefined,
  isStale: one?.open === 'stale',
  usd: one?.usd ?? 0,
})

const untold = recorded(undefined)

/**
 * As it stood before a sheet: of the first one as it was found; else as it came to by these figures, and what is known to have happened
 * between the two sheets, which no figure explains: told or ended while nothing was known, begun anew.
 */
export function carried(
  own: Standing | undefined,
  now: SheetFinding | undefined,
  then: SheetFinding | undefined,
  isFirst: boolean,
): Standing {
  if (isFirst || !own) return now ? recorded(now) : untold
  if (!now && !then) return own
  const [is, was] = [recorded(now), recorded(then)]
  return {
    ...own,
    outcome: is.outcome ? outcomeBetween(own.outcome, is, was) : own.outcome,
    isOpen: isOpenBetween(own, is, was),
    usd: isHeld(is) && is.usd !== was.usd ? is.usd : own.usd,
  }
}

const isHeld = ({ outcome }: Standing): boolean => outcome?.o === 'h'

function isOpenBetween(own: Standing, is: Standing, was: Standing): boolean {
  if (is.isOpen === was.isOpen || !is.isOpen) return is.isOpen === was.isOpen && own.isOpen
  // Told of though the sheet cannot tell, or though another stands before it: so it was told of earlier that day.
  return own.isOpen || isHeld(is) || (is.outcome?.o === 'f' && is.usd === 0)
}

function outcomeBetween(own: RuleOutcome = { o: 'c' }, is: Standing, was: Standing): RuleOutcome {
  const since = sinceBetween(own.since, is.outcome?.since, was.outcome?.since)
  const { o, held } = heldBetween(own, is, was)
  return { o, ...(since !== undefined && { since }), ...(held !== undefined && { held }) }
}

/** Not known since the moment of the record, where nobody has counted from another one. */
function heldBetween(own: RuleOutcome, is: Standing, was: Standing): Pick<RuleOutcome, 'o' | 'held'> {
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
export function standing(
  before: Standing,
  outcome: RuleOutcome | undefined,
  weighed: Weighed | undefined,
  at: number,
): Standing {
  if (!outcome || outcome.o === 'c') return { outcome, isOpen: false, isStale: false, usd: 0 }
  if (outcome.o === 'f') {
    const isOpen = weighed!.heldBackBy === '' || before.isOpen
    return { outcome, isOpen, isStale: false, usd: isOpen ? weighed!.netUsd : 0 }
  }
  const isStale = before.isOpen && at - Date.parse(outcome.held!) >= staleMs
  return { outcome, isOpen: before.isOpen, isStale, usd: before.usd }
}
