/**
 * A backlog after a kill -9. The same messages (one bill line each, as in P1) are processed three times: undisturbed,
 * by a process that is killed in the middle of its work and started again, and undisturbed. The rate from the kill
 * until the backlog is empty, including the restart, is compared with the mean rate of the other two, including their
 * starts. Prints the peak memory of each process, and checks at each end that the stores contain every line and cent
 * exactly once.
 * Usage: npm run -s bench -- recovery [--messages 200000] [--rows 1] [--lanes 16] [--kill-at 0.1]
 *        the goal's own size is --messages 1000000; --rows 100 packs so many lines into each message
 */
import 'reflect-metadata'
import { parseArgs } from 'node:util'
import { addedUp, differences, done, publish, reached, rewind, total, type Backlog } from './harness/backlog.ts'
import { startEngine, type EngineProcess } from './harness/engine-process.ts'
import { Load } from './harness/load.ts'
import { cpuSeconds, peakMiB } from './harness/proc.ts'
import { figure, goal, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '200000' },
    rows: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '16' },
    'kill-at': { type: 'string', default: '0.1' },
  },
})
const messages = Number(values.messages)
const lanes = Number(values.lanes)

/** A stretch of work: messages committed in it, and what its process needed. */
interface Stretch {
  messages: number
  seconds: number
  /** Seconds on the processors, MiB. */
  cpu: number
  peak: number
}

const here = await stage({ lanes })
const c = await here.open()
let engine: EngineProcess | undefined
try {
  const load = await Load.of({ run: String(process.pid), lanes, perLane: 4 })
  const began = performance.now()
  const backlog = await publish(c, load, messages, (place) => load.bill(place, Number(values.rows)))
  const seconds = (performance.now() - began) / 1000
  say(`${figure(messages)} messages of ${values.rows} lines in ${lanes} lanes, published in ${figure(seconds)} s`)
  const before = await undisturbed(backlog, load)
  const [early, late] = await killed(backlog, load)
  const after = await undisturbed(backlog, load)
  const rate = (list: Stretch[]) => sum(list, 'messages') / sum(list, 'seconds')
  const cpu = (list: Stretch[]) => (sum(list, 'cpu') / sum(list, 'messages')) * 1e6
  say(
    `time on processors for a message: ${figure(cpu([before, after]))} us undisturbed, ${figure(cpu([late]))} us behind the kill`,
  )
  goal(
    'P9',
    'time to empty behind a kill against undisturbed',
    rate([before, after]) / rate([late]),
    { max: 1.15 },
    'x',
  )
  const peak = Math.max(...[before, early, late, after].map((stretch) => stretch.peak))
  goal('P9', 'peak memory of an engine process', peak, { max: 1024 }, ' MiB')
} finally {
  await engine?.end('SIGTERM')
  await c.close()
  await here.close()
}
process.exit(0)

function sum(list: readonly Stretch[], part: keyof Stretch): number {
  return list.reduce((found, stretch) => found + stretch[part], 0)
}

async function undisturbed(backlog: Backlog, load: Load): Promise<Stretch> {
  await rewind(c, backlog)
  const began = performance.now()
  engine = await startEngine(here)
  const stretch = await toTheEnd(engine, backlog, began, 0)
  tell('undisturbed', stretch)
  await close(load)
  return stretch
}

/** What the first process did until it was killed, and the second from the kill on. */
async function killed(backlog: Backlog, load: Load): Promise<[Stretch, Stretch]> {
  await rewind(c, backlog)
  const began = performance.now()
  engine = await startEngine(here)
  await reached(c, backlog, Number(values['kill-at']))
  const [cpu, peak, seconds] = [cpuSeconds(engine.pid), peakMiB(engine.pid), (performance.now() - began) / 1000]
  const kill = performance.now()
  await engine.end('SIGKILL')
  const left = total(await done(c, backlog))
  const early = { messages: left, seconds, cpu, peak }
  tell('until the kill', early)
  engine = await startEngine(here)
  const late = await toTheEnd(engine, backlog, kill, left)
  tell('from the kill on', late)
  await close(load)
  return [early, late]
}

async function toTheEnd(process: EngineProcess, backlog: Backlog, since: number, before: number): Promise<Stretch> {
  const end = await reached(c, backlog, 1)
  const { pid } = process
  return { messages: messages - before, seconds: (end - since) / 1000, cpu: cpuSeconds(pid), peak: peakMiB(pid) }
}

function tell(what: string, stretch: Stretch): void {
  const rate = figure(stretch.messages / stretch.seconds)
  const of = `${figure(stretch.messages)} messages in ${figure(stretch.seconds)} s`
  say(`  ${what}: ${of}, ${rate}/s; peak ${figure(stretch.peak)} MiB`)
}

/** @throws Error when a line or a cent is missing or there twice */
async function close(load: Load): Promise<void> {
  await addedUp(c)
  const wrong = await differences(c, load)
  if (wrong.length > 0) throw new Error(`the stores hold something else: ${wrong.join('; ')}`)
  say('    every line once, the costs exact, in the rollups too')
  await engine?.end('SIGTERM')
  engine = undefined
}
