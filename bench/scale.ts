/**
 * The gain from more engine processes: the same backlog of bills and samples (100 rows per message, many accounts,
 * spread evenly over the lanes) processed by 1, 2 and 3 processes, round after round. Measured once each process runs
 * its share of the lanes and a fifth is done, until the first lane is empty. If the stores are on this machine too, CPU
 * time is divided between us and them, which gives the possible gain with the stores on another machine.
 * Then, without load: how many lanes move when a process joins, leaves and dies, compared with the minimum, and how
 * long it takes.
 * Usage: npm run -s bench -- scale [--rows 160000] [--lanes 12] [--rounds 2] [--processes 1,2,3]
 *        [--postgres URL --nats URL --clickhouse URL]   empty stores elsewhere, as the operating guide sets them up
 */
import 'reflect-metadata'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import {
  addedUp,
  differences,
  done,
  mustBeEmpty,
  publish,
  reached,
  rewind,
  total,
  type Backlog,
} from './harness/backlog.ts'
import { startEngine, type EngineProcess } from './harness/engine-process.ts'
import { Load } from './harness/load.ts'
import { between, holdings, holdLanes, spent, takings, type Spent } from './harness/share.ts'
import { figure, goal, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '160000' },
    lanes: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '2' },
    processes: { type: 'string', default: '1,2,3' },
    postgres: { type: 'string', default: '' },
    nats: { type: 'string', default: '' },
    clickhouse: { type: 'string', default: '' },
  },
})
const lanes = Number(values.lanes)
const counts = values.processes.split(',').map(Number)
const rowsOfMessage = 100
const env = { POSTGRES_URL: values.postgres, NATS_URL: values.nats, CLICKHOUSE_URL: values.clickhouse }
/** What is worked off before it is measured: V8 compiles meanwhile. */
const warmShare = 0.2
/** Small enough that a lane's cursor moves many times in a measurement. */
const batch = { TIDEMARK_BATCH_MESSAGES: '20' }

interface Measured {
  rate: number
  seconds: number
  rows: number
  spent: Spent
}

