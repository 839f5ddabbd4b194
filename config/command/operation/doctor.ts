import { newestGeneration } from '#analytics/rollup/monthly-cost/cost-month.ts'
import type { Check } from '#http/site/health.ts'
import { storeCommand } from '#config/command/line/build.ts'
import type { Connections } from '#config/state/connect.ts'
import { lastEnd } from '#config/process/end.ts'
import { billWarnings, openExports, toldLeftOut, toldOpen, toldWarnings } from '#config/state/bills.ts'
import { leftOut } from '#analytics/billing/bill.ts'
import { version } from '#config/process/version.ts'

/** Whether days added up from now on win over those published: not so once PostgreSQL was restored from an older copy. */
async function generations({ store, clickhouse }: Connections): Promise<Check> {
  const published = await newestGeneration(clickhouse)
  const { rows } = await store.pool.query('select last_value::text as drawn from generation')
  const drawn = BigInt((rows[0] as { drawn: string }).drawn)
  if (published <= drawn) return { name: 'generations', ok: true }
  const message = `ClickHouse has published generation ${published}, but PostgreSQL is at ${drawn}; see docs/back-up.md, Restore`
  return { name: 'generations', ok: false, message }
}

/** Months of accounts with charges that another bill has too. */
const monthsTold = 10

export const doctor = storeCommand({
  name: 'doctor',
  summary: 'Check stores, streams and lanes, and report problems',
  takes: {},
  run: async ({ connections, isRunning, url, natsUrl, analystsUrl, settings }) => {
    const checks: Check[] = [
      { name: 'node', ok: Number(process.versions.node.split('.')[0]) >= 24, version: process.versions.node },
    ]
    const { readiness } = await import('#config/state/readiness.ts')
    checks.push(...(await readiness(connections)()).filter(({ name }) => isRunning || name !== 'lanes'))
    checks.push(await generations(connections))
    const backlog = await connections.store.pool.query(
      `select (select count(*) from outbox)::int as outbox, (select count(*) from mark)::int as marks,
           (select count(*) from effect)::int as effects, (select count(*) from dead_letter where replayed_at is null)::int as dead`,
    )
    const waiting = backlog.rows[0] as Record<string, number>
    const end = lastEnd(settings.dataDir)
    const open = await openExports(connections.store.pool)
    const warnings = await billWarnings(connections.store.pool)
    const twice = await leftOut(connections.clickhouse, monthsTold)
    const isWell = checks.every(({ ok }) => ok)
    const at = { version, isRunning, url, nats: natsUrl, analysts: analystsUrl }
    const lines = [
      `tidemark ${version}, data folder ${settings.dataDir}, ${isRunning ? `running${url ? ` at ${url}` : ''}` : 'not running'}`,
      `NATS for producers: ${natsUrl}`,
      ...(analystsUrl ? [`ClickHouse for analysts: ${analystsUrl}`] : []),
      ...checks.map((c) => `${c.ok ? 'ok  ' : 'FAIL'} ${c.name} ${c.version ?? ''} ${c.message ?? ''}`.trimEnd()),
      `pending: ${waiting['outbox']} outbox rows, ${waiting['marks']} days to aggregate, ${waiting['effects']} calls; dead letters: ${waiting['dead']}`,
      ...(end ? [`last unexpected exit: ${end.at}, process ${end.pid}: ${end.why}`] : []),
      ...toldOpen(open),
      ...toldWarnings(warnings),
      ...toldLeftOut(twice),
    ]
    return {
      data: {
        ...at,
        ok: isWell,
        checks,
        waiting,
        lastEnd: end,
        openExports: open,
        billWarnings: warnings,
        leftOut: twice,
      },
      text: lines.join('\n'),
      code: isWell ? 0 : 1,
    }
  },
})
