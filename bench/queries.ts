/**
 * Every report query over a bill of 13 months and 50,000 resources, as the product asks it (of its rollups, and by its HTTP
 * routes), against the same question of raw facts (the view `cost_lines`) and of a plain PostgreSQL table with indexes.
 * A second organization has a tenth of the facts: growth is how much slower the large one's answer is.
 * Usage: npm run -s bench -- queries [--facts 10000000] [--lines 24] [--postgres 1000000] [--trials 24]
 * The floor is `SELECT 1` through the same client. 10 million facts take about eight minutes, most of them for loading.
 * What a settled month was added up to answers questions that tell no days apart; `by day` is what they take without.
 * By HTTP each is asked of an edge that keeps nothing, and once more of one that was asked it before.
 * `--lines` is how many lines a resource has on a day: 24 an hourly export, 1 the finest there is.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { run } from '#analytics/store/query.ts'
import { withRules } from '#actors/attribution/rule.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { serve } from '#http/edge/serve.ts'
import { build } from '#config/wiring/container.ts'
import { settleMonths } from '#config/upkeep/merge-months.ts'
import { tokens } from '#config/wiring/tokens.ts'
import type { Connections } from '#config/state/connect.ts'
import { days, load, loadInventory, loadPostgres, type Bill } from './harness/bill.ts'
import { questions, type Question } from './harness/question.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    facts: { type: 'string', default: '2000000' },
    lines: { type: 'string', default: '24' },
    postgres: { type: 'string', default: '1000000' },
    trials: { type: 'string', default: '24' },
    only: { type: 'string', default: '' },
  },
})
const [facts, perResourceDay, plainFacts, trials] = [values.facts, values.lines, values.postgres, values.trials].map(
  Number,
) as [number, number, number, number]
/** Raw facts and PostgreSQL are asked this much less often. */
const peersEvery = 8

interface Measured {
  question: Question
  ours: number[]
  /** Without what months were added up to, where that answers it. */
  byDay: number[]
  small: number[]
  http: number[]
  /** By HTTP, of an edge that has answered it before. */
  kept: number[]
  raw: number[]
  postgres: number[]
}

const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', ANSWER_CACHE_MIB: '0' } })
const { connections, product, end } = await set.product()
const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
const keeping = build({ ...connections, settings: { ...connections.settings, answerCache: 64 } })
const keepingServing = await serve(keeping.get(tokens.edge), { port: 0, host: '127.0.0.1' })
const large = await organization(facts)
const small = await organization(facts / 10)
// Days were added up under small numbers that no sequence has drawn.
await connections.store.rows(`select setval('generation', 1000)`, [])
await timed('settled months added up by resource', settleMonths(connections, { quietMs: -1e9, pauseMs: 0 }))
const { secret } = await createToken(connections.orm.em.fork(), large.orgId, { role: 'owner', name: 'bench' })
await loadInventory(connections.store.pool, large.orgId)
if (plainFacts > 0)
  await timed(
    `PostgreSQL, ${figure(plainFacts)} facts`,
    loadPostgres(connections.store.pool, { ...large, facts: plainFacts }),
  )

const chosen = questions.filter(({ title }) => title.includes(values.only))
const floor: number[] = []
const measured: Measured[] = chosen.map((question) => ({
  question,
  ours: [],
  byDay: [],
  small: [],
  http: [],
  kept: [],
  raw: [],
  postgres: [],
}))
for (let trial = -2; trial < trials; trial++) {
  for (const m of measured) await tryOnce(m, trial)
  const began = performance.now()
  await connections.clickhouse.query({ query: 'SELECT 1' }).then((result) => result.text())
  floor.push(performance.now() - began)
}
report()
await serving.close()
await keepingServing.close()
await end()
await set.close()
process.exit(0)

async function organization(count: number): Promise<Bill> {
  const { id: orgId } = await createOrganization(connections.orm.em.fork(), `bench ${randomUUID()}`)
  const bill = { orgId, facts: count, perResourceDay }
  const { loadSeconds, rollupSeconds } = await load(connections.clickhouse, bill)
  say(`${figure(count)} facts: loaded in ${figure(loadSeconds)} s, rolled up in ${figure(rollupSeconds)} s`)
  return bill
}

