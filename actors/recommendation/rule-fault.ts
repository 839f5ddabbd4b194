/** Rules that threw in this process: each time is a defect of the rule or of its engine, and the others go on. */

/** By the id of the rule. */
const counts = new Map<string, number>()

export const ruleFaults: ReadonlyMap<string, number> = counts

export const ruleFailed = (ruleId: string, _error: unknown): void =>
  void counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1)
