/** What counts that a table was written: see `Editions`. Answers are kept of these tables alone. */
import { tables } from '#analytics/index.ts'
import { costDays, workedOutTables } from '#analytics/rollup/cost-rollup.ts'
import { costTypes } from '#analytics/rollup/cost-type.ts'
import { securityTables } from '#analytics/security/tables.ts'
import { closedTables } from '#analytics/snapshot/assignments.ts'
import { snapshotState } from '#analytics/snapshot/tables.ts'

/** Rows of people are forgotten here behind the back of those who count. */
const uncounted: ReadonlySet<string> = new Set(securityTables.map(({ name }) => name))

export const writers: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...tables.filter(({ name }) => !uncounted.has(name)).map(({ name }) => [name, [name]] as const),
  ...workedOutTables.map((name) => [name, [costDays.name, costTypes.name]] as const),
  // Written before the month counts as closed, and never again.
  ...closedTables.map((name) => [name, [snapshotState.name]] as const),
])

/** The projections among them. */
export const countedProjections: readonly string[] = [costDays.name, costTypes.name]
