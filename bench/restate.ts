/**
 * A whole month of one account's bill is restated through the streams: how long until every report has the new costs,
 * and whether any response in between mixed old and new days. First line by line, then as exports that replace one
 * another: delivered first, again unchanged, and again with one line in a hundred changed.
 * Usage: npm run -s bench -- restate [--lines 1000000]
 * The ceiling is the same lines inserted directly into ClickHouse and computed once.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import type { Event } from '#engine/run/publisher.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { serve } from '#http/edge/serve.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { deliver, exportAccount } from './harness/delivery.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({ options: { lines: { type: 'string', default: '1000000' } } })
const month = 31
const perDay = Math.ceil(Number(values.lines) / month)
const cloudAccountId = 'acct-0'
const day = (n: number): string => `2026-01-${String(n + 1).padStart(2, '0')}`
/** Cents of a line, first as billed and then as restated: 3 and 7 tell whose a sum is. */
const [billed, restated] = [3, 7]

const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0' } })
const { connections, product, end } = await set.product()
const { clickhouse } = connections
const { id: orgId } = await createOrganization(connections.orm.em.fork(), `bench ${randomUUID()}`)
const { secret } = await createToken(connections.orm.em.fork(), orgId, { role: 'owner', name: 'bench' })
const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })

const insert = `
  INSERT INTO cost_fact (x_OrgId, x_CloudAccountId, x_Day, x_LineId, x_Provider, x_PurchaseType, x_Source, x_ExportedAt, BilledCost,
    EffectiveCost, ContractedCost, ListCost, ChargeCategory, ChargePeriodStart, ChargePeriodEnd, RegionId, ServiceName, ResourceType,
    ResourceId, x_Version)
  SELECT {org:String}, {account:String}, toDate32('2026-01-01') + intDiv(number, {perDay:UInt64}) AS d, concat(toString(d), '/', toString(number % {perDay:UInt64})),
    'aws', 'on_demand', 'actual', toDateTime64('2026-02-01 00:00:00', 3, 'UTC'), toDecimal128({cents:UInt8}, 14) / 100 AS BilledCost, BilledCost, BilledCost, BilledCost, 'Usage',
    toDateTime(d, 'UTC'), toDateTime(d, 'UTC') + 86400, 'us-east-1', concat('service-', toString(number % 17)), 'aws-ec2', concat('i-', toString(number % 5000)), 1
  FROM numbers({count:UInt64})`
const dirty: CostDay[] = Array.from({ length: month }, (_, n) => ({ orgId, cloudAccountId, day: day(n) }))

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

const loaded = await seconds(async () => {
  const query_params = { org: orgId, account: cloudAccountId, perDay, cents: billed, count: perDay * month }
  await clickhouse.command({
    query: insert,
    query_params,
    clickhouse_settings: { max_partitions_per_insert_block: '0' },
  })
  await recomputeCostDays(clickhouse, dirty, '1', { now: new Date(Date.now() - 3_600_000) })
})
say(`${figure(perDay * month)} lines of one account and month; inserted straight and worked out in ${figure(loaded)} s`)
product.get(tokens.engine).start()

