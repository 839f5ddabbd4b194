/**
 * Bills as snapshots, against a plain model: the account actor's turns, the engine's passes and the rollup of days on stores in
 * memory, from a seed that orders every step and lets processes die at any. `SIM_SEED=n` runs that seed alone and prints its
 * trace; `SIM_SEEDS=n` sets their number: 100 in `npm test`, 250 in the deep tier, 1,000 with TEST_DEPTH=whole.
 */
import { bugs } from '#test/sim/bill/bugs.ts'
import { runSeed, traceSeed } from '#test/sim/bill/world.ts'
import { expect } from 'chai'
import { amount } from '#test/harness/tier.ts'

const seedsMax = Number(process.env['SIM_SEEDS'] ?? amount(100, 250, 1000))
const chosen = process.env['SIM_SEED']
/** Seeds within which a planted bug must be found. */
const bugSeedsMax = 2000

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
    for (let seed = 1; seed <= seedsMax; seed++) {
      const error = await runSeed(seed).then(
        () => undefined,
        (caught: Error) => caught,
      )
      if (error) throw new Error(await explain(seed, error.message))
    }
    const seconds = (performance.now() - since) / 1000
    console.log(`      ${seedsMax} seeds in ${seconds.toFixed(1)} s: ${Math.round(seedsMax / seconds)} seeds/s`)
  })

  it('repeat a seed exactly', async () => {
    const traces = [await traceSeed(42), await traceSeed(42)]
    expect(traces[0]!.error).to.equal(undefined)
    expect(traces[0]!.lines.length).to.be.greaterThan(20)
    expect(traces[1]!.lines).to.deep.equal(traces[0]!.lines)
  })

  for (const [name, bug] of Object.entries(bugs)) {
    it(`find ${name}`, async function () {
      this.timeout(300_000)
      for (let seed = 1; seed <= bugSeedsMax; seed++) {
        const error = await runSeed(seed, bug).catch((caught: Error) => caught)
        // A model that is broken finds everything.
        if (error instanceof TypeError) throw error
        if (!(error instanceof Error)) continue
        this.test!.title += `, at seed ${seed}: ${error.message.slice(0, 100)}`
        return
      }
      expect.fail(`not found within ${bugSeedsMax} seeds`)
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
