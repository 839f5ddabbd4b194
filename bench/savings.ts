/**
 * Claims of savings held to their bills: of machines that run, are billed with a disk, and were resized some weeks ago, the last 45 days
 * are proved anew, as the job `savings` does it, beside a bare scan of the same rows (one question for each page, the answer thrown away).
 * Usage: npm run -s bench -- savings [--claims 10000] [--trials 3]
 */
import { parseArgs } from 'node:util'
import { run } from '#analytics/store/query.ts'
import { claimUsage } from '#analytics/saving/questions.ts'
import { billsOfAll, proofsOf } from '#actors/saving/measure.ts'
import type { Claim } from '#actors/saving/claim.ts'
import type { Ask } from '#actors/tools.ts'
import { addDays, dayOf } from '#engine/day.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: { claims: { type: 'string', default: '10000' }, trials: { type: 'string', default: '3' } },
})
const [count, trials] = [Number(values.claims), Number(values.trials)] as [number, number]
/** Days of bills before today; the machines were resized so many days ago. */
const [billed, resized] = [73, 44] as const
const [pageMax, org, account] = [500, 'bench', 'acct-1'] as const
const today = dayOf(Date.now())

const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const connections = await set.open()
const { clickhouse } = connections
await fill()
const pages = Array.from({ length: Math.ceil(count / pageMax) }, (_, page) =>
  Array.from({ length: Math.min(pageMax, count - page * pageMax) }, (_, n) => claimed(page * pageMax + n)),
)
const ask: Ask = (q, params) => run(clickhouse, q, params, { max_execution_time: 600, max_result_rows: '0' })
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

function claimed(n: number): { account: string; uid: string; claims: Claim[]; ledger: Record<string, never> } {
  const claim: Claim = {
    id: `c-${n}`,
    source: 'recommendation',
    sourceId: `r-${n}`,
    ruleId: 'RC-1101',
    category: 'rightsizing',
    // Of a price that a bill without SKUs says nothing of: no line of the month is looked through for list prices.
    kind: 'usage',
    isCycle: true,
    from: `${addDays(today, -resized)}T10:00:00.000Z`,
    until: null,
    why: '',
    notBefore: '',
    perDay: '1',
    n: 1,
    jobId: '',
    others: [],
    seenFrom: null,
    rate: null,
    size: '',
    was: '',
    provider: 'aws',
    region: 'us-east-1',
    resourceType: 'aws-ec2',
  }
  return { account, uid: `i-${n}`, claims: [claim], ledger: {} }
}

/** Two rows a machine and day, published. */
async function fill(): Promise<void> {
  for (let n = 1; n <= billed; n++) {
    const day = addDays(today, -n)
    const hours = n > resized ? 24 : 10
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
