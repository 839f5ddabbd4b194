/** What the engine counts on in the marks of turns: which message a process has died on, and how far one is that is run one by one. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { noneApart, type Commit, type Lease } from '#engine/actor/ports.ts'
import type { Kit, Process } from '#test/sim/kits.ts'

const nothing: Omit<Commit, 'lease' | 'from' | 'to' | 'clock'> = {
  begun: noneApart,
  apart: noneApart,
  rows: [],
  outbox: [],
  reminders: [],
  forgotten: [],
  marks: [],
  effects: [],
  inbox: [],
  written: [],
  dead: [],
}

/** `opened` gives the ports under test once they are there. */
export function turnContract(opened: () => Kit): void {
  const processes: Process[] = []
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.close()))
  })

  const process = (): Process => {
    const made = opened().process()
    processes.push(made)
    return made
  }
  const die = (store: Process): Promise<void> => processes.splice(processes.indexOf(store), 1)[0]!.close()
  const owner = async (): Promise<[Process, Lease]> => {
    const store = process()
    return [store, (await store.acquire(await opened().freshLane()))!]
  }

  describe('marked turns', () => {
    it('count how often the same message was begun, under the present epoch alone', async () => {
      const [one, lease] = await owner()
      expect([await one.markTurn(lease, 4), await one.markTurn(lease, 4), await one.markTurn(lease, 5)]).to.deep.equal([
        0, 1, 0,
      ])
      await die(one)
      const two = process()
      while (!(await two.free()).includes(lease.lane)) await wait(20)
      const next = (await two.acquire(lease.lane))!
      expect(await two.markTurn(lease, 5)).to.equal(undefined)
      await two.clearTurn(lease)
      expect(await two.markTurn(next, 5)).to.equal(1)
      await two.clearTurn(next)
      expect(await two.markTurn(next, 5)).to.equal(0)
    })

    it('tell the messages of one that is taken apart from each other and from all of it, and stand with what is done of it', async () => {
      const [one, lease] = await owner()
      const deaths = async (...nths: number[]) => {
        const found: (number | undefined)[] = []
        for (const nth of nths) found.push(await one.markTurn(lease, 4, nth))
        return found
      }
      expect(await deaths(0, 0, 1, 1, 2, 0)).to.deep.equal([0, 1, 0, 1, 0, 0])
      await one.takeApart(lease, 4)
      const apartOf = async () => {
        await one.release(lease)
        Object.assign(lease, await one.acquire(lease.lane))
        return lease.apart
      }
      expect(await apartOf()).to.deep.equal({ seq: 4, done: 0 })
      await one.commit({
        ...nothing,
        lease,
        from: lease.cursor,
        to: lease.cursor,
        clock: 5,
        apart: { seq: 4, done: 2 },
      })
      await one.takeApart(lease, 4)
      expect(await apartOf()).to.deep.equal({ seq: 4, done: 2 })
      await one.commit({ ...nothing, lease, from: lease.cursor, to: 4, clock: 5, begun: lease.apart })
      expect(await apartOf()).to.deep.equal({ seq: 0, done: 0 })
      await one.takeApart({ ...lease, epoch: lease.epoch - 1 }, 9)
      expect(await apartOf()).to.deep.equal({ seq: 0, done: 0 })
    })

    it('are forgotten by an owner that lives to give the lane up', async () => {
      const [one, lease] = await owner()
      await one.markTurn(lease, 4)
      await one.release(lease)
      const two = process()
      expect(await two.markTurn((await two.acquire(lease.lane))!, 4)).to.equal(0)
    })
  })
}
