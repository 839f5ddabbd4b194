/**
 * Kills and stops processes under load and compares every store with an oracle at the end.
 * Usage: npm run -s chaos -- [--kills 100] [--seed S] [--processes 2] [--minutes 30]    at random
 *        npm run -s chaos -- --points [--kills 20] [--seed S] [--processes 2]           at every crash point, this often each
 *        npm run -s chaos -- --actions [--kills 500] [--resources 200]                  at random, while resources are started and stopped
 *        npm run -s chaos -- --workflows [--kills 500] [--together 30]                  at random, while workflows are started, decided and executed
 *        npm run -s chaos -- --plans [--kills 200] [--together 30]                      at random, while readiness plans scale fleets up and restore them
 *        npm run -s chaos -- --point after-facts [--point relay-published ...]          only at those points
 * Exits 1 if anything was lost, duplicated, wrong or out of order, or if time ran out before all kills. The same seed gives the same load and the same choices;
 * the exact moment at which a process is hit depends on the operating system.
 */
import 'reflect-metadata'
import { parseArgs } from 'node:util'
import type { CrashPoint } from '#engine/lane/tools.ts'
import { chaosWorld, publishItems, settle } from '#test/harness/chaos.ts'
import { startAndStop, wrongs } from '#test/harness/action-load.ts'
import { makeLoad } from '#test/harness/load.ts'
import { Oracle } from '#test/harness/oracle.ts'
import { differences, standing } from '#test/harness/standing.ts'
import { stopTestStores } from '#test/harness/stores.ts'
import { plans, plansUnderWay, planWrongs } from '#test/harness/plan-load.ts'
import { crashPoints, Storm, strikeAt } from '#test/harness/storm.ts'
import { underWay, workflows } from '#test/harness/workflow-load.ts'
import { workflowWrongs } from '#test/harness/workflow-wrongs.ts'
import { quantile, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    seed: { type: 'string' },
    processes: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '30' },
    points: { type: 'boolean', default: false },
    actions: { type: 'boolean', default: false },
    workflows: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    together: { type: 'string', default: '30' },
    resources: { type: 'string', default: '200' },
    point: { type: 'string', multiple: true, default: [] },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const unknown = values.point.find((point) => !(crashPoints as readonly string[]).includes(point))
if (unknown !== undefined) throw new Error(`--point ${unknown} is none of: ${crashPoints.join(', ')}`)
const isMatrix = values.points || values.point.length > 0
const kills = Number(values.kills ?? (isMatrix ? 20 : 100))
const end = performance.now() + Number(values.minutes) * 60_000

/** Milliseconds between ten events and the next ten. At a crash point few will do: every commit passes it. */
const pauseMs = isMatrix ? 150 : 100
/** One event in so many ends its process: each costs five ends, so they are few. */
const deadlyEvery = 10_000

const world = await chaosWorld(Number(values.processes))
let isRight = true
try {
  if (values.actions) await acting()
  else if (values.workflows) await working()
  else if (values.plans) await planning()
  else if (isMatrix) await matrix()
  else await atRandom()
} finally {
  await world.close()
  await stopTestStores()
}
say(isRight ? 'PASS' : 'FAIL')
process.exit(isRight ? 0 : 1)

/** One load that goes on as long as `ends` does its work, and the comparison. What `ends` came to, and whether all was exact. */
async function round<T>(mine: number, deadly: number, ends: () => Promise<T>) {
  const oracle = new Oracle()
  const over = new AbortController()
  const items = makeLoad({
    seed: mine,
    events: Infinity,
    orgs: 5,
    accounts: 4,
    deadlyEvery: deadly,
    until: over.signal,
  })
  const loading = publishItems(world, items, oracle, { pauseMs })
  const told = await ends().finally(() => over.abort())
  const events = await loading
  const settledMs = await settle(world)
  const list = differences(await standing(world, mine), oracle.all())
  isRight &&= list.length === 0
  return { told, events, settled: `${(settledMs / 1000).toFixed(1)} s`, list, oracle: oracle.all() }
}

async function atRandom(): Promise<void> {
  const storm = new Storm(world, { seed: seed + 1, kills, end })
  const { events, settled, list, oracle } = await round(seed, deadlyEvery, () => storm.run())
  const { engines } = world
  const { pause = 0, drain = 0, join = 0, connections = 0, ...killed } = storm.counts
  const at = Object.entries(engines.pointEnds).map(([point, n]) => `${point} ${n}`)
  say(`seed ${seed}: ${events} events published; all done ${settled} after the last`)
  say(
    `kills by kind      ${Object.entries(killed)
      .map(([kind, n]) => `${kind} ${n}`)
      .join(', ')}`,
  )
  say(`kills by point     ${at.join(', ') || 'none'}`)
  say(`ends by a message  ${engines.otherEnds}`)
  say(
    `paused past the lease ${pause}, drained ${drain} (${engines.stuckDrains} stuck), joined for a while ${join}, connections taken away ${connections}`,
  )
  say(`takeover           ${spread(storm.takeovers)}`)
  say(`drain              ${spread(engines.drains)}`)
  const entries = Object.entries(oracle).map(
    ([name, v]) => `${name} ${typeof v === 'number' ? v : Object.keys(v).length}`,
  )
  say(`compared           ${entries.join(', ')}`)
  list.push(...unasked())
  if (storm.kills < kills) list.push(`time was up after ${storm.kills} of ${kills} kills`)
  isRight &&= list.length === 0
  for (const difference of list) say(`  WRONG ${difference}`)
}

