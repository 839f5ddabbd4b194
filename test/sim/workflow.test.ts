/**
 * Workflows, against a plain record of what people decided and a far side that writes down every call: the product's own turns and
 * calls on stores in memory, from a seed that orders every step and lets processes die at any. `SIM_SEED=n` runs that seed alone
 * and prints its trace; `SIM_SEEDS=n` sets their number: 100 in `npm test`, 250 in the deep tier, 1,000 with TEST_DEPTH=whole.
 */
import { bugs } from '#test/sim/workflow/bugs.ts'
import { runSeed, traceSeed } from '#test/sim/workflow/world.ts'
import { expect } from 'chai'
import { amount, deepIt } from '#test/harness/tier.ts'

const seedsMax = Number(process.env['SIM_SEEDS'] ?? amount(100, 250, 1000))
const chosen = process.env['SIM_SEED']
/** Seeds within which a planted bug must be found. */
const bugSeedsMax = 2000
/** Planted bugs that only one seed of a hundred or more finds: too expensive for `npm test`. */
const rareBugs = new Set([
  'a workflow that is over, whose calls are made',
  'approvals that are good for ever',
  'repeats that are blind',
  'a machine that nobody holds',
])

describe('workflows, simulated', () => {
  if (chosen !== undefined) {
    it(`keep their promises under seed ${chosen}`, async function () {
      this.timeout(0)
      const { error, lines } = await traceSeed(Number(chosen))
      console.log(lines.join('\n'))
      if (error) throw error
    })
    return
  }

  it('call nothing that was not approved, and nothing twice, whatever fails, dies, waits or comes twice [WF-09] [WF-10] [WF-14] [WF-15] [WF-16]', async function () {
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
    const itOf = rareBugs.has(name) ? deepIt : it
    itOf(`find ${name}`, async function () {
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
    `again, with the whole trace: SIM_SEED=${seed} npm test -- test/sim/workflow.test.ts`,
    'the end of its trace:',
    ...lines.slice(-100),
  ].join('\n')
}
