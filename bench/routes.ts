/**
 * Response times of the ten routes that the console asks most, one request at a time, over a bill of a year, by an edge
 * without a cache of answers. The ceiling is measured in turn with each request: a bare node:http process that sends the
 * same bytes, after one `SELECT 1` of ClickHouse.
 * Usage: npm run -s bench -- routes [--facts 500000] [--resources 5000] [--trials 40] [--out FILE] [--against FILE]
 * `--out` keeps the quotients; `--against` compares them with those of another version. To pair two versions on one
 * machine: `git worktree add ../before TAG`, copy this file to `../before/bench/`, run it there with `--out`, here with
 * `--against`, and both once more in the other order.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { serve } from '#http/edge/serve.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { days, load, loadInventory } from './harness/bill.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '500000' },
    resources: { type: 'string', default: '5000' },
    trials: { type: 'string', default: '40' },
    out: { type: 'string' },
    against: { type: 'string' },
  },
})
const [facts, resources, trials] = [values.facts, values.resources, values.trials].map(Number) as [
  number,
  number,
  number,
]
/** Requests before those that count. */
const warmUp = 5

const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', ANSWER_CACHE_MIB: '0' } })
const { connections, product, end } = await set.product()
const { id: orgId } = await createOrganization(connections.orm.em.fork(), 'bench')
const { secret } = await createToken(connections.orm.em.fork(), orgId, { role: 'owner', name: 'bench' })
await load(connections.clickhouse, { orgId, facts, perResourceDay: 24 })
await loadInventory(connections.store.pool, orgId, resources)
const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
const headers = { Authorization: `Bearer ${secret}` }

const month = `from=${days.to.slice(0, 8)}01&to=${days.to}`
const quarter = `from=2025-11-01&to=${days.to}`
const paths = [
  `/reports/costs/series?${quarter}&group_by=provider`,
  `/reports/costs/series?${quarter}&group_by=service_name&granularity=monthly&compare=previous`,
  `/reports/costs/breakdown?${month}&group_by=provider,service_name`,
  `/reports/summary?period=${days.to.slice(0, 7)}`,
  `/reports/drivers?${month}`,
  `/recommendations?limit=20`,
  `/reports/teams?${month}`,
  `/reports/anomalies?${month}`,
  `/resources?limit=20`,
  `/budgets`,
]

const bare = fork(path.join(import.meta.dirname, 'harness/bare-server.ts'), {
  execArgv: ['--disable-warning=ExperimentalWarning'],
})
bare.send(await answers())
const [barePort] = (await once(bare, 'message')) as [number]

const before = values.against && (JSON.parse(readFileSync(values.against, 'utf8')) as Record<string, number>)
const quotients: Record<string, number> = {}
say(`${'milliseconds, p50'.padEnd(100)}     edge      p99  ceiling quotient${before ? '   before' : ''}`)
for (const one of paths) await measure(one)
if (values.out) writeFileSync(values.out, `${JSON.stringify(quotients, null, 2)}\n`)
bare.disconnect()
await serving.close()
await end()
await set.close()
process.exit(0)

async function ask(port: number, one: string): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${port}${one}`, { headers })
  if (!response.ok) throw new Error(`GET ${one}: ${await response.text()}`)
  return response
}

/** What the edge answers, for the bare server to send again. */
async function answers(): Promise<Record<string, object>> {
  const given: Record<string, object> = {}
  for (const one of paths) {
    const response = await ask(serving.port, one)
    const kept = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
    const own = kept.filter(([name]) => !['content-encoding', 'content-length', 'transfer-encoding'].includes(name))
    given[`GET ${one}`] = { status: 200, headers: Object.fromEntries(own), body: await response.text() }
  }
  return given
}

async function measure(one: string): Promise<void> {
  const ours: number[] = []
  const ceiling: number[] = []
  for (let trial = -warmUp; trial < trials; trial++) {
    const own = await took(async () => (await ask(serving.port, one)).arrayBuffer())
    const least = await took(async () => {
      await (await connections.clickhouse.query({ query: 'SELECT 1', format: 'JSONCompactEachRow' })).text()
      await (await ask(barePort, one)).arrayBuffer()
    })
    if (trial < 0) continue
    ours.push(own)
    ceiling.push(least)
  }
  const [half, most, least] = [quantile(ours, 0.5), quantile(ours, 0.99), quantile(ceiling, 0.5)]
  const quotient = half / least
  quotients[one] = quotient
  const was = before ? before[one] : undefined
  const cells = [half, most, least, quotient, ...(was === undefined ? [] : [was])]
  say(`${one.padEnd(100)}${cells.map((cell) => figure(cell).padStart(9)).join('')}`)
  if (was !== undefined) goal('routes', `${one}, compared with before`, quotient / was, { max: 1.1 })
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
