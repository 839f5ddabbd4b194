/**
 * Generated requests and messages against the whole product on real servers: no response of 500 or above, every error a
 * problem document, no lane lost, every refused message a dead letter, memory flat.
 * Usage: npm run -s bench -- fuzz [--requests 100000] [--messages 100000] [--seed S]
 * Exits 1 if any of this fails. Default: 10,000 of each.
 */
import 'reflect-metadata'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseArgs } from 'node:util'
import { floodEdge } from '#test/fuzz/run.ts'
import { floodStream } from '#test/fuzz/stream.ts'
import { stopTestProduct, testProduct } from '#test/harness/product.ts'
import { stopTestStores } from '#test/harness/stores.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string' }, messages: { type: 'string' }, seed: { type: 'string' } },
})
const isBare = values.requests === undefined && values.messages === undefined
const requests = Number(values.requests ?? (isBare ? 10_000 : 0))
const messages = Number(values.messages ?? (isBare ? 10_000 : 0))
const seed = Number(values.seed ?? Date.now() % 1_000_000)

/** What memory may grow by between the first fifth of a run, when caches are full, and its end. */
const growthMax = 0.1
/** The allocator takes this many requests or messages to come to rest: the RSS of a shorter run says nothing. */
const settledMin = 20_000

const say = (text: string) => process.stdout.write(`${text}\n`)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Megabytes of this process: the product, and the generator beside it. */
function memory(): { rss: number; heap: number } {
  collect()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}

/** Takes memory before, after each tenth and at the end; prints it. */
class Memory {
  private readonly before = memory()
  private readonly began = performance.now()
  private readonly total: number
  private tenths = 0
  private warm: { rss: number; heap: number } | undefined

  constructor(total: number) {
    this.total = total
  }

  tell(done: number): void {
    if (done < ((this.tenths + 1) * this.total) / 10) return
    this.tenths = Math.floor((done * 10) / this.total)
    const now = memory()
    if (this.tenths >= 2) this.warm ??= now
    const seconds = (performance.now() - this.began) / 1000
    say(`  ${done} of ${this.total} after ${seconds.toFixed(0)} s, ${(done / seconds).toFixed(0)}/s: ${shown(now)}`)
  }

  /** Whether it stayed flat. */
  report(): boolean {
    const end = memory()
    const warm = this.warm ?? this.before
    const growth = end.heap / warm.heap - 1
    say(`  memory before: ${shown(this.before)}; after a fifth: ${shown(warm)}; at the end: ${shown(end)}`)
    say(`  from the fifth to the end: RSS ${percent(end.rss / warm.rss - 1)}, heap ${percent(growth)}`)
    return growth <= growthMax && (this.total / 5 < settledMin || end.rss / warm.rss - 1 <= growthMax)
  }
}

const shown = (m: { rss: number; heap: number }) => `RSS ${m.rss.toFixed(0)} MB, heap ${m.heap.toFixed(1)} MB`

const percent = (share: number): string => `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)} %`

function table(counts: Readonly<Record<string, number>>): void {
  for (const [name, n] of Object.entries(counts).toSorted(([, a], [, b]) => b - a))
    say(`  ${String(n).padStart(8)}  ${name}`)
}

function verdict(name: string, differences: readonly string[], isFlat: boolean): boolean {
  for (const difference of differences) say(`  WRONG ${difference}`)
  if (!isFlat) say(`  memory grew by more than ${percent(growthMax)}`)
  const isRight = differences.length === 0 && isFlat
  say(`${isRight ? 'PASS' : 'FAIL'}  ${name}`)
  return isRight
}

async function floodRequests(): Promise<boolean> {
  const watched = new Memory(requests)
  const began = performance.now()
  const { sent, counts, ms, differences } = await floodEdge({ count: requests, seed, tell: (n) => watched.tell(n) })
  const seconds = (performance.now() - began) / 1000
  say(`${sent} requests in ${seconds.toFixed(0)} s, seed ${seed}; answers by status and code:`)
  table(counts)
  say('  slowest operations, milliseconds:')
  const slow = [...ms].map(([name, all]) => ({ name, all: all.toSorted((a, b) => a - b) }))
  const at = (all: number[], share: number) => all[Math.min(all.length - 1, Math.floor(all.length * share))]!.toFixed(0)
  for (const { name, all } of slow.toSorted((a, b) => Number(at(b.all, 0.99)) - Number(at(a.all, 0.99))).slice(0, 8))
    say(`  ${name.padEnd(40)} p50 ${at(all, 0.5)}, p99 ${at(all, 0.99)}, max ${at(all, 1)} (${all.length})`)
  return verdict('requests', differences, watched.report())
}

async function floodMessages(): Promise<boolean> {
  const watched = new Memory(messages)
  const began = performance.now()
  const { published, unpublished, counts, differences } = await floodStream(messages, seed, (n) => watched.tell(n))
  say(
    `${published} messages in ${((performance.now() - began) / 1000).toFixed(0)} s, seed ${seed}; envelopes by what became of them:`,
  )
  table(counts)
  if (unpublished > 0) say(`  ${unpublished} were not taken by the broker`)
  return verdict('messages', differences, watched.report())
}

await testProduct()
let isRight = true
try {
  if (requests > 0) isRight = await floodRequests()
  if (messages > 0) isRight = (await floodMessages()) && isRight
} finally {
  await stopTestProduct()
  await stopTestStores()
}
process.exit(isRight ? 0 : 1)