let isOver = false
const answers = { old: 0, new: 0, mixed: 0 }
const lagMs: number[] = []
const watch = (async () => {
  while (!isOver) {
    const began = performance.now()
    const state = await stateOf()
    lagMs.push(performance.now() - began)
    answers[state]++
    await connections.clock.sleep(100)
  }
})()
const sender = new Sender(product.get(tokens.publisher), randomUUID)
const published = await seconds(async () => {
  for (let n = 0; n < month; n++) for (let i = 0; i < perDay; i++) await sender.add(event(n, i))
  await sender.end()
})
const caughtUp = await seconds(() => waitUntilSettled(connections, orgId, sender.lanes, () => {}))
isOver = true
await watch
const last = await stateOf()
say(`published in ${figure(published)} s (${figure((perDay * month) / published)} rows/s)`)
say(
  `every report right ${figure(caughtUp)} s behind the last line, ${figure(published + caughtUp)} s behind the first: ${last}`,
)
say(
  `answers meanwhile: ${answers.old} of the old bill, ${answers.new} of the new one, ${answers.mixed} mixed; p50 ${figure(quantile(lagMs, 0.5))} ms, p95 ${figure(quantile(lagMs, 0.95))} ms`,
)
say(`ratio to inserting and working out: ${figure((published + caughtUp) / loaded)}`)
const kept = await rowsOf(
  'SELECT count() AS n, sum(length(resource_uid)) AS b FROM cost_daily_kept WHERE org_id = {org:String}',
)
const shown = await rowsOf('SELECT count() AS n FROM cost_daily WHERE org_id = {org:String}')
say(
  `sums of the month: ${figure(Number(shown['n']))} rows; kept of earlier ones beside the two slots: ${figure(Number(kept['n']))} rows`,
)
const mixed = answers.mixed + (await delivered())
await serving.close()
await end()
await set.close()
process.exit(mixed === 0 && last === 'new' ? 0 : 1)

/** Exports of a second account's month; how many answers mixed two of them. */
async function delivered(): Promise<number> {
  let wrong = 0
  for (const [what, share] of [
    ['first', 0],
    ['again unchanged', 0],
    ['again, 1 % changed', 100],
  ] as const) {
    const found = await deliver(
      { product, connections, orgId, days: month, perDay, changedEvery: share, cents: billed },
      total,
    )
    wrong += found.mixed
    say(
      `export delivered ${what}: published in ${figure(found.published)} s (${figure((perDay * month) / found.published)} rows/s), lines stored ${figure(found.stored)} s later, ` +
        `every report right ${figure(found.turned)} s behind its end; ${found.answers} answers meanwhile, ${found.mixed} mixed; ratio to inserting and working out ${figure((found.published + found.stored + found.turned) / loaded)}`,
    )
  }
  return wrong
}

/** The month of the second account as the trend report has it, in cents. */
async function total(): Promise<number> {
  const costs = await trend(`&cloud_account_id=${exportAccount}`)
  return Math.round(costs.reduce((sum, cost) => sum + cost, 0) * 100)
}

/** US dollars of each day of January. */
async function trend(narrowed = ''): Promise<number[]> {
  const url = `${serving.url}/reports/trends?from=2026-01-01&to=2026-01-31${narrowed}`
  const response = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })
  if (!response.ok) throw new Error(`the report answers ${response.status}`)
  const { data } = (await response.json()) as { data: { items: { costUSD: number }[] } }
  return data.items.map(({ costUSD }) => costUSD)
}

/** Whether a month's trend is of the bill, of its restatement, or of some of each. */
async function stateOf(): Promise<keyof typeof answers> {
  const cents = new Set((await trend()).map((cost) => Math.round((cost * 100) / perDay)))
  if (cents.size > 1) return 'mixed'
  return cents.has(billed) ? 'old' : cents.has(restated) ? 'new' : 'mixed'
}

function event(n: number, i: number): Event {
  const number = n * perDay + i
  const data: BillingLine = {
    lineId: `${day(n)}/${i}`,
    cloudAccountId,
    provider: 'aws',
    resourceUid: `i-${number % 5000}`,
    serviceName: `service-${number % 17}`,
    resourceType: 'aws-ec2',
    region: 'us-east-1',
    usageDate: day(n),
    purchaseType: 'on_demand',
    costUSD: `0.0${restated}`,
    source: 'actual',
    exportedAt: '2026-03-01T00:00:00Z',
  }
  return { subject: billingLine, orgId, data } as unknown as Event
}

async function rowsOf(query: string): Promise<Record<string, string>> {
  const result = await clickhouse.query({ query, query_params: { org: orgId }, format: 'JSONEachRow' })
  return (await result.json<Record<string, string>>())[0]!
}
