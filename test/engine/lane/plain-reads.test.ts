/** Reads that turns have in common, on rows of the test's own. */
import { expect } from 'chai'
import { PlainReads } from '#engine/lane/plain-reads.ts'
import { makeBatch } from '#engine/lane/batch.ts'
import { Echoes } from '#engine/lane/message/echo.ts'
import { Activations } from '#engine/lane/activation.ts'
import { readMessage } from '#engine/lane/message/message.ts'
import { defineActor } from '#engine/actor/actor.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { consulted, org, Sim, simRegistry } from '#test/sim/actors.ts'

function reading() {
  const world = { now: 1000, asked: [] as unknown[], isAway: false }
  const rows = async (_: string, params: readonly unknown[]) => {
    world.asked.push(params)
    if (world.isAway) throw new Error('away')
    return [{ n: world.asked.length }]
  }
  const clock = { now: () => world.now, sleep: async () => {} }
  return { world, plain: new PlainReads(rows as never, clock) }
}

describe('reads of plain records', () => {
  it('are shared for so long as the reader allows, by text and values', async () => {
    const { world, plain } = reading()
    const read = async (value: number, maxAgeMs: number) =>
      (await plain.read<{ n: number }>('select', [value], { maxAgeMs }))[0]!.n
    expect([await read(1, 500), await read(1, 500), await read(2, 500)]).to.deep.equal([1, 1, 2])
    world.now += 400
    expect([await read(1, 500), await read(1, 300), await read(1, 500)]).to.deep.equal([1, 3, 3])
    expect([await read(1, 0), await read(1, 500)], 'anew, and held for nobody').to.deep.equal([4, 3])
  })

  it('that failed are not handed out again', async () => {
    const { world, plain } = reading()
    world.isAway = true
    const failure = await plain.read('select', [], { maxAgeMs: 500 }).catch((error: Error) => error.message)
    world.isAway = false
    expect([failure, await plain.read('select', [], { maxAgeMs: 500 })]).to.deep.equal(['away', [{ n: 2 }]])
  })

  it('do not wait for the commit under way, as other reads do', async () => {
    const { plain } = reading()
    for (const isPlain of [true, false]) {
      const actor = defineActor({
        kind: 'sim',
        entity: Sim,
        address: { orgId: 'orgId', place: 'place', key: 'key' },
        initial: () => ({ count: 0, seen: [], size: 0, at: null }),
        needs: (_, reads) => (isPlain ? reads.plain('select', [], { maxAgeMs: 0 }) : reads.rows('select', [])),
        reactions: (on) => [
          on(
            consulted,
            (data) => data.key,
            () => {},
          ),
        ],
      })
      const receivers = [{ actor: actor as never, reaction: actor.reactions.get(consulted.name) as never }]
      const { subject, decode } = simRegistry.subjects.get(consulted.name)!
      const subjects = new Map([[consulted.name, { subject, decode, receivers }]])
      const lease = { lane: 0, epoch: 1, cursor: 0, clock: 0, ends: 0, suspectUntil: 0, apart: { seq: 0, done: 0 } }
      let commit = () => {}
      const committed = new Promise<void>((resolve) => (commit = resolve))
      const body = Buffer.from(
        JSON.stringify({
          id: 'm',
          type: consulted.name,
          schemaVersion: 1,
          orgId: org,
          time: '2026-01-15T10:00:00Z',
          data: { place: 'p0', key: 'k', n: 1 },
        }),
      )
      const world = { ...simRegistry, subjects }
      const log = { seq: 1, subject: `sim.${org}.p0`, headers: {}, body, at: Date.parse('2026-01-15T10:00:00Z') }
      let isMade = false
      const store = { load: async () => [] } as never
      const batch = makeBatch(
        {
          registry: world,
          store,
          reads: { rows: async () => [], facts: async () => [] } as Reads,
          plain,
          activations: new Activations(store, 100),
          echoes: new Echoes(world, 0),
          lease,
          head: { cursor: 0, clock: 0, apart: { seq: 0, done: 0 } },
          settled: () => committed,
          portion: 'batch',
        },
        readMessage(world, log),
      ).then(() => (isMade = true))
      for (let i = 0; i < 50; i++) await Promise.resolve()
      expect(isMade, isPlain ? 'plain' : 'of rows').to.equal(isPlain)
      commit()
      await batch
    }
  })
})
