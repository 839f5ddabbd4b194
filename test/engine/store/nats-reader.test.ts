/** The reader of a lane, told by a server of the test's own what came. */
import { expect } from 'chai'
import type { NatsConnection } from '@nats-io/transport-node'
import { NatsReader } from '#engine/store/nats/reader.ts'

/** A reader, and a way to deliver to it: the number of the delivery, and the place in the stream. */
function reading() {
  let take: (error: Error | null, message: unknown) => void = () => {}
  const connection = {
    subscribe: (_: string, { callback }: { callback: typeof take }) => {
      take = callback
      return { unsubscribe: () => {} }
    },
    publish: () => {},
  }
  const pulled = { stream: 'LANE-0', consumer: 'c', end: async () => {} }
  const reader = new NatsReader(connection as unknown as NatsConnection, pulled)
  const deliver = (delivery: number, seq: number): void =>
    take(null, {
      reply: `$JS.ACK.LANE-0.c.1.${seq}.${delivery}.1000000000.0`,
      subject: 'lane.0.toy.org.p',
      data: new Uint8Array(),
    })
  /** Sequences that it hands out until it waits or ends, and what it ended with. */
  const read = async () => {
    const seqs: number[] = []
    try {
      for (;;) {
        const some = await reader.next(100, 1e6, 1)
        if (some.length === 0) return { seqs, ended: '' }
        seqs.push(...some.map(({ seq }) => seq))
      }
    } catch (error) {
      return { seqs, ended: (error as Error).message }
    } finally {
      await reader.close()
    }
  }
  return { deliver, read }
}

describe('the reader of a lane', () => {
  const after = async (...deliveries: [delivery: number, seq: number][]) => {
    const { deliver, read } = reading()
    for (const [delivery, seq] of deliveries) deliver(delivery, seq)
    return read()
  }

  it('hands out what is delivered in order, with the holes that the stream itself has', async () => {
    expect(await after([1, 5], [2, 6], [3, 9])).to.deep.equal({ seqs: [5, 6, 9], ended: '' })
  })

  it('ends rather than pass over a delivery that did not come, be it the first one', async () => {
    expect(await after([1, 5], [3, 7], [4, 8])).to.deep.equal({
      seqs: [5],
      ended: 'deliveries skip from 1 to 3, sequences from 5 to 7',
    })
    expect(await after([2, 6])).to.deep.equal({ seqs: [], ended: 'deliveries skip from 0 to 2, sequences from 0 to 6' })
  })

  it('ends rather than take a message twice, or one from before', async () => {
    expect(await after([1, 5], [1, 5])).to.deep.equal({
      seqs: [5],
      ended: 'deliveries skip from 1 to 1, sequences from 5 to 5',
    })
    expect(await after([1, 5], [2, 5])).to.deep.include({ seqs: [5] })
    expect((await after([1, 5], [2, 4])).ended).to.equal('deliveries skip from 1 to 2, sequences from 5 to 4')
  })
})
