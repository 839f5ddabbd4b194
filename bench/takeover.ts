/**
 * How long lanes stand still when the process that runs them goes: killed, told to end, or hung. Real servers, two engine
 * processes, sixteen lanes. Each trial takes one process away, publishes one message to every lane it ran, and waits
 * until the other process owns those lanes and has committed those messages.
 *
 *     node bench/takeover.ts [--kills 20] [--drains 20] [--stops 3] [--lanes 16]
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { systemClock } from '#engine/clock.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { Publisher, type Event } from '#engine/run/publisher.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { startStores, type Stores } from '#config/embedded/stores.ts'
import { root } from '#config/process/root.ts'
import { natsAt } from '#test/harness/stores.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    drains: { type: 'string', default: '20' },
    stops: { type: 'string', default: '3' },
    lanes: { type: 'string', default: '16' },
  },
})
const lanes = Number(values.lanes)
const say = (text: string) => process.stdout.write(`${text}\n`)

/** How a process goes, how often, and the milliseconds in which its lanes must run elsewhere. */
const kinds = [
  { name: 'kill -9', signal: 'SIGKILL', count: Number(values.kills), promiseMs: 2000 },
  { name: 'SIGTERM', signal: 'SIGTERM', count: Number(values.drains), promiseMs: 200 },
  { name: 'SIGSTOP', signal: 'SIGSTOP', count: Number(values.stops), promiseMs: 12_000 },
] as const

interface Lane {
  lane: number
  /** Process that runs it; undefined while nobody does. */
  pid: number | undefined
  cursor: number
}

interface World {
  stores: Stores
  pool: pg.Pool
  publisher: Publisher
  /** An account of each lane. */
  places: Map<number, string>
  engines: ChildProcess[]
  /** Starts one more engine. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds from the signal until the lanes have their new owner, and until it has committed what came meanwhile. */
interface Trial {
  owned: number
  committed: number
}

const event = (place: string) =>
  ({
    subject: metricSample,
    orgId: 'takeover',
    place,
    data: { resourceUid: 'r', samples: [{ metric: 'cpu_percent', value: 1, ts: '2026-01-15T10:00:00Z' }] },
  }) as unknown as Event

async function open(): Promise<World> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-takeover-'))
  const stores = await startStores(path.join(folder, 'stores'), {
    cache: path.join(root, '.cache'),
    lanes,
    log: () => {},
  })
  const engines: ChildProcess[] = []
  const start = async () => {
    const data = mkdtempSync(path.join(folder, 'engine-'))
    engines.push(await startEngine(stores, data))
  }
  await start()
  await start()
  const nats = await connect(natsAt(stores.nats.url))
  const publisher = new Publisher(await NatsLog.open(nats), systemClock, 'takeover')
  const pool = new pg.Pool({ connectionString: stores.postgres.url, max: 2 })
  const close = async () => {
    await Promise.all(engines.map((engine) => ended(engine, 'SIGTERM')))
    await nats.close()
    await pool.end()
    await stores.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { stores, pool, publisher, engines, start, places: await findPlaces(publisher), close }
}

async function startEngine(stores: Stores, dataDir: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [path.join(root, 'config/main.ts'), 'start'], {
    env: {
      TIDEMARK_ROLE: 'engine',
      TIDEMARK_LANES: values.lanes,
      TIDEMARK_DATA_DIR: dataDir,
      CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
      LOG_LEVEL: 'error',
      POSTGRES_URL: stores.postgres.url,
      NATS_URL: stores.nats.url,
      CLICKHOUSE_URL: `${stores.clickhouse.url}/${stores.clickhouse.database}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  while (!printed.includes('Running the engine')) {
    const [text] = (await Promise.race([once(child.stderr, 'data'), once(child, 'exit')])) as [Buffer | number]
    printed += String(text)
    if (child.exitCode !== null) throw new Error(`an engine ended: ${printed}`)
  }
  child.stderr.on('data', (text: Buffer) => process.stderr.write(text))
  return child
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

async function findPlaces(publisher: Publisher): Promise<Map<number, string>> {
  const places = new Map<number, string>()
  for (let i = 0; places.size < lanes; i++) {
    const { lane } = await publisher.publish(event(`p${i}`))
    if (lane !== undefined) places.set(lane, `p${i}`)
  }
  return places
}

async function look(pool: pg.Pool): Promise<Lane[]> {
  const { rows } = await pool.query('select lane, owner, cursor from lane order by lane')
  return rows.map((row) => ({
    lane: row.lane as number,
    pid: row.owner === null ? undefined : Number((row.owner as string).split('/').at(-2)),
    cursor: Number(row.cursor),
  }))
}

/** Polls until `holds`; a minute at most. Milliseconds since `since`. */
async function until(since: number, what: string, holds: () => Promise<boolean>): Promise<number> {
  while (!(await holds())) {
    if (performance.now() - since > 60_000) throw new Error(`waited a minute in vain: ${what}`)
    await systemClock.sleep(5)
  }
  return performance.now() - since
}

const even = ({ pool, engines }: World) =>
  until(performance.now(), 'even shares', async () => {
    const found = await look(pool)
    return engines.every(({ pid }) => found.filter((lane) => lane.pid === pid).length === lanes / engines.length)
  })

async function trial(world: World, signal: NodeJS.Signals): Promise<Trial> {
  const { pool, publisher, places, engines } = world
  await even(world)
  const victim = engines.shift()!
  const theirs = new Set((await look(pool)).filter(({ pid }) => pid === victim.pid).map(({ lane }) => lane))
  const exit = once(victim, 'exit')
  const began = performance.now()
  victim.kill(signal)
  const wanted = new Map<number, number>()
  const published = Promise.all(
    [...theirs].map(async (lane) => wanted.set(lane, (await publisher.publish(event(places.get(lane)!))).seq)),
  )
  const owned = await until(began, 'new owners', async () => {
    const found = await look(pool)
    return found.every(({ lane, pid }) => !theirs.has(lane) || (pid !== undefined && pid !== victim.pid))
  })
  await published
  const committed = await until(began, 'new commits', async () => {
    const found = await look(pool)
    return found.every(({ lane, cursor }) => cursor >= (wanted.get(lane) ?? 0))
  })
  if (signal === 'SIGSTOP') {
    victim.kill('SIGCONT')
    engines.push(victim)
  } else {
    await exit
    await world.start()
  }
  return { owned, committed }
}

/** The value below which a share of the numbers lies, by the nearest rank. */
function quantile(numbers: readonly number[], share: number): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!.toFixed(0)
}

const world = await open()
try {
  say(`${lanes} lanes, 2 engines; milliseconds until the other runs them (and until it has committed)`)
  for (const { name, signal, count, promiseMs } of kinds) {
    const trials: Trial[] = []
    for (let i = 0; i < count; i++) trials.push(await trial(world, signal))
    if (count === 0) continue
    const of = (share: number) =>
      `${quantile(
        trials.map((t) => t.owned),
        share,
      )} (${quantile(
        trials.map((t) => t.committed),
        share,
      )})`
    const kept = trials.every(({ owned }) => owned <= promiseMs) ? 'PASS' : 'FAIL'
    say(`${kept}  ${name} x${count}: p50 ${of(0.5)}, p99 ${of(0.99)}, max ${of(1)}; promised ${promiseMs}`)
  }
} finally {
  await world.close()
}
