import { expect } from 'chai'
import { Rounds } from '#engine/run/rounds.ts'

/** Rounds that end when they are told to. */
function held() {
  const begun: { all: readonly number[]; end: () => void; fail: (error: Error) => void }[] = []
  const rounds = new Rounds<number>((all) => new Promise<void>((end, fail) => void begun.push({ all, end, fail })))
  return { begun, rounds }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('rounds', () => {
  it('joins what comes while a round is under way in the next, in order, and never in the one under way', async () => {
    const { begun, rounds } = held()
    const asked = [1, 2, 3].map((one) => rounds.ask('a', one))
    expect(begun.map(({ all }) => all)).to.deep.equal([[1]])
    begun[0]!.end()
    await asked[0]
    await settled()
    expect(begun.map(({ all }) => all)).to.deep.equal([[1], [2, 3]])
    begun[1]!.end()
    await Promise.all(asked)
    await settled()
    const late = rounds.ask('a', 4)
    expect(begun.map(({ all }) => all)).to.deep.equal([[1], [2, 3], [4]])
    begun[2]!.end()
    await late
  })

  it('lets one key not wait for another', () => {
    const { begun, rounds } = held()
    void rounds.ask('a', 1)
    void rounds.ask('b', 2)
    expect(begun.map(({ all }) => all)).to.deep.equal([[1], [2]])
  })

  it('fails those of a round that fails, and goes on with those behind it', async () => {
    const { begun, rounds } = held()
    const first = rounds.ask('a', 1).catch((error: Error) => error.message)
    const second = rounds.ask('a', 2)
    begun[0]!.fail(new Error('away'))
    expect(await first).to.equal('away')
    await settled()
    begun[1]!.end()
    await second
    expect(begun.map(({ all }) => all)).to.deep.equal([[1], [2]])
  })

  it('takes at most 500 in one round', async () => {
    const { begun, rounds } = held()
    const asked = Array.from({ length: 502 }, (_, one) => rounds.ask('a', one))
    begun[0]!.end()
    await settled()
    begun[1]!.end()
    await settled()
    expect(begun.map(({ all }) => all.length)).to.deep.equal([1, 500, 1])
    begun[2]!.end()
    await Promise.all(asked)
  })

  it('fails those of a round that throws at once, and goes on with those behind it', async () => {
    let rounds = 0
    const thrower = new Rounds<number>(() => {
      rounds += 1
      if (rounds === 1) throw new Error('broken')
      return Promise.resolve()
    })
    expect(await thrower.ask('a', 1).catch((error: Error) => error.message)).to.equal('broken')
    await thrower.ask('a', 2)
    expect(rounds).to.equal(2)
  })
})
