/** Rules that threw in this process: each time is a defect of the rule or of its engine, and the others go on. */

/** By the id of the rule. */
const counts = new Map<string, number>()

export const ruleFaults: ReadonlyMap<string, number> = counts

let onFirstFault: (ruleId: string, error: unknown) => void = () => {}

/** Tells of the first time that each rule throws from now on; the others are counted. */
export function tellRuleFaults(tell: typeof onFirstFault): void {
  onFirstFault = tell
}

export function ruleFailed(ruleId: string, error: unknown): void {
  const times = counts.get(ruleId) ?? 0
  counts.set(ruleId, times + 1)
  if (times === 0) onFirstFault(ruleId, error)
}
