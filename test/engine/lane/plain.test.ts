import { expect } from 'chai'
import { PlainReads } from '#engine/lane/plain.ts'

describe('reads of plain records', () => {
  const world = () => {
    let now = 1000
    let count = 0
    let isAway = false
    const rows = async <T extends object>(): Promise<T[]> => {
      count += 1
      if (isAway) throw new Error('away')
      return [{ count }] as T[]
    }
    const reads = new PlainReads(rows, { now: () => now, sleep: async () => {} })
    const read = async (maxAgeMs: number, value = 'a') => {
      const [row] = await reads.read('select', [value], { maxAgeMs })
      return (row as { count: number }).count
    }
    return { read, pass: (ms: number) => void (now += ms), away: (is: boolean) => void (isAway = is) }
  }

  it('are handed out again while they are young enough, by text and values', async () => {
    const { read, pass } = world()
    expect([await read(100), await read(100), await read(100, 'b')]).to.deep.equal([1, 1, 2])
    pass(100)
    expect(await read(100)).to.equal(1)
    pass(1)
    expect(await read(100)).to.equal(3)
  })

  it('that must be new are read each time, and held for nobody', async () => {
    const { read } = world()
    expect([await read(0), await read(0), await read(1000), await read(0), await read(1000)]).to.deep.equal([
      1, 2, 3, 4, 3,
    ])
  })

  it('that failed are read again', async () => {
    const { read, away } = world()
    away(true)
    expect(await read(1000).catch((error: Error) => error.message)).to.equal('away')
    away(false)
    expect(await read(1000)).to.equal(2)
  })
})