/** Actions all the while, and ten schedules that fire every minute. */
async function acting(): Promise<void> {
  const orgId = `acting-${seed}`
  const over = new AbortController()
  const load = { orgId, resources: Number(values.resources), schedules: 10, until: over.signal }
  const storm = new Storm(world, { seed: seed + 1, kills, end })
  const asking = startAndStop(world, load)
  await storm.run().finally(() => over.abort())
  const asked = await asking
  const settledMs = await settle(world)
  const list = [...(await wrongs(world, orgId, asked, world.cloud)), ...unasked()]
  const { rows } = await world.pool.query('select count(*)::int as n from scheduler_event where org_id = $1', [orgId])
  say(
    `seed ${seed}: ${asked.length} actions, ${rows[0].n} fires; all done ${(settledMs / 1000).toFixed(1)} s after the last`,
  )
  sayStruck(storm, list)
}

/** Workflows all the while, some of them cancelled while they are under way. */
async function working(): Promise<void> {
  const orgId = `working-${seed}`
  const over = new AbortController()
  const load = { orgId, seed, together: Number(values.together), until: over.signal }
  const storm = new Storm(world, { seed: seed + 1, kills, end })
  const following = workflows(world, load)
  await storm.run().finally(() => over.abort())
  const watch = setInterval(() => void underWay(world, orgId).then((list) => list.forEach(say), say), 60_000)
  const followed = await following.finally(() => clearInterval(watch))
  const settledMs = await settle(world)
  const { wrongs, counts } = await workflowWrongs(world, orgId, followed, world.cloud)
  say(`seed ${seed}: ${JSON.stringify(counts)}; all done ${(settledMs / 1000).toFixed(1)} s after the last`)
  sayStruck(storm, [...wrongs, ...unasked()])
}

/** Readiness plans of some seconds all the while, some of them cancelled at any moment. */
async function planning(): Promise<void> {
  const orgId = `planning-${seed}`
  const over = new AbortController()
  const storm = new Storm(world, { seed: seed + 1, kills, end })
  const following = plans(world, { orgId, seed, together: Number(values.together), until: over.signal })
  await storm.run().finally(() => over.abort())
  const watch = setInterval(() => void plansUnderWay(world, orgId).then((list) => list.forEach(say), say), 60_000)
  const followed = await following.finally(() => clearInterval(watch))
  const settledMs = await settle(world)
  const { wrongs, counts } = await planWrongs(world, orgId, followed, world.cloud)
  say(`seed ${seed}: ${JSON.stringify(counts)}; all done ${(settledMs / 1000).toFixed(1)} s after the last`)
  sayStruck(storm, [...wrongs, ...unasked()])
}

function sayStruck(storm: Storm, list: string[]): void {
  say(`struck             ${JSON.stringify(storm.counts)}, at points ${JSON.stringify(world.engines.pointEnds)}`)
  if (storm.kills < kills) list.push(`time was up after ${storm.kills} of ${kills} kills`)
  isRight &&= list.length === 0
  for (const wrong of list) say(`  WRONG ${wrong}`)
}

async function matrix(): Promise<void> {
  say(`seed ${seed}`)
  say('point             kills  events  done after  result')
  const isWanted = (point: string) => values.points || values.point.includes(point)
  for (const [nth, point] of crashPoints.entries()) if (isWanted(point)) await cell(point, seed + nth * 1_000_000)
}

async function cell(point: CrashPoint, mine: number): Promise<void> {
  const { told, events, settled, list } = await round(mine, Infinity, () =>
    strikeAt(world, point, { seed: mine + 1, kills, end }),
  )
  list.push(...unasked())
  if (told < kills) list.push(`time was up after ${told} of ${kills} kills`)
  isRight &&= list.length === 0
  const result = list.length === 0 ? 'exact' : 'WRONG'
  say(
    [point.padEnd(17), String(told).padStart(5), String(events).padStart(7), settled.padStart(11), ` ${result}`].join(
      ' ',
    ),
  )
  for (const difference of list) say(`  ${difference}`)
}

/** An end that nobody asked for and no message caused, with the last words of the process. */
function unasked(): string[] {
  return world.engines.unaskedEnds.splice(0).map((said) => `a process ended by itself: ${said}`)
}

function spread(ms: readonly number[]): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => Math.round(quantile(ms, share)))
  return ms.length === 0 ? 'none' : `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${ms.length})`
}
