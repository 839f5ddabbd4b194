import { expect } from 'chai'
import { floodEdge } from '#test/fuzz/run.ts'
import { amount, isDeep } from '#test/harness/tier.ts'

describe('generated requests', () => {
  it('of every operation are answered as declared or refused with a problem, never with 5xx [LIM-06]', async function () {
    this.timeout(amount(120_000, 120_000, 3_600_000))
    // The same ones every time; npm run -s bench -- fuzz tries others. `npm test` sends a fixed number, however long that takes.
    const seed = 7
    const { sent, counts, ms, differences } = await floodEdge({
      count: amount(100, 100_000, 1_000_000),
      seed,
      ...(isDeep && { msMax: amount(0, 10_000, 1_800_000) }),
    })
    expect(differences).to.deep.equal([])
    expect(sent, `seed ${seed}`).to.be.at.least(100)
    expect(ms.size, `seed ${seed}`).to.be.above(30)
    expect(counts, `seed ${seed}`).to.include.keys('200', '400 validation_failed', '404 not_found')
  })
})
