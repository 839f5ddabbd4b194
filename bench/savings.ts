/**
 * Claims of savings held to their bills: of machines that are billed with a disk and, since some weeks ago, stopped by schedules, the last 45 days
 * are proved anew, as the job `savings` does it, beside a bare scan of the same rows (one question for each page, the answer thrown away).
 * Usage: npm run -s bench -- savings [--claims 10000] [--trials 3]
 */
import { parseArgs } from 'node:util'
import { run } from '#analytics/store/query.ts'
import { claimUsage } from '#analytics/saving/questions.ts'
import { billsOfAll, proofsOf } from '#actors/saving/measure.ts'
import type { Claim } from '#actors/saving/claim.ts'
import type { Ask } from '#actors/tools.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { claimOf } from '#test/harness/saved.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: { claims: { type: 'string', default: '10000' }, trials: { type: 'string', default: '3' } },
})
const [count, trials] = [Number(values.claims), Number(values.trials)] as [number, number]
/** Days of bills before today; the schedules began so many days ago. */
const [billed, begun] = [73, 44] as const
const [pageMax, org, account] = [500, 'bench', 'acct-1'] as const
const today = dayOf(Date.now())

const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const connections = await set.open()
const { clickhouse } = connections
await fill()
const pages = Array.from({ length: Math.ceil(count / pageMax) }, (_, page) =>
  Array.from({ length: Math.min(pageMax, count - page * pageMax) }, (_, n) => claimed(page * pageMax + n)),
)
const ask: Ask = (q, params) => run(clickhouse, q, params, { max_execution_time: 120, max_memory_usage: '4294967296' })
const accounts = async () => [{ id: account, day: addDays(today, -1) }]
const [ours, bare] = [[] as number[], [] as number[]]
let proved = 0
for (let trial = 0; trial < trials; trial++) {
  bare.push(await timed(scan))
  ours.push(await timed(prove))
}
const [bareMs, ourMs] = [quantile(bare, 0.5), quantile(ours, 0.5)]
say(`${figure(count)} claims, ${figure(proved)} days proved, ${figure(count * billed * 2)} rows of usage`)
say(
  `bare scan ${figure(bareMs)} ms, proved ${figure(ourMs)} ms: ${figure(ourMs / bareMs)} times the scan (goal: 5 at most)`,
)
await connections.close()
await set.close()

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function scan(): Promise<void> {
  for (const page of pages) {
    const range = { org, from: addDays(today, -billed), to: today }
    await ask(claimUsage, { ...range, cost: 'billed_cost', uids: page.map(({ uid }) => uid) })
  }
}

async function prove(): Promise<void> {
  proved = 0
  for (const page of pages) {
    const billsOf = await billsOfAll({ ask, cost: 'billed_cost', accounts }, org, page, today)
    for (const one of page) proved += proofsOf(one, billsOf(one), today).length
  }
}

/** By schedules: no list price is asked of bills that have no SKU. */
function claimed(n: number): { account: string; uid: string; claims: Claim[]; ledger: Record<string, never> } {
  return { account, uid: `i-${n}`, claims: [claimOf(`c-${n}`, `${addDays(today, -begun)}T10:00:00.000Z`)], ledger: {} }
}

/** Two rows a machine and day, published. */
async function fill(): Promise<void> {
  for (let n = 1; n <= billed; n++) {
    const day = addDays(today, -n)
    const hours = n > begun ? 24 : 10
    const row = { org_id: org, day, cloud_account_id: account, slot: 0, generation: 1, charge_category: 'Usage' }
    const rows = Array.from({ length: count }, (_, at) => ({ ...row, resource_uid: `i-${at}` })).flatMap((one) => [
      { ...one, component: 'compute', hours, billed_cost: (hours * 0.384).toFixed(3) },
      { ...one, component: 'storage', hours: 0, billed_cost: '0.8' },
    ])
    await clickhouse.insert({ table: 'usage_daily_slot', format: 'JSONEachRow', values: rows })
    const published = { org_id: org, cloud_account_id: account, day, slot: 0, generation: 1 }
    await clickhouse.insert({ table: 'cost_day', format: 'JSONEachRow', values: [published] })
  }
}
