/**
 * Ingest of billing lines, one row a message and 100 a message, against what no engine could beat on this machine: fetch,
 * parse and insert, without actors and without a commit. Prints rates and ratios of one run; only the ratios mean anything.
 * Usage: npm run -s bench -- pipeline [--rows 40000]
 */
import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { ClickHouseFacts } from '#engine/clickhouse.ts'
import type { FactRow } from '#engine/ports.ts'
import { Publisher, type Event } from '#engine/publisher.ts'
import { billingLine, type BillingLine } from '#streams/billing.ts'
import { focusColumns } from '#streams/focus.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { build, tokens } from '#config/container.ts'
import { connect, type Connections } from '#config/connect.ts'
import { startStores } from '#config/embedded/stores.ts'
import { urlsOf } from '#config/product.ts'
import { root } from '#config/root.ts'
import { readSettings } from '#config/settings.ts'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '40000' } } })
const rows = Number(values.rows)
const lanes = 4
const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'))
const stores = await startStores(folder, {
  cache: path.join(root, '.cache'),
  lanes,
  log: () => {},
  path: process.env['PATH'],
})
const settings = readSettings({ TIDEMARK_LANES: String(lanes), TIDEMARK_DATA_DIR: folder })
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const open = () => connect(settings, urlsOf(stores), quiet)
const connections = await open()

const lines = await sample(rows)
/** The first sequence of each lane that belongs to the present measurement. */
const started = new Map<number, number>()
const results: { name: string; rowsPerSecond: number }[] = []
for (const perMessage of [1, 100]) {
  const orgId = randomUUID()
  const lane = await publish(connections, orgId, perMessage)
  results.push({ name: `ceiling, ${perMessage} a message`, rowsPerSecond: await ceiling(connections, lane) })
  results.push({ name: `engine, ${perMessage} a message`, rowsPerSecond: await engine(lane, orgId) })
  const [limit, ours] = results.slice(-2)
  process.stdout.write(
    `${perMessage} a message: ceiling ${Math.round(limit!.rowsPerSecond)} rows/s, engine ${Math.round(ours!.rowsPerSecond)} rows/s, ratio ${(ours!.rowsPerSecond / limit!.rowsPerSecond).toFixed(2)}\n`,
  )
}
await connections.close()
await stores.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(0)

async function sample(count: number): Promise<BillingLine[]> {
  const now = new Date('2026-06-30T00:00:00Z')
  const cloud = simulatedCloud({ seed: 'bench', now: () => now, sleep: async () => {}, today: '2026-06-30' })
  const list: BillingLine[] = []
  const [known] = cloud.accounts
  const account = { ...known!, id: 'acct', orgId: 'o', regions: [], credentials: null }
  for await (const page of cloud.bill(account, '2025-06-30', '2026-06-29')) {
    list.push(...page)
    if (list.length >= count) break
  }
  for (let i = 0; list.length < count; i++) list.push({ ...list[i]!, lineId: `${list[i]!.lineId}/${list.length}` })
  return list.slice(0, count)
}

/** Publishes the lines of one account; the lane they went to. */
async function publish(c: Connections, orgId: string, perMessage: number): Promise<number> {
  const publisher = new Publisher(c.log, c.clock, 'bench')
  for (let i = 0; i < lanes; i++) started.set(i, (await c.log.last(i)) + 1)
  let lane = 0
  const flight: Promise<void>[] = []
  for (let i = 0; i < lines.length; i += perMessage) {
    const events = lines
      .slice(i, i + perMessage)
      .map((line) => ({ subject: billingLine, orgId, data: { ...line, cloudAccountId: 'acct' } }) as unknown as Event)
    const sent =
      perMessage === 1
        ? publisher.publish(events[0]!)
        : publisher.publishTogether(randomUUID(), events as [Event, ...Event[]])
    flight.push(sent.then((done) => void (lane = done.lane!)))
    if (flight.length >= 256) await Promise.all(flight.splice(0))
  }
  await Promise.all(flight)
  return lane
}

/** Fetch, JSON.parse, binary insert into a table like the facts; no checks, no actors, no commit. */
async function ceiling(c: Connections, lane: number): Promise<number> {
  await c.clickhouse.command({ query: 'CREATE TABLE IF NOT EXISTS bench_fact AS cost_fact' })
  await c.clickhouse.command({ query: 'TRUNCATE TABLE bench_fact' })
  const facts = new ClickHouseFacts(c.clickhouse)
  const manager = await jetstreamManager(c.nats)
  const { name, state } = { name: `LANE-${lane}`, ...(await manager.streams.info(`LANE-${lane}`)) }
  const from = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: started.get(lane)! }
  const info = await manager.consumers.add(name, { ack_policy: AckPolicy.None, mem_storage: true, ...from })
  const consumer = await jetstream(c.nats).consumers.get(name, info.name)
  const began = performance.now()
  let batch: FactRow[] = []
  let taken = 0
  for await (const message of await consumer.consume({ max_bytes: 16 * 1024 * 1024 })) {
    const parsed = message.json<{ data: BillingLine } | { data: BillingLine }[]>()
    for (const { data } of Array.isArray(parsed) ? parsed : [parsed]) batch.push(bare(data))
    const isLast = message.info.streamSequence === state.last_seq
    if (batch.length >= 5000 || isLast) {
      taken += batch.length
      await facts.insert('bench_fact', batch)
      batch = []
    }
    if (isLast) break
  }
  return (taken / (performance.now() - began)) * 1000
}

/** The columns of a line as they came. */
function bare(line: BillingLine): FactRow {
  const row: Record<string, unknown> = {
    x_OrgId: 'o',
    x_CloudAccountId: 'acct',
    x_LineId: line.lineId,
    x_Day: line.ChargePeriodStart,
    x_Version: 1n,
  }
  for (const column of focusColumns) if (line[column] !== undefined) row[column] = line[column]
  return row
}

/** The product's own engine over the same messages, until the cursor is behind the last of them. */
async function engine(lane: number, orgId: string): Promise<number> {
  const c = await open()
  const last = await c.log.last(lane)
  const product = build(c)
  const began = performance.now()
  product.get(tokens.engine).start()
  for (;;) {
    const { rows: found } = await c.store.pool.query('select cursor from lane where lane = $1', [lane])
    if (Number(found[0].cursor) >= last) break
    await c.clock.sleep(10)
  }
  const seconds = (performance.now() - began) / 1000
  for (;;) {
    const { rows: left } = await c.store.pool.query('select count(*)::int as n from mark where org_id = $1', [orgId])
    if (left[0].n === 0) break
    await c.clock.sleep(20)
  }
  process.stdout.write(
    `  in the reports ${((performance.now() - began) / 1000 - seconds).toFixed(2)} s after the last commit\n`,
  )
  await product.get(tokens.engine).drain()
  await c.close()
  return lines.length / seconds
}
