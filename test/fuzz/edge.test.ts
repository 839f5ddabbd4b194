import { expect } from 'chai'
import { floodEdge } from '#test/fuzz/run.ts'

describe('generated requests', () => {
  it('of every operation are answered as declared or refused with a problem, never with 5xx [LIM-06]', async function () {
    this.timeout(120_000)
    // The suite tries the same ones every time; npm run -s bench -- fuzz tries others.
    const seed = 7
    const { sent, counts, ms, differences } = await floodEdge({ count: 100_000, seed, msMax: 10_000 })
    expect(differences).to.deep.equal([])
    expect(sent, `seed ${seed}`).to.be.above(200)
    expect(ms.size, `seed ${seed}`).to.be.above(30)
    expect(counts, `seed ${seed}`).to.include.keys('200', '400 validation_failed', '404 not_found')
  })
})
