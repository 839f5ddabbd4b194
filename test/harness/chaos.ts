/** Processes of the product on servers of their own, made to be ended, and the comparison of what they leave with the oracle. */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createClient } from '@clickhouse/client'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { systemClock } from '#engine/clock.ts'
import { NatsLog } from '#engine/nats.ts'
import { Publisher, type Event } from '#engine/publisher.ts'
import { startStores, type Stores } from '#config/embedded/stores.ts'
import { root } from '#config/root.ts'
import { eventOf, sorted, type Item, type Oracle } from '#test/harness/load.ts'
import { testFolder, testLanes } from '#test/harness/stores.ts'

/** Engine processes of the product, started again whenever one is ended. */
export class Engines {
  private readonly env: NodeJS.ProcessEnv
  private readonly children = new Set<ChildProcess>()
  private stopped = false
  /** Ends nobody asked for from outside: of crash points, for instance. */
  ownEnds = 0
  /** Set for processes started from now on: the crash point they end themselves at. */
  crashAt: string | undefined
  /** The newest lines the processes wrote to stderr. */
  tail = ''

  constructor(env: NodeJS.ProcessEnv) {
    this.env = env
  }

  start(folder = testFolder()): void {
    const crash = this.crashAt === undefined ? {} : { TIDEMARK_TEST_HOOKS: '1', TIDEMARK_CRASH_AT: this.crashAt }
    const main = path.join(root, 'config/main.ts')
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'start'], {
      env: { ...this.env, ...crash, TIDEMARK_DATA_DIR: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.children.add(child)
    child.stderr.on('data', (text: Buffer) => (this.tail = (this.tail + text.toString()).slice(-4000)))
    child.once('exit', () => {
      if (this.children.delete(child)) this.ownEnds++
      if (!this.stopped) this.start(folder)
    })
  }

  kill(pick: number): void {
    const child = [...this.children][Math.floor(pick * this.children.size)]
    if (!child) return
    this.children.delete(child)
    child.kill('SIGKILL')
  }

  /** Stops one for so long that it loses its lease, and lets it go on. */
  async pause(pick: number, ms: number): Promise<void> {
    const child = [...this.children][Math.floor(pick * this.children.size)]
    child?.kill('SIGSTOP')
    await systemClock.sleep(ms)
    child?.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    this.stopped = true
    const ended = [...this.children].map(
      (child) =>
        new Promise<void>((resolve) => {
          child.once('exit', () => resolve())
          child.kill('SIGTERM')
        }),
    )
    await Promise.all(ended)
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

export const leaseMs = 2000

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
    TIDEMARK_LEASE_MS: String(leaseMs),
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

/** Events of one message: few, so that many commits are there to be interrupted. */
const together = 10

/** Publishes in order, acknowledged, with a pause between messages; the newest sequence of each lane. */
export async function publishItems(
  world: ChaosWorld,
  items: readonly Item[],
  pauseMs: number,
): Promise<Map<number, number>> {
  const lanes = new Map<number, number>()
  for (let i = 0; i < items.length; i += together) {
    await systemClock.sleep(pauseMs)
    const groups = Map.groupBy(items.slice(i, i + together), ({ orgId, account, kind }) =>
      [orgId, account, kind].join('|'),
    )
    const sent = [...groups].map(async ([group, list]) => {
      const events = list.map(eventOf) as [Event, ...Event[]]
      const { lane, seq } = await world.publisher.publishTogether(`${group}-${i}`, events)
      if (lane !== undefined) lanes.set(lane, Math.max(seq, lanes.get(lane) ?? 0))
    })
    await Promise.all(sent)
  }
  return lanes
}

/** Waits until the lanes have committed everything and no day is left to add up. @throws after two minutes */
export async function settle(world: ChaosWorld, lanes: ReadonlyMap<number, number>): Promise<void> {
  const end = performance.now() + 120_000
  const sql = `select (select count(*) from lane l join unnest($1::int[], $2::bigint[]) as w(lane, seq)
      on w.lane = l.lane and l.cursor < w.seq)::int as behind, (select count(*) from mark)::int as marks`
  for (;;) {
    const found = await world.pool.query(sql, [[...lanes.keys()], [...lanes.values()]]).catch(() => undefined)
    const left = found?.rows[0] as { behind: number; marks: number } | undefined
    if (left?.behind === 0 && left.marks === 0) return
    if (performance.now() > end) throw new Error(`not settled: ${JSON.stringify(left)} ${world.engines.tail}`)
    await systemClock.sleep(100)
  }
}

/** What stands in the stores for the organizations of a seed, in the oracle's own form. */
export async function standing(world: ChaosWorld, seed: number) {
  const like = `LIKE 'chaos-${seed}-%'`
  const sums = async (sql: string) => {
    const rows = await world.facts<{ org: string; account: string; day: string; cost: string }>(sql)
    return sorted(rows.map(({ org, account, day, cost }) => [`${org}|${account}|${day}`, cost]))
  }
  const count = async (sql: string) => Number((await world.facts<{ n: string }>(sql))[0]!.n)
  const names = await world.pool.query(
    'select org_id, cloud_account_id, uid, name from resource where org_id like $1 and deleted_at is null',
    [`chaos-${seed}-%`],
  )
  const dead = await world.pool.query('select org_id, message_id from dead_letter where org_id like $1', [
    `chaos-${seed}-%`,
  ])
  return {
    lineCount: await count(`SELECT count() AS n FROM cost_fact FINAL WHERE x_OrgId ${like}`),
    samples: await count(`SELECT count() AS n FROM metric_sample FINAL WHERE org_id ${like}`),
    facts:
      await sums(`SELECT x_OrgId AS org, x_CloudAccountId AS account, toString(x_Day) AS day, toString(sum(BilledCost)) AS cost
      FROM cost_fact FINAL WHERE x_OrgId ${like} GROUP BY org, account, day`),
    rollups:
      await sums(`SELECT org_id AS org, cloud_account_id AS account, toString(day) AS day, toString(sum(billed_cost)) AS cost
      FROM cost_daily WHERE org_id ${like} GROUP BY org, account, day`),
    names: sorted(names.rows.map((r) => [`${r.org_id}|${r.cloud_account_id}|${r.uid}`, r.name])),
    deadLetters: new Set(dead.rows.map((r) => `${r.org_id}/${r.message_id}`)),
  }
}

/** The same of the oracle. */
export const expected = (oracle: Oracle) => ({
  lineCount: oracle.lineCount,
  samples: oracle.samples.size,
  facts: oracle.days(),
  rollups: oracle.days(),
  names: oracle.names(),
  deadLetters: oracle.poison,
})
