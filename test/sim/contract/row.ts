/** What the engine counts on when it writes the rows of actors. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Lease, RowChanges } from '#engine/actor/ports.ts'
import type { Kit, Process } from '#test/sim/kits.ts'

export function rowContract(opened: () => Kit): void {
  describe('rows', () => {
    const org = `org-${randomUUID()}`
    let kit: Kit
    let store: Process
    let lease: Lease

    beforeEach(async () => {
      kit = opened()
      store = kit.process()
      lease = (await store.acquire(await kit.freshLane()))!
    })
    afterEach(() => store.close())

    const at = '2026-01-15T10:00:00.123Z'
    const row = (key: string, count: number, of: string | null = null) => ({ org, place: 'p', key, count, at: of })
    const key = (k: string) => ({ orgId: org, place: 'p', key: k })
    const write = async (changes: Partial<RowChanges>): Promise<boolean> => {
      const none = {
        begun: lease.apart,
        apart: lease.apart,
        outbox: [],
        reminders: [],
        forgotten: [],
        marks: [],
        effects: [],
        inbox: [],
        written: [],
        dead: [],
      }
      const rows = [{ shape: kit.shape, upserts: [], deletes: [], ...changes }]
      const moved = await store.commit({ ...none, lease, from: lease.cursor, to: lease.cursor + 1, clock: 5, rows })
      if (moved) lease.cursor++
      return moved
    }
    const loaded = async (...keys: string[]) => {
      const rows = (await store.load(kit.shape, keys.map(key))) as { key: string; at: string | null }[]
      return rows
        .map((one) => ({ ...one, at: one.at && new Date(one.at).toISOString() }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    }

    it('are written, replaced and deleted', async () => {
      await write({ upserts: [row('a', 1, at), row('b', 2)] })
      await write({ upserts: [row('a', 3, at)], deletes: ['b', 'c'].map(key) })
      expect(await loaded('a', 'b', 'd')).to.deep.equal([row('a', 3, at)])
    })

    it('that are there are changed in some columns alone, to nothing too', async () => {
      await write({ upserts: [row('a', 1, at), row('b', 2), row('c', 3, at)] })
      const counts = { columns: ['count'], rows: ['a', 'b'].map((k) => ({ org, place: 'p', key: k, count: 7 })) }
      const times = { columns: ['at'], rows: [{ org, place: 'p', key: 'c', at: null }] }
      expect(await write({ updates: [counts, times] })).to.equal(true)
      expect(await loaded('a', 'b', 'c')).to.deep.equal([row('a', 7, at), row('b', 7), row('c', 3)])
    })

    it('that are not there are not changed, nor anything else: their owner has to look again', async () => {
      await write({ upserts: [row('e', 1), row('f', 1)], deletes: [key('g')] })
      const rows = ['e', 'g'].map((k) => ({ org, place: 'p', key: k, count: 9 }))
      expect(await write({ upserts: [row('f', 2)], updates: [{ columns: ['count'], rows }] })).to.equal(false)
      expect(await loaded('e', 'f', 'g')).to.deep.equal([row('e', 1), row('f', 1)])
      expect(await write({ upserts: [row('f', 3)] }), 'the lane is still its own').to.equal(true)
    })
  })
}
