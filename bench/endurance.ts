/**
 * Whether anything grows: first the memory of the whole product when idle, then an engine process under an endless even
 * load of bills (2% restated, 1% repeated), samples and discoveries and, on request, with each store unavailable in
 * turn (stopped, not killed: connections stay open and nothing responds). Prints the memory of the engine process and
 * the size of the stores every half minute; at the end every line, cent, sample and resource must exist exactly once.
 * Usage: npm run -s bench -- endurance [--minutes 2] [--rate 2000] [--lanes 16] [--warm-up 30] [--away 0] [--away-rate 6000]
 *        --minutes 10 --warm-up 120 --away 60 is the long form: 60 s without each store, under `--away-rate` rows a second.
 * The machine must keep up with the rate: `lag` shows this. V8 grows its heap for a while under a new load: the
 * seconds of `--warm-up` do not count.
 */
import 'reflect-metadata'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { addedUp, differences, Sender } from './harness/backlog.ts'
import { startEngine, startProduct } from './harness/engine-process.ts'
import { Load, type Events, type Place } from './harness/load.ts'
import { family, shareMiB } from './harness/proc.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'
import { Watch, type Sample } from './harness/watch.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    rate: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: '16' },
    'warm-up': { type: 'string', default: '30' },
    away: { type: 'string', default: '0' },
    'away-rate': { type: 'string', default: '6000' },
  },
})
const lanes = Number(values.lanes)
const rowsOfMessage = 20
const sampleMs = 5000
/** How long the lag may take to fall again once a store is back, milliseconds. */
const caughtUpMsMax = 300_000
const stores = ['clickhouse', 'postgres', 'nats'] as const

await idle()
const here = await stage({ lanes })
const c = await here.open()
const engine = await startEngine(here)
const load = await Load.of({ run: String(process.pid), lanes, perLane: 3, undatedEach: 10 })
const watch = new Watch(c, engine)
/** Rows a second that are published now; 0 ends the load. */
let rate = Number(values.rate)
let sentRows = 0
/** When a line was last printed, seconds of the samples. */
let told = -Infinity
try {
  const loading = publish()
  loading.catch(() => {})
  await endure(Number(values['warm-up']))
  const samples = await Promise.race([endure(Number(values.minutes) * 60), loading.then(() => [])])
  growth(samples)
  for (const store of Number(values.away) > 0 ? stores : []) await away(store)
  rate = 0
  await loading
  await settled()
  const wrong = await differences(c, load)
  say(`${figure(sentRows)} rows in all: ${wrong.length === 0 ? 'every one exactly once' : wrong.join('; ')}`)
  goal('exact', 'differences between what was sent and what stands', wrong.length, { max: 0 })
} finally {
  await engine.end('SIGTERM')
  await c.close()
  await here.close()
}
process.exit(0)

