/** Processes of the product on servers of their own, made to be ended: what they stand on, what they are fed, when they are done. */
import path from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import pg from 'pg'
import { systemClock } from '#engine/clock.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { connectionOptions } from '#engine/store/postgres/primary.ts'
import type { Log } from '#engine/actor/ports.ts'
import { Publisher, type Event } from '#engine/run/publisher.ts'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { startStores, type StoreOptions, type Stores } from '#config/embedded/stores.ts'
import { root } from '#config/process/root.ts'
import { Engines } from '#test/harness/engines.ts'
import { eventOf, sharing, type Item } from '#test/harness/load.ts'
import type { Oracle } from '#test/harness/oracle.ts'
import { probeTable } from '#test/harness/probe.ts'
import { natsAt, testFolder, testLanes } from '#test/harness/stores.ts'
import { until } from '#test/harness/toy.ts'

export interface ChaosWorld {
  stores: Stores
  engines: Engines
  /** Folder of the simulated cloud that all engines share. */
  cloud: string
  nats: NatsConnection
  log: Log
  publisher: Publisher
  pool: pg.Pool
  facts: <T>(sql: string) => Promise<T[]>
  close(): Promise<void>
}

export const leaseMs = 2000

/**
 * Real servers of its own, except those that `given` names, and `processes` engines on them, with these settings beside
 * those of every such world.
 */
