/**
 * How old a report is: from the moment before a billing line is published until `GET /reports/summary` of its
 * organization contains it. The product is a separate process with 16 lanes, started with its defaults. The lines of
 * twenty accounts of five organizations arrive at a fixed rate, and four times a second a line with a known amount for
 * a sixth organization, whose report is polled. The generator and the stores share the machine with the product, so the
 * achieved rate, the remaining backlog and the CPU usage are reported too. One caller polls more often than a caller
 * may, so the product runs without its rate limit (RATE_LIMIT=0). Goal P4.
 * Usage: npm run -s bench -- freshness [--rate 2000,10000] [--pack 1,100] [--seconds 40] [--days 3] [--lanes 16]
 *   [--poll 10] [--profile FOLDER]
 * Each value of --rate (rows per second) with its value of --pack (rows per message) is one run; --days is the number of days over which the
 * lines are spread, --poll the milliseconds between two requests, --profile where Node stores a profile of the product.
 */
import 'reflect-metadata'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Publisher } from '#engine/run/publisher.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import type { Connections } from '#config/state/connect.ts'
import { runningInstance } from '#config/embedded/stores.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { sampleLines, streamLines } from './harness/billing-stream.ts'
import { startProduct } from './harness/engine-process.ts'
import { lateMs, Prober, type Probe } from './harness/prober.ts'
import { cpuSeconds } from './harness/proc.ts'
import { figure, goal, quantile, say, stage, type Stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '2000,10000' },
    pack: { type: 'string', default: '1,100' },
    seconds: { type: 'string', default: '40' },
    days: { type: 'string', default: '3' },
    lanes: { type: 'string', default: '16' },
    poll: { type: 'string', default: '10' },
    profile: { type: 'string' },
  },
})
const pollMs = Number(values.poll)
const seconds = Number(values.seconds)
const packs = values.pack.split(',').map(Number)
const organizations = 5
const accounts = 4
const month = '2026-05'
const days = Array.from({ length: Number(values.days) }, (_, i) => `${month}-${String(28 - i).padStart(2, '0')}`)
const goals: Readonly<Record<number, { p50: number; p99: number }>> = {
  2000: { p50: 300, p99: 1000 },
  10_000: { p50: 1000, p99: 3000 },
}

