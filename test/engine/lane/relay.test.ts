/** What a lane has committed on its way to the stream, with a log of the test's own. */
import { expect } from 'chai'
import { Relay } from '#engine/lane/commit/relay.ts'
import type { LaneTools } from '#engine/lane/tools.ts'
import { Meter } from '#engine/meter.ts'
import type { OutboxRow, Publication } from '#engine/actor/ports.ts'
import { added, closed, simRegistry, taken } from '#test/sim/actors.ts'

/** A broker that refuses the messages numbered in `refuses`, and what came of it. */
function relaying(
  refuses: readonly number[] = [],
  laneOf: (org: string, place: string) => number | undefined = () => undefined,
) {
  const published: Publication[] = []
  const forgotten: string[] = []
  let tries = 0
  const tools = {
    registry: simRegistry,
    meter: new Meter(),
    clock: { now: () => 0, sleep: async () => {} },
    point: () => {},
    report: { info: () => {}, warn: () => {}, error: () => {} },
    store: { sent: async (ids: string[]) => void forgotten.push(...ids) },
    log: {
      laneOf,
      publish: async (message: Publication) => {
        if (refuses.includes(tries++)) throw new Error('away')
        return { lane: 0, seq: published.push(message) }
      },
    },
  } as unknown as LaneTools
  return { relay: new Relay(tools, 0, new AbortController().signal), published, forgotten }
}

const row = (n: number, { name, kind }: { name: string; kind: string }, place = 'p0', id = `r${n}`): OutboxRow => ({
  id,
  subject: `ingest.${kind}.org.${place}`,
  headers: {},
  body: JSON.stringify({ id, type: name, schemaVersion: 1, orgId: 'org', data: { place, key: 'k', n } }),
})

/** Per message its subject and the `n` of what it carries. */
const carried = (published: readonly Publication[]) =>
  published.map(({ subject, body }) => {
    const parsed = JSON.parse(body) as { data: { n: number } } | { data: { n: number } }[]
    return [subject, Array.isArray(parsed) ? parsed.map(({ data }) => data.n) : parsed.data.n]
  })

describe('what a commit tells', () => {
  it('goes out together where it is for one place and of one kind, in its order', async () => {
    const { relay, published, forgotten } = relaying()
    await relay.push([
      row(1, taken),
      row(2, taken, 'p1'),
      row(3, taken),
      row(4, taken, 'p1'),
      row(5, added),
      row(6, taken),
    ])
    await relay.settle()
    expect(carried(published)).to.deep.equal([
      ['ingest.actor.org.p0', [1, 3]],
      ['ingest.actor.org.p1', [2, 4]],
      ['ingest.sim.org.p0', 5],
      ['ingest.actor.org.p0', 6],
    ])
    expect(forgotten.toSorted()).to.deep.equal(['r1', 'r2', 'r3', 'r4', 'r5', 'r6'])
  })

  it('goes out together for all places of a lane, where lanes are known', async () => {
    const { relay, published } = relaying([], (_, place) => (place === 'p2' ? 1 : 0))
    await relay.push([row(1, taken), row(2, taken, 'p2'), row(3, taken, 'p1'), row(4, added, 'p1'), row(5, taken)])
    await relay.settle()
    expect(carried(published)).to.deep.equal([
      ['lane.0.actor.org.~', [1, 3]],
      ['lane.1.actor.org.~', 2],
      ['ingest.sim.org.p1', 4],
      ['lane.0.actor.org.~', 5],
    ])
  })

  it('goes by itself where it must run alone, was sent on alone, or is no envelope of a turn', async () => {
    const { relay, published } = relaying()
    const event = { ...row(6, taken), subject: 'event.sim.org.passed' }
    const foreign = { ...row(7, taken), body: '{"type":"sim.taken","id":"r7","data":{"n":7}}' }
    await relay.push([
      row(1, taken),
      row(2, { ...closed, kind: 'actor' }),
      row(3, taken),
      row(4, taken, 'p0', 'forward-9-1-0'),
      row(5, taken),
      event,
      { ...event, id: 'other' },
      foreign,
      row(8, taken),
    ])
    await relay.settle()
    expect(carried(published).map(([, n]) => n)).to.deep.equal([1, 2, 3, 4, 5, 6, 6, 7, 8])
  })

  it('is at most 500 and 256 KiB a message, and is published again under the same name when it was not taken', async () => {
    const { relay, published, forgotten } = relaying([1])
    await relay.push(Array.from({ length: 1200 }, (_, i) => row(i, taken)))
    await relay.settle()
    expect(carried(published).map(([, list]) => (list as number[]).length)).to.deep.equal([500, 200, 500])
    expect(new Set(published.map(({ id }) => id)).size).to.equal(3)
    expect(forgotten).to.have.length(1200)
    const large = relaying()
    const wide = (n: number) => ({
      ...row(n, taken),
      body: `${row(n, taken).body.slice(0, -1)},"x":"${'x'.repeat(100_000)}"}`,
    })
    await large.relay.push([wide(1), wide(2), wide(3)])
    await large.relay.settle()
    expect(carried(large.published).map(([, list]) => list)).to.deep.equal([[1, 2], 3])
  })

  it('goes out whenever it is handed over, also in the moment in which what came before it is done', async () => {
    for (let ticks = 0; ticks < 40; ticks++) {
      const { relay, published } = relaying()
      await relay.push([row(1, taken)])
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      await relay.push([row(2, taken)])
      await relay.settle()
      expect(
        carried(published).map(([, n]) => n),
        `behind ${ticks} ticks`,
      ).to.deep.equal([1, 2])
    }
  })
})
