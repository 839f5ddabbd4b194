import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import type { SentSignal } from '#engine/actor/turn.ts'
import { inventoryChanged, liveEvents, refreshMoved } from '#streams/live/messages.ts'
import { costsTold, EventBatch, waitingMax } from '#streams/live/event-batch.ts'
import { Teller } from '#streams/live/teller.ts'

const other = (n: number): SentSignal => ({ event: 'anomaly.recorded', data: { id: `a-${n}` } })
const missed: SentSignal = { event: 'resync', data: {} }
const inventory = (cloudAccountID: string): SentSignal => ({
  event: inventoryChanged.name,
  data: { cloudAccountIDs: [cloudAccountID] },
  about: { cloudAccountID },
})
const refresh = (refreshID: string, discovered: number): SentSignal => ({
  event: refreshMoved.name,
  data: { refreshID, discovered },
})
const dayAt = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
const days = (count: number) => Array.from({ length: count }, (_, n) => dayAt(n))

const gathered = (...told: readonly (readonly SentSignal[])[]) => {
  const all = new EventBatch()
  const merged = told.map((some) => all.add(some))
  return { merged, taken: all.take(), isEmpty: all.isEmpty }
}

describe('live events', () => {
  for (const { name, schema, examples } of liveEvents)
    it(`${name} decodes its own examples`, () => {
      expect(examples.length).to.be.at.least(1)
      for (const example of examples) expect(() => decoder(schema)(example)).not.to.throw()
    })
})

describe('what waits to be told', () => {
  it('has each day of each account once, the newest of each refresh, and everything else in order', () => {
    const { merged, taken, isEmpty } = gathered(
      [costsTold('b', ['2026-01-02', '2026-01-01']), other(1), inventory('b'), refresh('r', 1)],
      [costsTold('b', ['2026-01-01']), costsTold('a', ['2026-01-01']), other(2), inventory('b'), refresh('r', 7)],
    )
    expect(merged).to.deep.equal([0, 4])
    expect(taken).to.deep.equal([
      other(1),
      other(2),
      refresh('r', 7),
      costsTold('b', ['2026-01-02', '2026-01-01']),
      costsTold('a', ['2026-01-01']),
      inventory('b'),
    ])
    expect(isEmpty).to.equal(true)
  })

  it('is one resync beyond 400 days, 500 accounts or 200 other events, and not before', () => {
    const accounts = Array.from({ length: waitingMax.accounts }, (_, n) => inventory(`acct-${n}`))
    const others = Array.from({ length: waitingMax.others }, (_, n) => other(n))
    for (const [most, more] of [
      [[costsTold('a', days(400))], costsTold('b', [dayAt(400)])],
      [accounts, inventory('one-more')],
      [others, other(-1)],
    ] as const) {
      expect(gathered(most).taken).to.deep.equal(most)
      expect(gathered(most, [more]).taken).to.deep.equal([missed])
      const { merged, taken } = gathered(most, [more], [other(0)])
      expect([merged.slice(1), taken]).to.deep.equal([[0, 1], [missed]])
    }
  })

  it('is a resync alone where one is among it', () => {
    expect(gathered([other(1), missed, other(2)]).taken).to.deep.equal([missed])
  })
})

describe('telling', () => {
  const world = () => {
    const sent: [string, readonly SentSignal[]][] = []
    const pauses: (() => void)[] = []
    const teller = new Teller(
      (orgId, told) => sent.push([orgId, told]),
      () => new Promise((resolve) => pauses.push(resolve)),
    )
    const pass = async () => {
      pauses.splice(0).forEach((over) => over())
      await new Promise(setImmediate)
    }
    return { sent, pauses, teller, pass }
  }

  it('is at once, then together once a pause is over, for each organization by itself', async () => {
    const { sent, teller, pass } = world()
    teller.tell('o1', [costsTold('a', ['2026-01-01'])])
    teller.tell('o1', [costsTold('a', ['2026-01-02'])])
    teller.tell('o1', [costsTold('a', ['2026-01-03'])])
    teller.tell('o2', [other(1)])
    const first = [
      ['o1', [costsTold('a', ['2026-01-01'])]],
      ['o2', [other(1)]],
    ]
    expect(sent).to.deep.equal(first)
    await pass()
    expect(sent).to.deep.equal([...first, ['o1', [costsTold('a', ['2026-01-02', '2026-01-03'])]]])
  })

  it('holds nothing of an organization of which nothing more came', async () => {
    const { sent, pauses, teller, pass } = world()
    teller.tell('o1', [other(1)])
    await pass()
    expect([sent.length, pauses.length]).to.deep.equal([1, 0])
    teller.tell('o1', [other(2)])
    expect(sent.at(-1)).to.deep.equal(['o1', [other(2)]])
    teller.tell('o3', [])
    expect(sent.length).to.equal(2)
  })
})
