/** A load with an oracle of its own, and processes to end while it runs. */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createClient } from '@clickhouse/client'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { systemClock } from '#engine/clock.ts'
import { NatsLog } from '#engine/nats.ts'
import { Publisher, type Event } from '#engine/publisher.ts'
import type { Published } from '#engine/ports.ts'
import { billingLine, type BillingLine } from '#streams/billing.ts'
import { startStores, type Stores } from '#config/embedded/stores.ts'
import { root } from '#config/root.ts'
import { plain, scaled } from '#engine/decimal.ts'
import { testFolder, testLanes } from '#test/harness/stores.ts'

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** What must stand in the facts and rollups when everything has been taken. */
export class Oracle {
  private readonly lines = new Map<string, { day: string; units: bigint; exportedAt: string }>()

  take(orgId: string, line: BillingLine): void {
    const key = `${orgId}|${line.cloudAccountId}|${line.lineId}`
    const known = this.lines.get(key)
    const exportedAt = line.exportedAt ?? ''
    if (known && known.exportedAt > exportedAt) return
    this.lines.set(key, { day: line.usageDate!, units: scaled(line.costUSD!, 14)!, exportedAt })
  }

  get count(): number {
    return this.lines.size
  }

  /** `<org>|<account>|<day>` to the exact sum. */
  days(): Record<string, string> {
    const sums = new Map<string, bigint>()
    for (const [key, { day, units }] of this.lines) {
      const id = `${key.split('|').slice(0, 2).join('|')}|${day}`
      sums.set(id, (sums.get(id) ?? 0n) + units)
    }
    return Object.fromEntries(
      [...sums].map(([id, units]) => [id, plain(units, 14)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  }
}

export interface ChaosWorld {
  stores: Stores
  engines: Engines
  publisher: Publisher
  pool: pg.Pool
  facts<T>(sql: string): Promise<T[]>
  close(): Promise<void>
}

/** Engine processes of the product, started again whenever one is ended. */
export class Engines {
  private readonly env: NodeJS.ProcessEnv
  private readonly children = new Set<ChildProcess>()
  private stopped = false
  /** The newest lines the processes wrote to stderr. */
  tail = ''

  constructor(env: NodeJS.ProcessEnv) {
    this.env = env
  }

  start(folder = testFolder()): void {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', path.join(root, 'config/main.ts'), 'start'],
      {
        env: { ...this.env, TIDEMARK_DATA_DIR: folder },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    this.children.add(child)
    child.stderr.on('data', (text: Buffer) => (this.tail = (this.tail + text.toString()).slice(-4000)))
    child.once('exit', () => {
      this.children.delete(child)
      if (!this.stopped) this.start(folder)
    })
  }

  kill(pick: number): void {
    const all = [...this.children]
    all[Math.floor(pick * all.length)]?.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    this.stopped = true
    await Promise.all(
      [...this.children].map(
        (child) =>
          new Promise<void>((resolve) => {
            child.once('exit', () => resolve())
            child.kill('SIGTERM')
          }),
      ),
    )
  }
}

/** Real servers of its own and `processes` engines on them. */
export async function chaosWorld(processes: number): Promise<ChaosWorld> {
  const stores = await startStores(testFolder(), {
    cache: path.join(root, '.cache'),
    lanes: testLanes,
    log: () => {},
    path: process.env['PATH'],
    natsBin: process.env['NATS_SERVER_BIN'],
  })
  const engines = new Engines({
    ...process.env,
    TIDEMARK_ROLE: 'engine',
    TIDEMARK_LANES: String(testLanes),
    TIDEMARK_LEASE_MS: '2000',
    POSTGRES_URL: stores.postgres.url,
    NATS_URL: stores.nats.url,
    CLICKHOUSE_URL: `${stores.clickhouse.url}/${stores.clickhouse.database}`,
  })
  for (let i = 0; i < processes; i++) engines.start()
  const nats = await connect({ servers: stores.nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 })
  const log = await NatsLog.open(nats)
  await log.createStreams(testLanes, { laneBytesMax: 8 * 1024 ** 3, duplicateNs: 120e9 })
  const pool = new pg.Pool({ connectionString: stores.postgres.url, max: 2 })
  pool.on('error', () => {})
  const clickhouse = createClient({ url: stores.clickhouse.url, database: stores.clickhouse.database })
  return {
    stores,
    engines,
    publisher: new Publisher(log, systemClock, 'chaos'),
    pool,
    facts: async (sql) =>
      (
        await clickhouse.query({
          query: sql,
          format: 'JSONEachRow',
          clickhouse_settings: { output_format_json_quote_decimals: 1 },
        })
      ).json(),
    async close() {
      await engines.stop()
      await nats.close()
      await pool.end()
      await clickhouse.close()
      await stores.stop()
    },
  }
}

export interface Load {
  seed: number
  /** Distinct lines, before repeats. */
  lines: number
  orgs: number
  accounts: number
  days: number
  /** Milliseconds between messages, so that the load outlasts the kills. */
  pauseMs: number
}

interface Item {
  orgId: string
  line: BillingLine
}

/** Publishes lines with 10 % repeats, 5 % out of order and 2 % restatements; tells the oracle; newest sequence of each lane. */
export async function publishLoad(world: ChaosWorld, load: Load, oracle: Oracle): Promise<Map<number, number>> {
  const lanes = new Map<number, number>()
  const queue = loadOf(load)
  for (const { orgId, line } of queue) oracle.take(orgId, line)
  await publishAll(world, queue, lanes, load.pauseMs)
  return lanes
}

function loadOf(load: Load): Item[] {
  const next = random(load.seed)
  const pick = (n: number) => Math.floor(next() * n)
  const sent: Item[] = []
  const queue: Item[] = []
  const late: Item[] = []
  for (let i = 0; i < load.lines; i++) {
    const item = lineOf(load, i, pick)
    sent.push(item)
    if (next() < 0.05) late.push(item)
    else queue.push(item)
    if (next() < 0.1) queue.push(sent[pick(sent.length)]!)
    if (next() < 0.02) queue.push(restated(sent[pick(sent.length)]!, pick))
    if (late.length > 0 && next() < 0.2) queue.push(late.shift()!)
  }
  return [...queue, ...late]
}

function lineOf(load: Load, i: number, pick: (n: number) => number): Item {
  const day = `2026-03-${String(1 + pick(load.days)).padStart(2, '0')}`
  const line: BillingLine = {
    lineId: i % 3 === 0 ? `line-${i}` : `${day}/line-${i}`,
    cloudAccountId: `acct-${pick(load.accounts)}`,
    provider: 'aws',
    resourceUid: `r-${pick(50)}`,
    serviceName: 'compute',
    usageDate: day,
    costUSD: plain(BigInt(1 + pick(1_000_000)), 6),
    exportedAt: `2026-04-01T00:00:${String(pick(60)).padStart(2, '0')}Z`,
  }
  return { orgId: `chaos-${load.seed}-${pick(load.orgs)}`, line }
}

/** The same line with another amount, later; one whose id does not name its day may move to another. */
function restated({ orgId, line }: Item, pick: (n: number) => number): Item {
  const moved =
    line.lineId.startsWith('line-') && pick(2) === 0
      ? `2026-03-${String(1 + pick(9)).padStart(2, '0')}`
      : line.usageDate!
  return {
    orgId,
    line: {
      ...line,
      usageDate: moved,
      costUSD: plain(BigInt(1 + pick(1_000_000)), 6),
      exportedAt: `2026-04-02T00:00:00.${String(pick(1000)).padStart(3, '0')}Z`,
    },
  }
}

async function publishAll(
  world: ChaosWorld,
  queue: Item[],
  lanes: Map<number, number>,
  pauseMs: number,
): Promise<void> {
  const note = ({ lane, seq }: Published) =>
    void (lane !== undefined && lanes.set(lane, Math.max(seq, lanes.get(lane) ?? 0)))
  for (let i = 0; i < queue.length; i += 10) {
    await systemClock.sleep(pauseMs)
    const part = queue.slice(i, i + 10)
    const groups = Map.groupBy(part, ({ orgId, line }) => `${orgId}|${line.cloudAccountId}`)
    await Promise.all(
      [...groups].map(async ([group, items]) => {
        const events = items.map(({ orgId, line }) => ({ subject: billingLine, orgId, data: line }) as unknown as Event)
        note(await world.publisher.publishTogether(`${group}-${i}-${items.length}`, events as [Event, ...Event[]]))
      }),
    )
  }
}
