/**
 * Ends and stops processes under load and compares every store with an oracle at the end.
 * Usage: npm run -s chaos -- [--kills 100] [--seed S] [--processes 2] [--minutes M]    at random
 *        npm run -s chaos -- --points [--kills 20]                                    at every crash point, so many times each
 * Exits 1 when anything was lost, doubled or wrong. The same seed makes the same load and the same choices; when exactly a
 * process is hit is up to the operating system.
 */
import 'reflect-metadata'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { CrashPoint } from '#engine/lane.ts'
import { chaosWorld, expected, leaseMs, publishItems, settle, standing, type ChaosWorld } from '#test/harness/chaos.ts'
import { makeLoad, Oracle, random } from '#test/harness/load.ts'
import { stopTestStores } from '#test/harness/stores.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    seed: { type: 'string' },
    processes: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '30' },
    points: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const kills = Number(values.kills ?? (values.points ? 20 : 100))
const end = performance.now() + Number(values.minutes) * 60_000
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const say = (text: string) => process.stdout.write(`${text}\n`)

const points: readonly CrashPoint[] = [
  'after-read',
  'after-turns',
  'before-facts',
  'after-facts',
  'before-commit',
  'after-commit',
  'after-answers',
  'relay-published',
]
const targets = ['engine', 'engine', 'engine', 'clickhouse', 'clickhouse', 'nats', 'postgres', 'pause'] as const

const world = await chaosWorld(Number(values.processes))
let isRight = true
try {
  if (values.points) for (const point of points) await round(`at ${point}`, points.indexOf(point), () => atPoint(point))
  else await round('at random', 0, atRandom)
} finally {
  await world.close()
  await stopTestStores()
}
say(isRight ? 'PASS' : 'FAIL')
process.exit(isRight ? 0 : 1)

/** One load from beginning to end while `ends` does its work, and the comparison. */
async function round(name: string, nth: number, ends: (signal: AbortSignal) => Promise<string>): Promise<void> {
  const mine = seed + nth * 1_000_000
  const items = makeLoad({ seed: mine, events: values.points ? 1500 : kills * 200, orgs: 3, accounts: 2 })
  const oracle = new Oracle()
  for (const item of items) oracle.take(item)
  const over = new AbortController()
  const loading = publishItems(world, items, 20)
  const told = await ends(over.signal)
  world.engines.crashAt = undefined
  const lanes = await loading
  const began = performance.now()
  await settle(world, lanes)
  const drained = ((performance.now() - began) / 1000).toFixed(1)
  const differences = compare(await standing(world, mine), expected(oracle))
  say(
    `seed ${mine}, ${name}: ${items.length} events, ${told}; settled ${drained} s after the load; ${differences.length === 0 ? 'exact' : 'WRONG'}`,
  )
  for (const difference of differences) say(`  ${difference}`)
  isRight &&= differences.length === 0
}

async function atRandom(): Promise<string> {
  const next = random(seed)
  const counts: Record<string, number> = {}
  const takeovers: number[] = []
  for (let i = 0; i < kills && performance.now() < end; i++) {
    const target = targets[Math.floor(next() * targets.length)]!
    counts[target] = (counts[target] ?? 0) + 1
    await sleep(100 + next() * 900)
    if (target === 'pause') await world.engines.pause(next(), leaseMs + 500 + next() * 1000)
    else if (target === 'engine') {
      world.engines.kill(next())
      takeovers.push(await takeover(world))
    } else {
      const pid = world.stores[target].pid()
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    }
  }
  return `kills ${JSON.stringify(counts)}, takeover ${spread(takeovers)}`
}

/** Processes started from now on end themselves at the point; those that run are replaced. */
async function atPoint(point: CrashPoint): Promise<string> {
  const next = random(seed)
  const before = world.engines.ownEnds
  while (world.engines.ownEnds - before < kills && performance.now() < end) {
    world.engines.crashAt = `${point}:${1 + Math.floor(next() * 4)}`
    if (world.engines.ownEnds === before) world.engines.kill(next())
    await sleep(300)
  }
  return `${world.engines.ownEnds - before} ends`
}

/** Milliseconds until every lane has a live owner again. */
async function takeover({ pool }: ChaosWorld): Promise<number> {
  const began = performance.now()
  await sleep(20)
  const sql = `select count(*)::int as n from lane l where not exists (
    select from pg_locks k where k.locktype = 'advisory' and k.objid = l.lane and k.objsubid = 2 and k.granted)`
  for (;;) {
    const found = await pool.query(sql).catch(() => undefined)
    if (found?.rows[0].n === 0 || performance.now() - began > 30_000) return performance.now() - began
    await sleep(10)
  }
}

function spread(ms: number[]): string {
  const list = ms.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (${list.length})`
}

function compare(found: object, wanted: object): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const other = (found as Record<string, unknown>)[name]
    if (isDeepStrictEqual(other, value)) return []
    return [`${name}: ${describe(other, value)}`]
  })
}

/** The first entries in which two collections differ. */
function describe(found: unknown, wanted: unknown): string {
  if (typeof wanted === 'number') return `found ${String(found)}, expected ${wanted}`
  const entries = (value: unknown) =>
    (value instanceof Set ? [...value].map((v) => [v, true]) : Object.entries(value as object)) as [string, unknown][]
  const [a, b] = [new Map(entries(found)), new Map(entries(wanted))]
  const keys = [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key))
  return keys
    .slice(0, 5)
    .map((key) => `${key}: found ${String(a.get(key))}, expected ${String(b.get(key))}`)
    .join('; ')
}
