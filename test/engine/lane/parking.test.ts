/** Organizations whose facts cannot be written: their messages wait, and nobody else's. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { FactsAway, type FactRow, type FactStore } from '#engine/actor/ports.ts'
import { added, asked, MemoryFacts, timed, toyWorld, until, type ToyWorld } from '#test/harness/toy.ts'

/** Enough for every lane to have some of both. */
const places = Array.from({ length: 12 }, (_, n) => `p${n}`)

describe('an organization whose facts cannot be written', () => {
  const away = new Set<string>()
  const written = new MemoryFacts()
  const facts: FactStore = {
    insert: async (table, rows) => {
      if (rows.some((row) => away.has(orgOf(row)))) throw new FactsAway('away')
      await written.insert(table, rows)
    },
  }
  const orgOf = (row: FactRow): string => String(row['org'])
  const begin = () => toyWorld({ facts }, (orgId) => away.has(orgId))
  const [mine, other] = [`mine-${randomUUID()}`, `other-${randomUUID()}`]
  let world: ToyWorld
  before(async () => void (world = await begin()))
  after(() => world.close())
  afterEach(() => away.clear())

  const send = async (orgId: string, n: number) => {
    for (const place of places) await world.send(added, { place, key: 'k', n }, { orgId })
  }
  const seen = async (orgId: string) =>
    Promise.all(places.map(async (place) => (await world.toy('k', place, orgId))?.seen ?? []))
  const all = (list: number[]) => places.map(() => list)
  const saw = (orgId: string, list: number[]) =>
    until(
      `${orgId} has seen ${list.join()}`,
      async () => JSON.stringify(await seen(orgId)) === JSON.stringify(all(list)),
    )
  const stored = async (orgId: string): Promise<number> =>
    (await world.store.rows<{ n: number }>('select count(*)::int as n from parked where org_id = $1', [orgId]))[0]!.n

  it('does not keep others waiting, and gets each of its messages once and in order afterwards', async () => {
    await send(mine, 1)
    await saw(mine, [1])
    away.add(mine)
    for (const n of [2, 3]) {
      await send(mine, n)
      await send(other, n)
    }
    await saw(other, [2, 3])
    await until('its own are stored', async () => (await stored(mine)) === 2 * places.length)
    expect(await seen(mine)).to.deep.equal(all([1]))
    away.delete(mine)
    // Some of these arrive while stored ones are still to be run.
    for (const n of [4, 5]) await send(mine, n)
    await saw(mine, [1, 2, 3, 4, 5])
    expect(await stored(mine)).to.equal(0)
    expect([written.total(mine), written.total(other)]).to.deep.equal([15 * places.length, 5 * places.length])
  })

  it('is told at once that a command cannot be run now, and none is run later', async () => {
    const data = { place: 'p0', key: 'c', n: 1 }
    const total = () => world.asker.ask(asked, mine, data).catch((fault: { code: string }) => fault.code)
    expect(await total()).to.deep.equal({ total: 1 })
    away.add(mine)
    expect(await total()).to.equal('unavailable')
    away.delete(mine)
    await until('it is run again', async () => (await total()) !== 'unavailable')
    expect((await world.toy('c', 'p0', mine))!.seen.every((n) => n === 1)).to.equal(true)
  })

  it('gets messages and reminders that waited from the next process, if this one ends', async () => {
    const orgId = `next-${randomUUID()}`
    await world.send(timed, { place: 'p0', key: 't', n: 1500 }, { orgId })
    await until('its reminder is set', async () => ((await world.toy('t', 'p0', orgId))?.at ?? null) !== null)
    away.add(orgId)
    await send(orgId, 1)
    await until('they are stored', async () => (await stored(orgId)) === places.length)
    await world.close()
    world = await begin()
    await send(orgId, 2)
    await until('these too', async () => (await stored(orgId)) === 2 * places.length)
    away.delete(orgId)
    await saw(orgId, [1, 2])
    await world.close()
    world = await begin()
    await until('it is reminded', async () => (await world.toy('t', 'p0', orgId))!.seen.join() === '1500')
  })
})
