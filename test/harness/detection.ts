/** Detection asked directly, day after day, and the days it looks at written straight into the facts. */
import { addDays } from '#engine/value/day.ts'
import type { ClickHouseClient } from '@clickhouse/client'
import { findAnomalies, type DetectTools } from '#actors/anomaly/detect.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import { run } from '#analytics/store/query.ts'
import type { Publisher } from '#engine/run/publisher.ts'
import type { fact } from '#test/harness/clickhouse.ts'

export type Found = Awaited<ReturnType<typeof findAnomalies>>[number]
export type Fact = ReturnType<typeof fact>

/** Detection over ClickHouse alone: nobody is told, and things are called by their keys. One thread does for the few facts of a test. */
export const detectTools = (ch: ClickHouseClient): DetectTools => ({
  ask: (q, params) => run(ch, q, params, { max_execution_time: 120, max_threads: 1 }),
  publisher: {} as Publisher,
  cost: 'billed_cost',
  reads: { rows: async () => [] },
})

/** Days that are asked for at the same time: detection of one day does not depend on that of another. */
const together = 3

/** What is out of line on each day from the first to the last, in order of day. */
export async function detectDays(ch: ClickHouseClient, orgId: string, from: string, to: string): Promise<Found[]> {
  const days: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  const found = new Map<string, Found[]>()
  const left = days.values()
  const work = async () => {
    for (const day of left) found.set(day, await findAnomalies(detectTools(ch), orgId, day, 'daily'))
  }
  await Promise.all(Array.from({ length: together }, work))
  return days.flatMap((day) => found.get(day)!)
}

/** Rows of one insert: its text is held in memory. */
const rowsTogether = 20_000

/** Puts lines of bills into the facts and works their days out. */
export async function writeFacts(ch: ClickHouseClient, facts: readonly Fact[]): Promise<void> {
  for (let at = 0; at < facts.length; at += rowsTogether)
    await ch.insert({
      table: 'cost_fact',
      format: 'JSONEachRow',
      values: facts.slice(at, at + rowsTogether),
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    })
  const days = new Map<string, CostDay>()
  for (const { x_OrgId: orgId, x_CloudAccountId: cloudAccountId, x_Day: day } of facts)
    days.set(`${orgId}|${cloudAccountId}|${day}`, { orgId, cloudAccountId, day })
  await recomputeCostDays(ch, [...days.values()], '1')
}
