/**
 * Effectively-once ingest through the whole engine, of billing rows, samples and discovered resources, against (a) what
 * no engine can beat here: fetch, parse and insert, without actors and without a commit, and (b) the consumer a user
 * would write: explicit acknowledgement and one INSERT into PostgreSQL a message, or one a hundred; and (c) the same with
 * the promise of ours, by the ids of messages in the transaction of their rows.
 * One account, so one lane and one thread. Rates are of one run, interleaved; only the ratios mean anything.
 * Usage: npm run -s bench -- pipeline [--rows 40000] [--runs 3] [--only billing]
 */
import { parseArgs } from 'node:util'
import { tokens } from '#config/wiring/tokens.ts'
import type { Log } from '#engine/actor/ports.ts'
import { ceiling, naive, type Naive } from './harness/peer.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'
import { bill, billing, discovery, publish, samples, type Backlog, type Workload } from './harness/workload.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '40000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
})
const rows = Number(values.rows)
const lines = await bill(rows)
const works: readonly (Workload & { id: string; wanted: number })[] = [
  { ...billing(lines, 1), id: 'P1', wanted: 0.7 },
  { ...billing(lines, 100), id: 'P1', wanted: 0.7 },
  { ...samples(rows, 1), id: 'P2', wanted: 0.6 },
  { ...samples(rows * 5, 100), id: 'P2', wanted: 0.6 },
  { ...discovery(rows / 2), id: 'P2', wanted: 0.4 },
  { ...discovery(rows / 2, true), id: 'P2', wanted: 0.8 },
]

/** What one pass over a backlog took: seconds of wall time, and of this process's CPU. */
interface Took {
  seconds: number
  cpu: number
}

const set = await stage()
const connections = await set.open()
for (const work of works.filter(({ name }) => name.includes(values.only))) await measure(work)
await connections.close()
await set.close()
process.exit(0)

async function measure(work: (typeof works)[number]): Promise<void> {
  const limits: Took[] = []
  const ours: Took[] = []
  const peers = peersOf(rows).map((peer) => ({ ...peer, rates: [] as number[] }))
  const isPlain = work === works[0]
  for (let i = 0; i < Number(values.runs); i++) {
    if (work.isKnown) {
      await again(work, limits, ours)
      continue
    }
    const backlog = await publish(connections, work)
    limits.push(await timed(() => ceiling(connections, backlog)))
    if (isPlain) for (const { rates, of } of peers) rates.push(of.count / (await naive(connections, backlog, of)))
    ours.push(await engine(backlog))
  }
  const ratio = quantile(
    limits.map(({ seconds }, i) => seconds / ours[i]!.seconds),
    0.5,
  )
  const rate = (list: Took[]) =>
    work.rows /
    quantile(
      list.map((took) => took.seconds),
      0.5,
    )
  const cost = (list: Took[]) =>
    (quantile(
      list.map((took) => took.cpu),
      0.5,
    ) /
      work.rows) *
    1e6
  say(
    `${work.name}: ceiling ${figure(rate(limits))} rows/s at ${figure(cost(limits))} us CPU a row; engine ${figure(rate(ours))} at ${figure(cost(ours))}`,
  )
  goal(work.id, `${work.name}, of the ceiling`, ratio, { min: work.wanted })
  if (!isPlain) return
  for (const { what, rates, least } of peers) {
    const theirs = quantile(rates, 0.5)
    say(`  ${what}: ${figure(theirs)} rows/s`)
    goal('P3', `against ${what}`, rate(ours) / theirs, { min: least }, 'x')
  }
}

/** What is known is told once more to the process that was told twice, whose lane does not read meanwhile. */
async function again(work: Workload, limits: Took[], ours: Took[]): Promise<void> {
  const { connections: c, product, end } = await set.product()
  const gate = gated(c.log)
  product.get(tokens.engine).start()
  const { orgId, lane, to } = await publish(connections, work)
  const done = (upTo: number) => none(c.store.pool, 'select from lane where lane = $1 and cursor < $2', [lane, upTo])
  await done(to)
  await done((await publish(connections, work, orgId)).to)
  gate.close()
  const backlog = await publish(connections, work, orgId)
  limits.push(await timed(() => ceiling(connections, backlog)))
  ours.push(
    await timed(async () => {
      const began = performance.now()
      gate.open()
      await done(backlog.to)
      return (performance.now() - began) / 1000
    }),
  )
  await end()
}

/** Lets what reads from the log wait. */
function gated(log: Log): { close(): void; open(): void } {
  let { promise, resolve } = Promise.withResolvers<void>()
  resolve()
  const read = log.read.bind(log)
  log.read = async (...place) => {
    const reader = await read(...place)
    return {
      next: (...most) => promise.then(() => reader.next(...most)),
      close: () => reader.close(),
    }
  }
  return {
    close: () => void ({ promise, resolve } = Promise.withResolvers<void>()),
    open: () => resolve(),
  }
}

/** Consumers a user would write, and how many times their rate is wanted of ours. */
function peersOf(most: number): { what: string; of: Naive; least: number }[] {
  const few = Math.min(most, 1000)
  const many = Math.min(most, 10_000)
  return [
    { what: 'INSERT and acknowledgement each', of: { batch: 1, count: few }, least: 6 },
    { what: 'batches of 100, which may double', of: { batch: 100, count: many }, least: 1.5 },
    { what: 'each with an inbox, once as ours', of: { batch: 1, count: few, isOnce: true }, least: 3 },
    { what: 'batches of 100 with an inbox, once as ours', of: { batch: 100, count: many, isOnce: true }, least: 3 },
  ]
}

async function timed(work: () => Promise<number>): Promise<Took> {
  const before = process.cpuUsage()
  const seconds = await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds, cpu: (user + system) / 1e6 }
}

/** The product's own engine over the same messages, until the cursor is behind the last of them; rollups run meanwhile. */
async function engine({ orgId, lane, to }: Backlog): Promise<Took> {
  const { connections: c, product, end } = await set.product()
  const took = await timed(async () => {
    const began = performance.now()
    product.get(tokens.engine).start()
    await none(c.store.pool, 'select from lane where lane = $1 and cursor < $2', [lane, to])
    return (performance.now() - began) / 1000
  })
  await none(c.store.pool, 'select from mark where org_id = $1', [orgId])
  await end()
  return took
}

/** Resolves once the query finds nothing. */
async function none(
  pool: { query(sql: string, params: unknown[]): Promise<{ rowCount: number | null }> },
  sql: string,
  params: unknown[],
) {
  while ((await pool.query(sql, params)).rowCount !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
