/**
 * The whole engine on ports in memory, under a scheduler that orders every step and fails what can fail, from a seed.
 * `SIM_SEED=n` runs that seed alone and prints its trace; `SIM_SEEDS=n` runs the first n: 250 in the deep tier, 1,000 with TEST_DEPTH=whole. `npm test` runs
 * those within which all planted bugs are found.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { bugs } from '#test/sim/bugs.ts'
import type { Said, Share } from '#test/sim/worker.ts'
import { runSeed, traceSeed } from '#test/sim/world.ts'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'

const chosen = process.env['SIM_SEED']
/** The first n seeds. */
const first = (n: number): number[] => Array.from({ length: n }, (_, at) => at + 1)
/** Seeds of `npm test`: each planted bug is found within them. */
const few = [...first(25), 96]
const asked = process.env['SIM_SEEDS']
const seedsToRun = asked ? first(Number(asked)) : isDeep ? first(amount(0, 250, 1000)) : few
/** Planted bugs that take a second or more to find. */
const slowBugs = new Set([
  'a commit that ignores the epoch',
  'versions without the epoch',
  'outbox rows deleted before they are published',
  'a commit that leaves out its outbox',
  'a commit that keeps reminders that rang',
  'marks forgotten whatever was marked since',
  'generations that do not grow',
  'careful turns that are not marked',
  'effects that are forgotten when they are claimed',
])

describe('the engine, simulated', () => {
  if (chosen !== undefined) {
    it(`keeps its promises under seed ${chosen}`, async function () {
      this.timeout(0)
      const { error, lines } = await traceSeed(Number(chosen))
      console.log(lines.join('\n'))
      if (error) throw error
    })
    return
  }

  it('loses, doubles, reorders and invents nothing, whatever fails, dies, waits or comes twice [STREAM-06]', async function () {
    this.timeout(0)
    const since = performance.now()
    const { seeds, events, failed } = await runAll(seedsToRun)
    const seconds = (performance.now() - since) / 1000
    console.log(
      `      ${seeds} seeds, ${events} events in ${seconds.toFixed(1)} s: ${Math.round(seeds / seconds)} seeds/s`,
    )
    if (failed) throw new Error(await explain(failed.seed, failed.message))
  })

  it('repeats a seed exactly', async () => {
    // The first run of a process may order two timers of one moment otherwise than all later ones, which are the same.
    await traceSeed(42)
    const traces = [await traceSeed(42), await traceSeed(42)]
    expect(traces[0]!.error).to.equal(undefined)
    expect(traces[0]!.lines.length).to.be.greaterThan(100)
    expect(traces[1]!.lines).to.deep.equal(traces[0]!.lines)
  })

  for (const [name, bug] of Object.entries(bugs)) {
    const itOf = slowBugs.has(name) ? deepIt : it
    itOf(`finds ${name}`, async function () {
      this.timeout(300_000)
      for (const seed of few) {
        const error = await runSeed(seed, bug).catch((caught: Error) => caught)
        // A model that is broken finds everything.
        if (error instanceof TypeError) throw error
        if (!(error instanceof Error)) continue
        this.test!.title += `, at seed ${seed}`
        return
      }
      expect.fail('not found within the seeds of npm test: look for a seed that finds it, and add it to them')
    })
  }
})

/** All seeds, shared out over the processor's cores; ends at the first that fails. In `npm test` other files run on the other cores. */
async function runAll(seeds: readonly number[]): Promise<Said> {
  const threads = isDeep ? Math.min(4, availableParallelism()) : 1
  const total: Said = { seeds: 0, events: 0 }
  const workers: Worker[] = []
  const run = (thread: number) =>
    new Promise<void>((resolve, reject) => {
      const share: Share = { seeds: seeds.filter((_, at) => at % threads === thread) }
      const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: share })
      workers.push(worker)
      worker.on('error', reject)
      worker.on('exit', () => resolve())
      worker.on('message', ({ seeds, events, failed }: Said) => {
        total.seeds += seeds
        total.events += events
        if (!failed) return
        total.failed ??= failed
        for (const other of workers) void other.terminate()
      })
    })
  await Promise.all(Array.from({ length: threads }, (_, thread) => run(thread)))
  return total
}

async function explain(seed: number, message: string): Promise<string> {
  const { lines } = await traceSeed(seed)
  return [
    `seed ${seed}: ${message}`,
    `again, with the whole trace: SIM_SEED=${seed} npm test -- test/sim/sim.test.ts`,
    'the end of its trace:',
    ...lines.slice(-100),
  ].join('\n')
}
