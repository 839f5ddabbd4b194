import { expect } from 'chai'
import { JoinedFacts } from '#engine/store/clickhouse/joined-facts.ts'
import { DataRefused, type Clock, type FactRow, type FactStore } from '#engine/actor/ports.ts'

/** A store whose inserts end when the test says so. */
class Slow implements FactStore {
  readonly asked: { table: string; rows: readonly FactRow[]; end: (error?: unknown) => void }[] = []

  insert(table: string, rows: readonly FactRow[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.asked.push({ table, rows, end: (error) => (error === undefined ? resolve() : reject(error as Error)) })
    })
  }

  sizes(): string[] {
    return this.asked.map(({ table, rows }) => `${table} ${rows.length}`)
  }
}

const rows = (count: number): FactRow[] => Array.from({ length: count }, (_, n) => ({ n }))
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Counts the rests; each is over at once. */
class Restless implements Clock {
  rests = 0
  now = () => 0
  sleep = async (): Promise<void> => void this.rests++
}

describe('joined inserts', () => {
  let slow: Slow
  let clock: Restless
  let joined: JoinedFacts
  beforeEach(() => {
    slow = new Slow()
    clock = new Restless()
    joined = new JoinedFacts(slow, clock)
  })

  it('send one at a time a table, and together what comes meanwhile, up to 10,000 rows', async () => {
    const ends: number[] = []
    for (const [i, count] of [1, 4000, 6000, 1].entries()) void joined.insert('a', rows(count)).then(() => ends.push(i))
    void joined.insert('b', rows(7))
    expect(slow.sizes()).to.deep.equal(['a 1', 'b 7'])
    slow.asked[0]!.end()
    await turn()
    expect(slow.sizes().slice(2)).to.deep.equal(['a 10000'])
    slow.asked[2]!.end()
    await turn()
    expect(slow.sizes().slice(3)).to.deep.equal(['a 1'])
    expect(ends).to.deep.equal([0, 1, 2])
  })

  it('rest behind a small insert, so that more comes together, and not behind a large one', async () => {
    void joined.insert('a', rows(999))
    slow.asked[0]!.end()
    await turn()
    expect(clock.rests).to.equal(1)
    void joined.insert('a', rows(1000))
    slow.asked[1]!.end()
    await turn()
    expect(clock.rests).to.equal(1)
  })

  it('tell of refused values only whose they are, and of a store that is away everyone', async () => {
    const told: string[] = []
    const hear = (name: string, done: Promise<void>) =>
      void done.then(
        () => told.push(`${name} done`),
        (error: Error) => told.push(`${name} ${error.message}`),
      )
    hear('first', joined.insert('a', rows(1)))
    hear('good', joined.insert('a', rows(2)))
    hear('bad', joined.insert('a', rows(3)))
    slow.asked[0]!.end(new Error('away'))
    await turn()
    expect(slow.sizes().slice(1)).to.deep.equal(['a 5'])
    slow.asked[1]!.end(new DataRefused('no such value'))
    await turn()
    slow.asked[2]!.end()
    await turn()
    slow.asked[3]!.end(new DataRefused('no such value'))
    await turn()
    expect(slow.sizes().slice(2)).to.deep.equal(['a 2', 'a 3'])
    expect(told).to.deep.equal(['first away', 'good done', 'bad no such value'])
  })
})