/** Starts the product on the servers of the stage. */
async function start({ stores, settings }: Stage) {
  const dataDir = mkdtempSync(path.join(settings.dataDir, 'product-'))
  const profile = values.profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` }
  const child = await startProduct(
    {
      TIDEMARK_DATA_DIR: dataDir,
      TIDEMARK_LANES: values.lanes,
      RATE_LIMIT: '0',
      POSTGRES_URL: stores.postgres.url,
      NATS_URL: stores.nats.url,
      CLICKHOUSE_URL: `${stores.clickhouse.url}/${stores.clickhouse.database}`,
      PORT: '0',
      ...profile,
    },
    'Listening at',
  )
  return { child, url: String(runningInstance(dataDir)!['url']) }
}

/** Processor seconds so far, by who used them. */
function used({ stores }: Stage, product: number): Record<string, number> {
  const { user, system } = process.cpuUsage()
  const busy = os.cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0) / 1000
  return {
    product: cpuSeconds(product),
    generator: (user + system) / 1e6,
    ClickHouse: cpuSeconds(stores.clickhouse.pid()),
    PostgreSQL: cpuSeconds(stores.postgres.pid()),
    NATS: cpuSeconds(stores.nats.pid()),
    'the whole machine': busy,
  }
}

function tellCores(from: Record<string, number>, to: Record<string, number>, ms: number): void {
  const cores = Object.entries(to).map(([name, s]) => [name, ((s - from[name]!) * 1000) / ms] as const)
  const shown = cores.map(([name, n]) => `${name} ${n.toFixed(2)}`)
  say(`  cores in use: ${shown.join(', ')}, of ${os.cpus().length}`)
  const ours = cores.slice(0, -1).reduce((sum, [, n]) => sum + n, 0)
  const others = cores.at(-1)![1] - ours
  if (others > 0.3)
    say(`  other work took ${others.toFixed(2)} cores meanwhile: these times say little about the product`)
}

function times(name: string, all: readonly number[]): void {
  const [p50, p99] = [quantile(all, 0.5), quantile(all, 0.99)]
  say(`  ${name.padEnd(34)} p50 ${figure(p50)}, p99 ${figure(p99)}, max ${figure(Math.max(...all))} ms`)
}

/** The milliseconds to the report; what has not come in time counts as never. */
function tell(probes: readonly Probe[], asked: readonly number[]): number[] {
  const visible = probes.map((probe) => probe.visible ?? Infinity)
  const committed = probes.map((probe) => probe.committed ?? Infinity)
  times(
    'publish to durable in the stream',
    probes.map(({ durable }) => durable ?? Infinity),
  )
  times('publish to committed', committed)
  times(
    'committed to visible',
    visible.map((ms, i) => (ms === Infinity ? ms : Math.max(0, ms - committed[i]!))),
  )
  times('publish to visible in the report', visible)
  times('the report itself', asked)
  return visible
}

/** Messages of these lanes that are not committed. */
async function behind(c: Connections, lanes: ReadonlyMap<number, number>): Promise<number> {
  const { rows } = await c.store.pool.query<{ lane: number; cursor: string }>('select lane, cursor from lane')
  return rows.reduce((sum, { lane, cursor }) => sum + Math.max(0, (lanes.get(lane) ?? 0) - Number(cursor)), 0)
}

const made = await stage({ lanes: Number(values.lanes) })
const c = await made.open()
const { child, url } = await start(made)
try {
  const ids: string[] = []
  for (let i = 0; i <= organizations; i++) ids.push((await createOrganization(c.orm.em.fork(), `freshness ${i}`)).id)
  const [probed, ...orgIds] = ids as [string, ...string[]]
  const { secret } = await createToken(c.orm.em.fork(), probed, { role: 'viewer', name: 'bench' })
  const report = async () => {
    const answer = await fetch(`${url}/reports/summary?period=${month}`, {
      headers: { Authorization: `Bearer ${secret}` },
    })
    if (answer.status !== 200) throw new Error(`the report answers ${answer.status}`)
    return ((await answer.json()) as { data: { totalCostUSD: number } }).data.totalCostUSD
  }
  const publisher = new Publisher(c.log, c.clock, 'bench')
  const samples = await sampleLines()
  const prober = new Prober({ c, publisher, sample: samples[0]!, orgId: probed, day: days[0]!, report, pollMs })
  say(`nothing but the probes; ${values.lanes} lanes, a look every ${pollMs} ms`)
  tell(await prober.run(10), prober.asked)

  for (const [i, rowsPerSecond] of values.rate.split(',').map(Number).entries()) {
    const rowsPerMessage = packs[i] ?? packs[0]!
    const began = performance.now()
    const before = used(made, child.pid)
    const probing = prober.run(seconds)
    const load = { orgIds, accounts, days, rowsPerSecond, rowsPerMessage, seconds }
    const { rows, seconds: took, lanes } = await streamLines(publisher, samples, load)
    const left = await behind(c, lanes)
    const [after, ended] = [used(made, child.pid), performance.now()]
    const probes = await probing
    const held = `${figure(rows / took)} rows/s published, ${left} messages behind at the end`
    say(`${figure(rowsPerSecond)} rows/s, ${rowsPerMessage} a message: ${held}`)
    const visible = tell(probes, prober.asked)
    tellCores(before, after, ended - began)
    const done = Promise.all(ids.map((orgId) => waitUntilSettled(c, orgId, lanes, () => {}))).then(() => true)
    done.catch(() => {})
    const isDone = await Promise.race([done, sleep(lateMs, false)])
    const late = figure((performance.now() - ended) / 1000)
    say(isDone ? `  all in the reports ${late} s after the last line` : `  not all in the reports after ${late} s`)
    const wanted = goals[rowsPerSecond]
    if (!wanted) continue
    const what = `publish to visible at ${figure(rowsPerSecond)} rows/s`
    goal('P4', `${what}, p50`, quantile(visible, 0.5), { max: wanted.p50 }, ' ms')
    goal('P4', `${what}, p99`, quantile(visible, 0.99), { max: wanted.p99 }, ' ms')
  }
} finally {
  await child.end('SIGTERM')
  await c.close()
  await made.close()
}
process.exit(0)