const here = await stage({ lanes, env })
const c = await here.open()
const isElsewhere = !here.stores.clickhouse.embedded && !here.stores.nats.embedded && !here.stores.postgres.embedded
const running: EngineProcess[] = []
try {
  await mustBeEmpty(c)
  const load = await Load.of({ run: String(process.pid), lanes, perLane: 4 })
  const backlog = await publish(c, load, Number(values.rows) / rowsOfMessage, (place, i) =>
    Math.floor(i / load.places.length) % 5 === 4 ? load.samples(place, rowsOfMessage) : load.bill(place, rowsOfMessage),
  )
  say(`${values.rows} rows in messages of 100, four of five of bills, ${load.places.length} accounts in ${lanes} lanes`)
  const results = new Map<number, Measured[]>(counts.map((n) => [n, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const n of counts) {
      await rewind(c, backlog)
      results.get(n)!.push(await measure(n, backlog, load))
    }
  }
  tell(results)
  await balance()
} finally {
  await Promise.all(running.splice(0).map((engine) => engine.end('SIGTERM')))
  await c.close()
  await here.close()
}
process.exit(0)

async function start(more: Record<string, string> = {}): Promise<EngineProcess> {
  const engine = await startEngine(here, more)
  running.push(engine)
  return engine
}

async function stop(engine: EngineProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  running.splice(running.indexOf(engine), 1)
  await engine.end(signal)
}

/** Resolves once every running engine has its share of the lanes: no more than one above or below another. */
async function even(): Promise<void> {
  const [least, most] = [Math.floor(lanes / running.length), Math.ceil(lanes / running.length)]
  for (;;) {
    const held = await holdings(c)
    if (running.every(({ pid }) => (held.get(pid) ?? 0) >= least && (held.get(pid) ?? 0) <= most)) return
    await c.clock.sleep(5)
  }
}

async function measure(n: number, backlog: Backlog, load: Load): Promise<Measured> {
  const letGo = await holdLanes(c)
  await Promise.all(Array.from({ length: n }, () => start(batch)))
  await letGo()
  await even()
  await reached(c, backlog, warmShare)
  const [before, first, began] = [await done(c, backlog), spent(here, running), performance.now()]
  const sizes = backlog.to.map((last, lane) => last - backlog.from[lane]! + 1)
  let now = before
  while (now.every((count, lane) => count < sizes[lane]!)) {
    await c.clock.sleep(20)
    now = await done(c, backlog)
  }
  const seconds = (performance.now() - began) / 1000
  const used = between(first, spent(here, running))
  const rows = (total(now) - total(before)) * rowsOfMessage
  while (total(await done(c, backlog)) < total(sizes)) await c.clock.sleep(20)
  await addedUp(c)
  const wrong = await differences(c, load)
  if (wrong.length > 0) throw new Error(`the stores hold something else: ${wrong.join('; ')}`)
  await Promise.all([...running].map((engine) => stop(engine)))
  say(`  ${n} running: ${figure(rows / seconds)} rows/s for ${figure(seconds)} s, exact`)
  if (seconds < 1) throw new Error('the backlog was too short for a measurement: give more --rows')
  return { rate: rows / seconds, seconds, rows, spent: used }
}

/** What several rounds with the same number of processes come to. */
function sum(list: readonly Measured[]) {
  const of = (pick: (m: Measured) => number) => list.reduce((found, m) => found + pick(m), 0)
  const [seconds, rows] = [of((m) => m.seconds), of((m) => m.rows)]
  return {
    rate: rows / seconds,
    /** Processors kept busy, microseconds for each row. */
    cores: (part: keyof Spent) => of((m) => m.spent[part]) / seconds,
    micros: (part: keyof Spent) => (of((m) => m.spent[part]) / rows) * 1e6,
  }
}

function tell(results: ReadonlyMap<number, Measured[]>): void {
  const sums = new Map([...results].map(([n, list]) => [n, sum(list)]))
  const one = sums.get(counts[0]!)!.rate / counts[0]!
  for (const [n, { rate, cores, micros }] of sums) {
    const stores = `ClickHouse ${figure(cores('clickhouse'))}, NATS ${figure(cores('nats'))}, PostgreSQL ${figure(cores('postgres'))}`
    const ours = `engines ${figure(cores('engines'))} (main threads ${figure(cores('mainThreads'))})`
    const share = (100 * cores('engines')) / availableParallelism()
    say(`${n} running: ${figure(rate)} rows/s, ${figure(rate / one)}x, ${figure((100 * rate) / one / n)} % of linear`)
    say(`  cores busy: ${ours}, ${stores}; engines' share of the machine ${figure(share)} %`)
    say(
      `  time of engines for a row: ${figure(micros('engines'))} us, of it main threads ${figure(micros('mainThreads'))}`,
    )
  }
  const [alone, both] = [sums.get(1), sums.get(2)]
  if (!alone || !both) return
  const measured = both.rate / alone.rate
  if (isElsewhere) return goal('P8', 'a second process, stores elsewhere', measured, { min: 1.6 }, 'x')
  say(
    `with the stores on the same cores a second process brings ${figure(measured)}x; with stores that never wait, at most:`,
  )
  // Alone, a process is at its limit when its main thread is full; two are stopped by theirs or, on two cores, by those.
  const threads = Math.min(2, (2 * alone.micros('mainThreads')) / both.micros('mainThreads'))
  const two = Math.min(threads, (2 * alone.micros('mainThreads')) / both.micros('engines'))
  say(`  on a machine with cores to spare ${figure(threads)}x`)
  goal(
    'P8',
    'a second process on two cores without the stores, by the time engines need for a row',
    two,
    { min: 1.6 },
    'x',
  )
}

/** A change of who runs, and how the lanes followed. */
async function change(what: string, least: number, happen: () => Promise<unknown>): Promise<void> {
  const before = await takings(c)
  const known = new Set(running.map(({ pid }) => pid))
  const happening = happen()
  let began = performance.now()
  // A process that joins counts from its first lane on: its start is not the lanes' matter.
  if (what === 'joins')
    while (![...(await holdings(c)).keys()].some((pid) => !known.has(pid))) began = performance.now()
  await happening
  const share = Math.ceil(lanes / running.length)
  let fair = 0
  for (;;) {
    const held = await holdings(c)
    const most = Math.max(...held.values())
    if (fair === 0 && most <= share + 1) fair = performance.now() - began
    if (total([...held.values()]) === lanes && most <= share && held.size === running.length) break
    await c.clock.sleep(5)
  }
  const ms = performance.now() - began
  const moved = (await takings(c)) - before
  say(
    `  one ${what}, ${running.length} then: ${moved} lanes moved (${least} at least); none above its share and one after ${figure(fair)} ms, even after ${figure(ms)} ms`,
  )
  goal('lanes', `moved more than needed when one ${what}`, moved - least, { max: 0 })
}

async function balance(): Promise<void> {
  say(`${lanes} lanes without load`)
  await start()
  await even()
  // What a joiner must be given: all above the new share of those who ran before.
  await change('joins', lanes - Math.ceil(lanes / 2), () => start())
  await change('joins', lanes - 2 * Math.ceil(lanes / 3), () => start())
  await change('leaves', (await holdings(c)).get(running[0]!.pid)!, () => stop(running[0]!))
  await start()
  await even()
  await change('is killed', (await holdings(c)).get(running[0]!.pid)!, () => stop(running[0]!, 'SIGKILL'))
}
