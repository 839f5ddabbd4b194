/**
 * Bills as snapshots, against a plain model: the account actor's turns, the engine's passes and the rollup of days on stores in
 * memory, from a seed that orders every step and lets processes die at any. `SIM_SEED=n` runs that seed alone and prints its
 * trace; `SIM_SEEDS=n` runs the first n: 250 in the deep tier, 1,000 with TEST_DEPTH=whole.
 * `npm test` runs those within which all planted bugs are found.
 */
import { bugs } from '#test/sim/bill/bugs.ts'
import { runSeed, traceSeed } from '#test/sim/bill/world.ts'
import { expect } from 'chai'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'

const chosen = process.env['SIM_SEED']
/** The first n seeds. */
const first = (n: number): number[] => Array.from({ length: n }, (_, at) => at + 1)
/** Seeds of `npm test`: each planted bug is found within them. */
const few = first(52)
const asked = process.env['SIM_SEEDS']
const seedsToRun = asked ? first(Number(asked)) : isDeep ? first(amount(0, 250, 1000)) : few
/** Planted bugs that take more than a moment to find. */
const slowBugs = new Set([
  'the first export that begins in place of the oldest',
  'what is shown, read before a run begins only',
  'what is shown, read behind the begin of a run and not compared',
  'marks taken off whatever was marked since',
  "a line's second move that forgets where it came from",
])

describe('bills, simulated', () => {
  if (chosen !== undefined) {
    it(`keep their promises under seed ${chosen}`, async function () {
      this.timeout(0)
      const { error, lines } = await traceSeed(Number(chosen))
      console.log(lines.join('\n'))
      if (error) throw error
    })
    return
  }

  it('show the newest complete export of each period, never two at once, whatever fails, dies, waits or comes twice [BILL-04]', async function () {
    this.timeout(0)
    const since = performance.now()
    for (const seed of seedsToRun) {
      const error = await runSeed(seed).then(
        () => undefined,
        (caught: Error) => caught,
      )
      if (error) throw new Error(await explain(seed, error.message))
    }
    const seconds = (performance.now() - since) / 1000
    console.log(
      `      ${seedsToRun.length} seeds in ${seconds.toFixed(1)} s: ${Math.round(seedsToRun.length / seconds)} seeds/s`,
    )
  })

  it('repeat a seed exactly', async () => {
    const traces = [await traceSeed(42), await traceSeed(42)]
    expect(traces[0]!.error).to.equal(undefined)
    expect(traces[0]!.lines.length).to.be.greaterThan(20)
    expect(traces[1]!.lines).to.deep.equal(traces[0]!.lines)
  })

  for (const [name, bug] of Object.entries(bugs)) {
    const itOf = slowBugs.has(name) ? deepIt : it
    itOf(`find ${name}`, async function () {
      this.timeout(300_000)
      for (const seed of few) {
        const error = await runSeed(seed, bug).catch((caught: Error) => caught)
        // A model that is broken finds everything.
        if (error instanceof TypeError) throw error
        if (!(error instanceof Error)) continue
        this.test!.title += `, at seed ${seed}: ${error.message.slice(0, 100)}`
        return
      }
      expect.fail('not found within the seeds of npm test: look for a seed that finds it, and add it to them')
    })
  }
})

async function explain(seed: number, message: string): Promise<string> {
  const { lines } = await traceSeed(seed)
  return [
    `seed ${seed}: ${message}`,
    `again, with the whole trace: SIM_SEED=${seed} npm test -- test/sim/bill.test.ts`,
    'the end of its trace:',
    ...lines.slice(-100),
  ].join('\n')
}
