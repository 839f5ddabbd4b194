/**
 * Costs of an actor: (a) turns in memory, with one message per actor and batch and with twenty, and the bytes of an
 * idle actor, against a bare Map with a function (the limit) and two actor libraries, alternating on the same messages:
 * each adds to a counter and appends a fact; (b) loading 100,000 resource actors from PostgreSQL, against the same
 * query with the rows thrown away; (c) the product's cold start, including stores, with a million actors, to its first
 * committed turn. Goals P6 and P11. CPU time is that of the process, including garbage collection.
 * Usage: npm run -s bench -- actors [--only memory,activation,start] [--batch 2000] [--rounds 3] [--registered 1000000]
 */
import 'reflect-metadata'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseArgs } from 'node:util'
import { activation } from './harness/activation.ts'
import { coldStart } from './harness/cold-start.ts'
import { bareMap, nact, ours, sent, xstate, type Runtime, type Sent } from './harness/runtimes.ts'
import { figure, goal, quantile, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'memory,activation,start' },
    batch: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    registered: { type: 'string', default: '1000000' },
  },
})
const parts = new Set(values.only.split(','))
const batchMessages = Number(values.batch)
const rounds = Number(values.rounds)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** How to make each runtime, and how many messages it is given a round: slow ones fewer. */
const kinds: readonly { make: () => Runtime; messages: number }[] = [
  { make: bareMap, messages: 400_000 },
  { make: ours, messages: 100_000 },
  { make: nact, messages: 20_000 },
  { make: xstate, messages: 20_000 },
]

const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => keyOf(i))
/** A text of its own each time, as a message brings it. */
const keyOf = (i: number): string => JSON.parse(`"resource-${i}"`) as string

/** Batches that go round all actors once or more, `each` messages for an actor of a batch; its actors take turns. */
function batches(actors: number, each: number): Sent[][] {
  const width = batchMessages / each
  let seq = 0
  return Array.from({ length: Math.ceil(actors / width) }, (_, nth) =>
    Array.from({ length: batchMessages }, (__, i) => sent(keyOf((nth * width + (i % width)) % actors), 1, ++seq)),
  )
}

/** Goes on where it stopped before, round and round. */
class Feed {
  private readonly list: readonly Sent[][]
  private at = 0

  constructor(list: readonly Sent[][]) {
    this.list = list
  }

  next(): Sent[] {
    return this.list[this.at++ % this.list.length]!
  }
}

/** CPU microseconds a message. */
async function measure(runtime: Runtime, feed: Feed, messages: number): Promise<number> {
  collect()
  const before = process.cpuUsage()
  let facts = 0
  for (let given = 0; given < messages; given += batchMessages) facts += await runtime.run(feed.next())
  const { user, system } = process.cpuUsage(before)
  if (facts < messages) throw new Error(`${runtime.name}: ${facts} facts of ${messages}`)
  return (user + system) / facts
}

async function turns(actors: number, each: number): Promise<void> {
  const list = batches(actors, each)
  const running = kinds.map(({ make, messages }) => ({ runtime: make(), messages, feed: new Feed(list) }))
  const measured = running.map((): number[] => [])
  for (const { runtime, messages, feed } of running) {
    await runtime.spawn(keysOf(actors))
    await measure(runtime, feed, messages)
  }
  for (let round = 0; round < rounds; round++)
    for (const [i, { runtime, messages, feed }] of running.entries())
      measured[i]!.push(await measure(runtime, feed, messages))
  say(`${figure(actors)} actors, ${each} a batch of ${figure(batchMessages)}; CPU us a message (of the limit)`)
  const [limit = 0, us = 0] = measured.map((all) => quantile(all, 0.5))
  for (const [i, { runtime }] of running.entries()) {
    const mid = quantile(measured[i]!, 0.5)
    say(`  ${runtime.name.padEnd(32)} ${figure(mid).padStart(8)}  1/${figure(mid / limit)}`)
    runtime.end()
  }
  const what = `turns of ${figure(actors)} actors, ${each} a batch, bare Map`
  goal('P6', what, limit / us, { min: 1 / 8 }, ' of it')
}

/** Bytes of the heap an idle actor takes, its name included, and CPU microseconds to bring it in. */
async function resident(make: () => Runtime, actors: number): Promise<{ name: string; bytes: number; us: number }> {
  const runtime = make()
  await runtime.spawn(['first'])
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const before = process.cpuUsage()
  await runtime.spawn(keysOf(actors))
  const { user, system } = process.cpuUsage(before)
  await new Promise((resolve) => setTimeout(resolve, 50))
  collect()
  const after = process.memoryUsage()
  const bytes = (after.heapUsed + after.external - heapUsed - external) / actors
  runtime.end()
  return { name: runtime.name, bytes, us: (user + system) / actors }
}

async function memory(): Promise<void> {
  for (const each of [1, 20]) for (const actors of [10_000, 100_000]) await turns(actors, each)
  say('bytes of an idle actor among 100,000, and CPU us to bring it into memory')
  for (const { make } of kinds) {
    const { name, bytes, us } = await resident(make, 100_000)
    say(`  ${name.padEnd(32)} ${figure(bytes).padStart(8)}  ${figure(us).padStart(8)}`)
    if (make === ours) goal('P6', 'bytes a resident idle actor', bytes, { max: 400 })
  }
}

if (parts.has('memory')) await memory()
// A load that PostgreSQL gives up on is a result too.
const failed = (error: Error) => say(`MISSED   activation failed: ${error.message}`)
if (parts.has('activation')) await activation(100_000, batchMessages, rounds).catch(failed)
if (parts.has('start')) await coldStart(Number(values.registered))
process.exit(0)
