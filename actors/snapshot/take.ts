/** Closes a month once: stores its totals and the teams of its resources (decisions G-24, G-45). */
import { lastOf } from '#engine/value/day.ts'
import type { JobRun } from '#streams/job.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import { costTotal } from '#analytics/cost/questions.ts'
import { periodResources } from '#analytics/resource/questions.ts'
import { everything } from '#analytics/store/slice.ts'
import { keepAssignments } from '#analytics/snapshot/assignments.ts'
import { Fault } from '#engine/value/fault.ts'
import { snapshotTaken } from '#streams/snapshot.ts'

type SnapshotTools = Pick<Tools, 'reads' | 'ask' | 'shards' | 'publisher' | 'cost' | 'saved'>

/** The job: closes the month before the run, or the one it names. A month without any cost is closed with zeros. */
export function snapshotJob(tools: SnapshotTools): JobWork {
  return async (run, { orgId, key }) => {
    const period = periodOf(run)
    if (await isClosed(tools, orgId, period)) return period
    const taken = await totals(tools, orgId, period)
    await tools.shards.write(orgId, (ch) => keepAssignments(ch, orgId, period))
    const data = { period, ...taken }
    await tools.publisher.publish({ subject: snapshotTaken, orgId, data, id: `${key}/taken` })
    return period
  }
}

/** @throws Fault `refused` `month_not_over` for the month of the run and later ones */
function periodOf({ at, period }: Pick<JobRun, 'at' | 'period'>): string {
  const current = at.slice(0, 7)
  const wanted = period ?? monthsAfter(current, -1)
  if (wanted < current) return wanted
  throw Fault.refused('month_not_over', `${wanted} has not ended yet.`)
}

/** The month `months` after `period`, YYYY-MM. */
function monthsAfter(period: string, months: number): string {
  const [year, month] = period.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 + months)).toISOString().slice(0, 7)
}

async function isClosed({ reads }: SnapshotTools, orgId: string, period: string): Promise<boolean> {
  const found = await reads.rows('select from snapshot where org_id = $1 and period = $2', [orgId, period])
  return found.length > 0
}

async function totals({ ask, cost, saved }: SnapshotTools, org: string, period: string) {
  const last = lastOf(period)
  const question = {
    org,
    from: `${period}-01`,
    to: last,
    as_of: '',
    saved,
    ...everything,
    tag_keys: [],
    tag_values: [],
  }
  const [[sums], [counted]] = await Promise.all([
    ask(costTotal, { ...question, cost }),
    ask(periodResources, { ...question, billed_only: 0 }),
  ])
  return {
    totalCostUSD: sums?.cost_usd ?? '0',
    totalSavingsUSD: sums?.savings_usd ?? '0',
    resourceCount: counted?.resources ?? 0,
  }
}
