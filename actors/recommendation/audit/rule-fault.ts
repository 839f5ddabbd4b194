/**
 * Counts rules that threw in this process. Each time is a defect of the rule or of the rule engine; other rules
 * continue.
 */

/** Number of faults by rule id. */
const counts = new Map<string, number>()

export const ruleFaults: ReadonlyMap<string, number> = counts

let onFirstFault: (ruleId: string, error: unknown) => void = () => {}

/** Reports the first fault of each rule from now on; others are only counted. */
export function tellRuleFaults(tell: typeof onFirstFault): void {
  onFirstFault = tell
}

export function ruleFailed(ruleId: string, error: unknown): void {
  const times = counts.get(ruleId) ?? 0
  counts.set(ruleId, times + 1)
  if (times === 0) onFirstFault(ruleId, error)
}