/** The whole product in the box, left alone after its start. */
async function idle(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'))
  const env = { TIDEMARK_DATA_DIR: folder, PORT: '0', PATH: process.env['PATH'] ?? '' }
  const product = await startProduct(env, 'Listening at')
  try {
    await new Promise((resolve) => setTimeout(resolve, 10_000))
    const all = family(product.pid)
      .map(shareMiB)
      .filter((n) => !Number.isNaN(n))
    const memory = all.reduce((sum, n) => sum + n, 0)
    say(
      `idle 10 s after its start: ${figure(memory)} MiB in ${all.length} processes, ${figure(shareMiB(product.pid))} of them the product's own`,
    )
    goal('P10', 'idle memory of the whole product', memory, { max: 1536 }, ' MiB')
  } finally {
    await product.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Seven of ten messages are bills, two samples, one discovery; paced, and never more than 64 on their way. */
async function publish(): Promise<void> {
  const sender = new Sender(c, 64)
  let due = performance.now()
  for (let i = 0; rate > 0; i++) {
    const place = load.places[i % load.places.length]!
    const nth = Math.floor(i / load.places.length) % 10
    for (const events of messages(place, nth)) await sender.send(place, events)
    sentRows += rowsOfMessage
    due += (rowsOfMessage / rate) * 1000
    // What could not be sent while the stream was away is not made up for.
    if (performance.now() - due > 1000) due = performance.now()
    const early = due - performance.now()
    if (early > 0) await c.clock.sleep(early)
  }
  await sender.end()
}

function messages(place: Place, nth: number): Events[] {
  if (nth > 7) return [load.samples(place, rowsOfMessage)]
  if (nth === 7) return [load.discovered(place, rowsOfMessage)]
  const repeated = nth % 5 === 0 ? load.billAgain(place, 33, false) : undefined
  const restated = nth % 3 === 0 ? load.billAgain(place, 57, true) : undefined
  return [load.bill(place, rowsOfMessage), ...[repeated, restated].filter((events) => events !== undefined)]
}

/** Samples for so long and prints some of them. */
async function endure(seconds: number): Promise<Sample[]> {
  const end = performance.now() + seconds * 1000
  const taken: Sample[] = []
  while (performance.now() < end) {
    await c.clock.sleep(Math.max(1, Math.min(sampleMs, end - performance.now())))
    if (!engine.isAlive()) throw new Error('the engine process is gone')
    const sample = await watch.sample()
    taken.push(sample)
    if (sample.seconds - told < 30) continue
    told = sample.seconds
    tell(sample)
  }
  return taken
}

function tell(s: Sample): void {
  const memory = `resident ${figure(s.resident)}, heap ${figure(s.heap)}, buffers ${figure(s.buffers)} MiB`
  const kept = `ClickHouse ${s.parts} parts ${figure(s.factsMiB)} MiB, NATS ${figure(s.natsMiB)} MiB`
  const tables = Object.entries(s.tables)
    .map(([name, { size, dead }]) => `${name} ${figure(size)} MiB ${dead} dead`)
    .join(', ')
  say(`  ${figure(s.seconds)} s: ${figure(sentRows)} rows, lag ${figure(s.lag)}; ${memory}; ${kept}; ${tables}`)
}

function median(list: readonly Sample[], of: (sample: Sample) => number): number {
  return quantile(list.map(of), 0.5)
}

/** The end against the first fifth. */
function growth(samples: readonly Sample[]): void {
  const fifth = Math.max(1, Math.floor(samples.length / 5))
  const [first, last] = [samples.slice(0, fifth), samples.slice(-fifth)]
  const grown = (of: (sample: Sample) => number) => 100 * (median(last, of) / median(first, of) - 1)
  goal(
    'memory',
    'growth of resident memory, first fifth to last',
    grown((s) => s.resident),
    { max: 10 },
    ' %',
  )
  goal(
    'memory',
    'growth of V8’s heap, first fifth to last',
    grown((s) => s.heap),
    { max: 10 },
    ' %',
  )
}

/** Stops a store's processes for a while under load, and waits until nothing is left of it. */
async function away(store: (typeof stores)[number]): Promise<void> {
  const before = watch.samples.at(-1)!
  rate = Number(values['away-rate'])
  const pids = family(here.stores[store].pid()!)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  let taken: Sample[]
  try {
    taken = await endure(Number(values.away))
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  rate = Number(values.rate)
  const back = performance.now()
  // What is on its way at this pace is no lag.
  while (((await lag()) ?? Infinity) > 2 * before.lag + rate / rowsOfMessage) {
    if (performance.now() - back > caughtUpMsMax) throw new Error(`${store} was back, but the lag did not fall`)
    taken.push(...(await endure(2)))
  }
  const seconds = (performance.now() - back) / 1000
  taken.push(...(await endure(10)))
  const peak = Math.max(...taken.map(({ resident }) => resident))
  const after = taken.at(-1)!.resident
  const memory = `${figure(before.resident)} MiB before, ${figure(peak)} at most, ${figure(after)} after`
  say(`${store} away for ${values.away} s: ${memory}; caught up ${figure(seconds)} s after it was back`)
  goal('memory', `at most with ${store} away`, peak, { max: 1024 }, ' MiB')
}

/** Undefined while a store does not answer. */
function lag(): Promise<number | undefined> {
  return watch.lag().catch(() => undefined)
}

/** Resolves once nothing is behind and every day is added up. */
async function settled(): Promise<void> {
  while ((await lag()) !== 0) await c.clock.sleep(100)
  await addedUp(c)
}