async function timed(what: string, work: Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work
  say(`${what}: ${figure((performance.now() - began) / 1000)} s`)
}

/** Each way once, one after the other; the first rounds only warm the caches. */
async function tryOnce(m: Measured, trial: number): Promise<void> {
  const { query, params, path, raw, postgres } = m.question
  const note = async (list: number[], work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    if (trial >= 0) list.push(performance.now() - began)
  }
  // With what the product asks along: whether there are rules, closed months, clusters.
  const asker = { reads: product.get(tokens.reads), ask: (() => Promise.resolve([])) as never }
  const ask =
    (org: string, q = query) =>
    async () =>
      run(connections.clickhouse, query, (await withRules(asker, q, { org, ...params })) as never)
  await note(m.ours, ask(large.orgId))
  if (query.isByMonth(params)) await note(m.byDay, ask(large.orgId, { ...query, isByMonth: () => false }))
  await note(m.small, ask(small.orgId))
  if (path) {
    await note(m.http, () => get(serving.url, path))
    await note(m.kept, () => get(keepingServing.url, path))
  }
  if (trial % peersEvery !== 0) return
  if (raw) await note(m.raw, () => askRaw(connections, raw, params))
  if (postgres && plainFacts > 0) await note(m.postgres, () => askPlain(connections.store.pool, postgres, params))
}

async function get(url: string, path: string): Promise<void> {
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${secret}` } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${text}`)
}

async function askRaw({ clickhouse }: Connections, sql: string, params: Question['params']): Promise<void> {
  const result = await clickhouse.query({
    query: sql,
    query_params: { org: large.orgId, from: params['from'], to: params['to'] },
    format: 'JSONEachRow',
  })
  await result.json()
}

function askPlain(pool: Pool, sql: string, params: Question['params']): Promise<unknown> {
  return pool.query(sql, [large.orgId, params['from'], params['to']])
}

function report(): void {
  const wide = Math.max(...chosen.map(({ title }) => title.length))
  const cell = (list: number[], share: number) => (list.length > 0 ? figure(quantile(list, share)) : '-').padStart(7)
  say(
    `\n${figure(facts)} facts of ${days.count} days, ${perResourceDay} lines a resource-day; ms; PostgreSQL has ${figure(plainFacts)} facts`,
  )
  say(`${' '.repeat(wide)}      p50     p95  by day  p50/10    HTTP  p95    kept     raw  postgres`)
  for (const m of measured) {
    const cells = [
      cell(m.ours, 0.5),
      cell(m.ours, 0.95),
      cell(m.byDay, 0.5),
      cell(m.small, 0.5),
      cell(m.http, 0.5),
      cell(m.http, 0.95),
      cell(m.kept, 0.5),
      cell(m.raw, 0.5),
      cell(m.postgres, 0.5),
    ]
    say(`${m.question.title.padEnd(wide)}  ${cells.join(' ')}`)
  }
  const kept = measured
    .filter((m) => m.kept.length > 0)
    .toSorted((a, b) => quantile(b.kept, 0.5) - quantile(a.kept, 0.5))
  say(`floor: p50 ${figure(quantile(floor, 0.5))} ms, p95 ${figure(quantile(floor, 0.95))} ms\n`)
  const p50 = (m: Measured) => quantile(m.ours, 0.5)
  const p95 = (m: Measured) => quantile(m.ours, 0.95)
  const growth = (m: Measured) => p50(m) / quantile(m.small, 0.5)
  const met = measured.filter((m) => p50(m) <= 20 && p95(m) <= 60 && growth(m) < 3)
  say(`${met.length} of ${measured.length} questions keep all three bounds; the worst of each:`)
  const worst = (of: (m: Measured) => number) => measured.toSorted((a, b) => of(b) - of(a))[0]!
  goal('P5', `p50 (${worst(p50).question.title})`, p50(worst(p50)), { max: 20 }, ' ms')
  goal('P5', `p95 (${worst(p95).question.title})`, p95(worst(p95)), { max: 60 }, ' ms')
  if (kept[0]) goal('P5', `kept, p50 (${kept[0].question.title})`, quantile(kept[0].kept, 0.5), { max: 2 }, ' ms')
  goal('P5', `growth from a tenth (${worst(growth).question.title})`, growth(worst(growth)), { max: 3 }, ' x')
}
