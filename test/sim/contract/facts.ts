/** What the engine counts on in its fact store. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { DataRefused } from '#engine/actor/ports.ts'
import { refusal, type Kit } from '#test/sim/kits.ts'

/** `opened` gives the ports under test once they are there. */
export function factContract(opened: () => Kit): void {
  let kit: Kit
  let org: string
  beforeEach(() => {
    kit = opened()
    org = `org-${randomUUID()}`
  })

  describe('facts', () => {
    const insert = (...rows: [string, unknown, bigint][]) =>
      kit.facts.insert(
        kit.factTable,
        rows.map(([key, n, x_Version]) => ({ key: `${org}/${key}`, n, x_Version })),
      )
    const shown = (key: string) => kit.fact(`${org}/${key}`)

    it('show the highest version of a key, whenever it comes and however often', async () => {
      const high = (1n << 90n) + 2n
      await insert(['a', 1, 1n], ['b', 10, high])
      await insert(['a', 2, high], ['b', 20, 1n])
      await insert(['a', 1, 1n])
      await insert(['a', 3, high - 1n])
      expect([await shown('a'), await shown('b')]).to.deep.equal([2, 10])
    })

    it('show the one that came last of equal versions', async () => {
      await insert(['e', 1, 5n])
      await insert(['e', 2, 5n])
      expect(await shown('e')).to.equal(2)
    })

    it('take none of the rows when a column takes one of them not', async () => {
      expect(await refusal(insert(['r', 1, 1n], ['s', 0.5, 1n]))).to.be.instanceOf(DataRefused)
      expect(await shown('r')).to.equal(undefined)
    })
  })
}
