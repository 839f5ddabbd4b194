import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayKey } from '#analytics/rollup/day-batch.ts'
import { findCostedDays } from '#analytics/rollup/stale-day/outdated-day.ts'
import { dayOf, startOf } from '#engine/value/day.ts'
import { orgCommand } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { org, readAs, requiredText, toggle } from '#config/command/line/flag.ts'
import { notRunning } from '#config/command/line/engine.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'

const day = (about: string) =>
  readAs(requiredText('DAY', `${about}, as YYYY-MM-DD (UTC)`), (given, name) => {
    const at = startOf(given)
    if (/^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(at) && dayOf(at) === given) return given
    throw new UsageError(`${name} must be a day such as 2026-01-31, got "${given}"`)
  })

/** Marks written by one statement. */
const marksAtOnce = 5000

export const rebuildCommand = orgCommand({
  name: 'rebuild',
  summary: 'Recompute the costs of days from their bill lines',
  takes: {
    org,
    from: day('First day'),
    to: day('Last day'),
    wait: toggle('Wait until reports show the recomputed costs'),
  },
  run: async ({ connections, isRunning }, orgId, { from, to, wait }) => {
    if (to < from) throw new UsageError(`--to must not be before --from, got ${from} to ${to}`)
    if (wait && !isRunning) throw new Error(notRunning)
    const days = await findCostedDays(await connections.shards.of(orgId), orgId, from, to)
    const marks = days.map((one) => ({ projection: costDays.name, orgId, key: costDayKey(one) }))
    for (let at = 0; at < marks.length; at += marksAtOnce)
      await connections.store.markAnew(marks.slice(at, at + marksAtOnce))
    if (wait) await waitUntilSettled(connections, orgId, new Map(), () => {})
    const accounts = new Set(days.map(({ cloudAccountId }) => cloudAccountId)).size
    const outcome = wait ? 'were recomputed' : `will be recomputed ${isRunning ? 'now' : 'when the product runs'}`
    const text =
      days.length === 0
        ? `No account has costs or bill lines from ${from} to ${to}.`
        : `${days.length} days of ${accounts} accounts ${outcome}.`
    return { data: { orgId, from, to, days: days.length, accounts }, text }
  },
})