export async function chaosWorld(
  processes: number,
  settings: NodeJS.ProcessEnv = {},
  given: Pick<StoreOptions, 'natsUrl' | 'postgresUrl'> = {},
): Promise<ChaosWorld> {
  const stores = await startStores(testFolder(), {
    ...given,
    cache: path.join(root, '.cache'),
    lanes: testLanes,
    log: () => {},
    path: process.env['PATH'],
    natsBin: process.env['NATS_SERVER_BIN'],
  })
  const pool = new pg.Pool({ ...connectionOptions(stores.postgres.url), max: 2 })
  pool.on('error', () => {})
  await pool.query(probeTable)
  const cloud = testFolder()
  const engines = new Engines({
    ...process.env,
    TIDEMARK_ROLE: 'engine',
    TIDEMARK_LANES: String(testLanes),
    CLOUD_DRIVER: 'simulated',
    SIMULATION_DIR: cloud,
    TIDEMARK_LEASE_MS: String(leaseMs),
    ...settings,
    POSTGRES_URL: stores.postgres.url,
    NATS_URL: stores.nats.url,
    CLICKHOUSE_URL: `${stores.clickhouse.url}/${stores.clickhouse.database}`,
  })
  for (let i = 0; i < processes; i++) engines.start()
  const nats = await connect({ ...natsAt(stores.nats.url), maxReconnectAttempts: -1, reconnectTimeWait: 100 })
  const log = await NatsLog.open(nats)
  await log.createStreams(testLanes, { laneBytesMax: 8 * 1024 ** 3 })
  const clickhouse = createClient({
    ...reachable(stores.clickhouse.url),
    database: stores.clickhouse.database,
    log: { level: ClickHouseLogLevel.OFF },
  })
  await lanesRun({ pool })
  return {
    stores,
    engines,
    cloud,
    nats,
    log,
    publisher: new Publisher(log, systemClock, 'chaos'),
    pool,
    facts: async (query) => {
      const settings = { output_format_json_quote_decimals: 1 } as const
      return (await clickhouse.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json()
    },
    async close() {
      await engines.stop()
      await nats.close()
      await pool.end()
      await clickhouse.close()
      await stores.stop()
    },
  }
}

/** Resolves when every lane has a live owner; after a minute in any case. */
export async function lanesRun({ pool }: Pick<ChaosWorld, 'pool'>): Promise<void> {
  const end = performance.now() + 60_000
  const sql = `select count(*)::int as n from lane l join pg_locks k
    on k.locktype = 'advisory' and k.objid = l.lane and k.objsubid = 2 and k.granted and k.classid = 7214001`
  while (performance.now() < end) {
    const found = await pool.query(sql).catch(() => undefined)
    if (found?.rows[0].n === testLanes) return
    await systemClock.sleep(10)
  }
}

/** Messages that all lanes together have committed; undefined while PostgreSQL is away. */
async function committed({ pool }: Pick<ChaosWorld, 'pool'>): Promise<number | undefined> {
  const found = await pool.query('select sum(cursor)::float8 as n from lane').catch(() => undefined)
  return found?.rows[0].n
}

/** Events published at once: few, so that many commits are there to be interrupted. */
const together = 10

export interface PublishOptions {
  /** Milliseconds between two times that events are published. */
  pauseMs: number
  /** Nothing is published while more messages than these wait for their turn: a slow machine takes fewer, not longer. */
  waitingMax?: number
  /** Ends that wait; the items end by themselves. */
  until?: AbortSignal
}

/** Publishes in order, each message acknowledged, and tells the oracle. The number of events it published. */
export async function publishItems(
  world: ChaosWorld,
  items: Iterable<Item>,
  oracle: Oracle,
  { pauseMs, waitingMax = Infinity, until }: PublishOptions,
): Promise<number> {
  let published = 0
  for (const next of inChunks(items)) {
    while (waitingMax < Infinity && !until?.aborted && (await waiting(world).catch(() => 0)) > waitingMax)
      await systemClock.sleep(100)
    for (const item of next) oracle.take(item)
    const groups = Map.groupBy(next, sharing)
    await Promise.all(
      [...groups].map(([group, list]) =>
        world.publisher.publishTogether(`${group}-${published}`, list.map(eventOf) as [Event, ...Event[]]),
      ),
    )
    published += next.length
    await systemClock.sleep(pauseMs)
  }
  return published
}

function* inChunks(items: Iterable<Item>): Generator<Item[]> {
  let chunk: Item[] = []
  for (const item of items) {
    if (chunk.length === together || (item.behind && chunk.length > 0)) {
      yield chunk
      chunk = []
    }
    chunk.push(item)
  }
  if (chunk.length > 0) yield chunk
}

/** What is still to be done: messages behind the cursors, and rows of what follows from those before. What waits for lines that may never come is not. */
type Left = Record<'messages' | 'outbox' | 'reminders' | 'days', number>

/** Waits until nothing is left to be done. Milliseconds it took. @throws after five minutes, saying what is left */
export async function settle(world: ChaosWorld): Promise<number> {
  const began = performance.now()
  for (;;) {
    const left = await remaining(world).catch(() => undefined)
    if (left && Object.values(left).every((n) => n === 0)) return performance.now() - began
    if (performance.now() - began > 300_000)
      throw new Error(`not settled: ${JSON.stringify(left)} ${world.engines.tail}`)
    await systemClock.sleep(100)
  }
}

/** Messages that the lanes have not committed yet. */
async function waiting({ pool, log }: Pick<ChaosWorld, 'pool' | 'log'>): Promise<number> {
  const last = await Promise.all(Array.from({ length: testLanes }, (_, lane) => log.last(lane)))
  const { rows } = await pool.query('select lane, cursor from lane')
  const cursors = new Map(rows.map((row) => [row.lane as number, Number(row.cursor)]))
  return last.reduce((sum, seq, lane) => sum + Math.max(0, seq - (cursors.get(lane) ?? 0)), 0)
}

/** Nobody publishes any more but the lanes themselves: nothing left, then all read, means there is nothing. */
async function remaining({ pool, log }: ChaosWorld): Promise<Left> {
  const rest = await pool.query(`select (select count(*) from outbox)::int as outbox,
    (select count(*) from reminder where kind not in ('job', 'power', 'saving') and due < now() + interval '1 minute')::int as reminders, (select count(*) from mark)::int as days`)
  const messages = await waiting({ pool, log })
  // A lane that committed since the first look has left something behind, or has nothing left to read.
  const again = await pool.query(`select (select count(*) from outbox)::int + (select count(*) from mark)::int as n`)
  return { messages: messages + again.rows[0].n, ...rest.rows[0] }
}

const nextSql = `select extract(epoch from (min(due) - now())) * 1000 as ms from reminder where kind not in ('job', 'power', 'saving')`
const shiftSql = `insert into clock_offset (offset_ms) values ($1) on conflict (singleton) do update set offset_ms = excluded.offset_ms`

/**
 * Until `done`, moves the clock of all processes to the next timer whenever nothing else is left to do: what a provider creates is looked at
 * every 15 s. The processes of the world need TIDEMARK_TEST_HOOKS=1.
 */
export async function skipWaits(world: ChaosWorld, done: Promise<unknown>): Promise<void> {
  let isDone = false
  const over = () => (isDone = true)
  done.then(over, over)
  for (let shiftMs = 0; !isDone; await systemClock.sleep(200)) {
    const next = await nextDueMs(world).catch(() => undefined)
    if (next === undefined || next <= shiftMs) continue
    shiftMs = next
    await world.pool.query(shiftSql, [Math.round(shiftMs)]).catch(() => {})
  }
}

/** Milliseconds from now to the next timer; undefined where something else is under way. */
async function nextDueMs(world: ChaosWorld): Promise<number | undefined> {
  const { messages, outbox, days } = await remaining(world)
  const { rows } = await world.pool.query(`select count(*)::int as calls, (${nextSql}) as ms from effect`)
  const { calls, ms } = rows[0]
  return messages + outbox + days + calls === 0 && ms !== null ? Number(ms) : undefined
}

/** Waits until the lanes have committed `count` more messages. */
export async function goesOn(world: Pick<ChaosWorld, 'pool'>, count: number): Promise<void> {
  const from = await committed(world)
  await until(`${count} more messages`, async () => ((await committed(world)) ?? 0) >= (from ?? 0) + count)
}
