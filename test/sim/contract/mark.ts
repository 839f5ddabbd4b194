/** What projections count on in the state store. */
import { expect } from 'chai'
import type { Commit, Lease } from '#engine/actor/ports.ts'
import type { Process } from '#test/sim/kits.ts'

interface Tools {
  commit: (store: Process, lease: Lease, what: Partial<Commit>) => Promise<boolean>
  freshLane: () => Promise<number>
  org: () => string
  owner: () => Promise<[Process, Lease]>
}

export function markContract({ commit, freshLane, org, owner }: Tools): void {
  describe('marks', () => {
    const mark = (key: string) => ({ projection: 'toy', orgId: org(), key })
    it('are taken off only by the last run to begin, and only if they were not made anew since; generations grow', async () => {
      const [store, lease] = await owner()
      const keys = async () => (await store.marks([lease.lane], 10)).map(({ key }) => key)
      const all = ['a', 'b', 'c'].map(mark)
      await commit(store, lease, { marks: all })
      const made = await store.marks([lease.lane], 10)
      expect(made.map(({ projection, orgId, key }) => ({ projection, orgId, key }))).to.have.deep.members(all)
      expect(new Set(made.map(({ stamp }) => stamp)).size).to.equal(3)
      const first = await store.begin(all)
      await commit(store, lease, { marks: all.slice(0, 1) })
      const second = await store.begin([mark('b')])
      expect(BigInt(second) > BigInt(first)).to.equal(true)
      await store.unmark(all, first)
      expect(await keys()).to.have.members(['a', 'b'])
      await store.unmark([mark('b')], second)
      expect(await keys()).to.deep.equal(['a'])
      expect(await store.marks([await freshLane()], 10)).to.deep.equal([])
      await store.unmark(all, await store.begin([mark('a'), mark('never')]))
      expect(await keys()).to.deep.equal([])
    })

    it('count what was worked out once they are off, beside each table that a commit has written for whom', async () => {
      const [store, lease] = await owner()
      const other = `${org()}-other`
      const told = async (orgId: string) => {
        const { numbers, turning } = await store.editions(orgId, ['toy', 'never'])
        return [Object.fromEntries(numbers), [...turning]]
      }
      expect(await told(other)).to.deep.equal([{}, []])
      const written = [
        { orgId: other, table: 'cost_fact' },
        { orgId: other, table: 'resource_state' },
      ]
      await commit(store, lease, { written, marks: [{ ...mark('a'), orgId: other }] })
      await commit(store, lease, { written: written.slice(0, 1) })
      const facts = { cost_fact: '2', resource_state: '1' }
      expect(await told(other)).to.deep.equal([facts, []])
      const own = [{ ...mark('a'), orgId: other }]
      const first = await store.begin(own)
      expect(await told(other)).to.deep.equal([facts, []])
      await store.turnOver(own, first)
      expect(await told(other)).to.deep.equal([facts, ['toy']])
      // Marked anew meanwhile, it has turned over all the same.
      await commit(store, lease, { marks: own })
      expect(await told(other)).to.deep.equal([facts, ['toy']])
      await store.unmark(own, first)
      expect(await told(other)).to.deep.equal([{ ...facts, toy: '1' }, []])
      const second = await store.begin(own)
      await store.turnOver(own, second)
      await store.unmark(own, second)
      expect(await told(other)).to.deep.equal([{ ...facts, toy: '2' }, []])
    })

    it('are turning over until the last run that said so has counted it, also where one before it died or comes late', async () => {
      const [store, lease] = await owner()
      const turning = async () => [...(await store.editions(org(), ['toy'])).turning]
      await commit(store, lease, { marks: [mark('a'), mark('b')] })
      const both = [mark('a'), mark('b')]
      const died = await store.begin(both)
      await store.turnOver(both, died)
      const late = await store.begin([mark('a')])
      await store.turnOver([mark('a')], late)
      const last = await store.begin(both)
      await store.turnOver(both, last)
      await store.turnOver([mark('a')], late)
      await store.unmark([mark('a')], late)
      expect(await turning()).to.deep.equal(['toy'])
      await store.unmark([mark('a')], last)
      expect(await turning()).to.deep.equal(['toy'])
      await store.unmark([mark('b')], last)
      expect(await turning()).to.deep.equal([])
    })

    it('are taken by whole groups, those that wait longest first, one at least, and of some projections alone', async () => {
      const [store, lease] = await owner()
      await commit(store, lease, { marks: ['a|1', 'a|2', 'a|3'].map(mark) })
      await commit(store, lease, { marks: ['b|1', 'c'].map(mark) })
      await commit(store, lease, { marks: [...['b|2', 'a|4'].map(mark), { ...mark('d'), projection: 'other' }] })
      const taken = async (max: number, of = 'toy') =>
        (await store.marks([lease.lane], max, undefined, [of, 'never'])).map(({ key }) => key).toSorted()
      expect(await taken(1, 'other')).to.deep.equal(['d'])
      expect(await taken(2)).to.deep.equal(['a|1', 'a|2', 'a|3', 'a|4'])
      expect(await taken(5)).to.deep.equal(['a|1', 'a|2', 'a|3', 'a|4'])
      expect(await taken(6)).to.deep.equal(['a|1', 'a|2', 'a|3', 'a|4', 'b|1', 'b|2'])
      expect(await taken(7)).to.deep.equal(['a|1', 'a|2', 'a|3', 'a|4', 'b|1', 'b|2', 'c'])
    })
  })
}
