/** What the engine counts on in its log. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { LogReader } from '#engine/actor/ports.ts'
import { refusal, type Kit } from '#test/sim/kits.ts'

/** `opened` gives the ports under test once they are there. */
export function logContract(opened: () => Kit): void {
  let kit: Kit
  let org: string
  beforeEach(() => {
    kit = opened()
    org = `org-${randomUUID()}`
  })

  describe('the log', () => {
    const readers: LogReader[] = []
    afterEach(async () => {
      await Promise.all(readers.splice(0).map((reader) => reader.close()))
    })
    const read = async (from: number): Promise<LogReader> => {
      const reader = await kit.log.read(kit.ownLane, from)
      readers.push(reader)
      return reader
    }
    /** Publishes into the contract's own lane; the sequence. */
    const publish = async (body: string, id = randomUUID()): Promise<number> =>
      (await kit.log.publish({ subject: `lane.${kit.ownLane}.toy.${org}.p`, id, body, headers: { h: 'v' } })).seq
    const bodies = async (reader: LogReader, count: number, bytes = 1e6): Promise<string[]> =>
      (await reader.next(count, bytes, 2000)).map((m) => Buffer.from(m.body).toString())
    /** `next` may hand out less than there is: asks until it has them all. */
    const all = async (reader: LogReader, count: number): Promise<string[]> => {
      const got: string[] = []
      while (got.length < count) got.push(...(await bodies(reader, count - got.length)))
      return got
    }

    it('keeps one address in one lane, in order, knows no repeats there, and drops those of an event', async () => {
      const send = (id: string) => kit.log.publish({ subject: `ingest.toy.${org}.p`, id, body: 'not for an engine' })
      const [a, b] = [await send(`${org}-a`), await send(`${org}-b`)]
      expect(a.lane).to.be.a('number')
      expect(b.lane).to.equal(a.lane)
      expect(b.seq).to.be.greaterThan(a.seq)
      // Ids of lanes are no business of the log: who publishes under another organization could use up ours.
      expect(await send(`${org}-a`)).to.deep.equal({ lane: a.lane, seq: b.seq + 1 })
      expect(await kit.log.last(a.lane!)).to.be.at.least(b.seq)
      const event = await kit.log.publish({ subject: `event.toy.${org}.x`, id: org, body: '{}' })
      expect(event.lane).to.equal(undefined)
      const again = await kit.log.publish({ subject: `event.toy.${org}.x`, id: org, body: '{}' })
      expect(again).to.deep.equal({ ...event, isRepeat: true })
    })

    it('reads a lane in order from where it is told to', async () => {
      const first = await publish('0')
      for (let i = 1; i < 5; i++) await publish(String(i))
      expect(await all(await read(first), 5)).to.deep.equal(['0', '1', '2', '3', '4'])
      const [message] = await (await read(first + 3)).next(1, 1e6, 2000)
      const { seq, subject, headers, body } = message!
      expect({ seq, subject, body: Buffer.from(body).toString() }).to.deep.equal({
        seq: first + 3,
        subject: `toy.${org}.p`,
        body: '3',
      })
      expect(headers).to.include({ h: 'v' })
    })

    it('hands out no more messages, and no more bytes, than it is asked for, but a large one by itself', async () => {
      const first = await publish('x'.repeat(300))
      await publish('y'.repeat(200))
      await publish('z')
      await wait(50)
      const reader = await read(first)
      await wait(100)
      expect((await bodies(reader, 10, 250)).map((b) => b[0])).to.deep.equal(['x'])
      expect((await bodies(reader, 1, 250)).map((b) => b[0])).to.deep.equal(['y'])
      expect((await bodies(reader, 10, 250)).map((b) => b[0])).to.deep.equal(['z'])
    })

    it('waits for a message as long as it is told to, and no longer once it is closed', async () => {
      const reader = await read((await kit.log.last(kit.ownLane)) + 1)
      expect(await reader.next(10, 1e6, 50)).to.deep.equal([])
      const waiting = bodies(reader, 10)
      await publish('late')
      expect(await waiting).to.deep.equal(['late'])
      // Longer than any test may take.
      const idle = reader.next(10, 1e6, 600_000)
      await reader.close()
      expect(await idle).to.deep.equal([])
    })

    it('refuses to read from where it has nothing', async () => {
      for (let i = 0; i < 6; i++) await publish(String(i))
      const last = await kit.log.last(kit.ownLane)
      await kit.log.trim(kit.ownLane, last, 2)
      expect(await refusal(read(last + 2))).to.be.instanceOf(Error)
      expect(await refusal(read(last - 3))).to.be.instanceOf(Error)
      expect(await all(await read(last - 1), 2)).to.deep.equal(['4', '5'])
      await read(last + 1)
    })

    it('takes an answer to its inbox', async () => {
      const inbox = `_INBOX.contract.${randomUUID()}`
      const answer = kit.listen(inbox)
      await kit.log.last(kit.ownLane)
      kit.log.answer(inbox, '{"ok":true}')
      expect(await answer).to.equal('{"ok":true}')
    })
  })
}
