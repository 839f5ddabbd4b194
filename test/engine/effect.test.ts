/** Calls to the outside by pools, on the store in memory, with works of the test's own. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { RunTools } from '#actors/tagging/run/page.ts'
import { tagRunWork } from '#actors/tagging/run/work.ts'
import { Effects, orgMaxOf, pools, type EffectWork, type Pool } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { Meter } from '#engine/meter.ts'
import { Pacer } from '#engine/run/pace.ts'
import type { Clock, EffectRow } from '#engine/actor/ports.ts'
import { Database } from '#test/sim/database.ts'
import { directLink } from '#test/sim/link.ts'
import { MemoryStore } from '#test/sim/state.ts'

/** Looks at things more often than the real one. */
const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wait(Math.min(ms, 50), undefined, { signal }).catch(() => {}),
}

/** A process whose calls last until the test ends them. */
function calling(works: Partial<EffectWork>[] = [], before: (EffectRow & { due: number })[] = []) {
  const begun: string[] = []
  const held = new Map<string, (error?: unknown) => void>()
  const db = new Database(() => clock.now())
  const store = new MemoryStore(db, directLink, { owner: 'me', leaseMs: 5000, onLeaseLost: () => {} })
  const statements = { done: 0 }
  const doneEffects = store.doneEffects.bind(store)
  store.doneEffects = (keys) => {
    statements.done++
    return doneEffects(keys)
  }
  const work = (name: string, pool: Pool, given: Partial<EffectWork> = {}): EffectWork => ({
    name,
    pool,
    retry: { tries: 1, pausesMs: [1] },
    run: (_, { key }) => {
      begun.push(key)
      return new Promise((resolve, reject) => held.set(key, (error) => (error ? reject(error as Error) : resolve())))
    },
    failed: async () => {},
    ...given,
  })
  const meter = new Meter()
  const warned: string[] = []
  const report = { info: () => {}, warn: (_: object, text: string) => void warned.push(text), error: () => {} }
  const all = [work('scan', 'scan'), work('act', 'act'), ...works.map((given) => work(given.name!, given.pool!, given))]
  const effects = new Effects({ store, clock, meter, report, leaseMs: 6000 }, all)
  const stop = new AbortController()
  const unclaimed = { attempts: 0, claimedBy: undefined, claimedUntil: -Infinity }
  for (const row of before) db.effects.set(row.key, { ...row, ...unclaimed })
  const running = effects.run(stop.signal)
  const want = (wanted: EffectRow[]) => {
    for (const row of wanted) db.effects.set(row.key, { ...row, ...unclaimed, due: clock.now() })
    effects.tell()
  }
  /** `error`: what calls under way end with. */
  const end = async (error?: unknown) => {
    stop.abort()
    for (const finish of held.values()) finish(error)
    await running
  }
  return { begun, held, db, want, end, meter, statements, warned }
}

const rows = (name: string, orgId: string, count: number): EffectRow[] =>
  Array.from({ length: count }, (_, i) => ({ key: `${name}/${orgId}/${i}`, name, orgId, input: {} }))

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isTrue(); i++) await wait(5)
  expect(isTrue()).to.equal(true)
}

describe('calls to the outside', () => {
  it('of one pool never wait for those of another: scans that hang stop no action', async () => {
    const world = calling()
    world.want(rows('scan', 'o1', 20))
    await until(() => world.begun.length === orgMaxOf('scan'))
    world.want(rows('act', 'o1', 5))
    await until(() => world.begun.filter((key) => key.startsWith('act/')).length === 5)
    expect(world.begun.filter((key) => key.startsWith('scan/'))).to.have.length(orgMaxOf('scan'))
    await world.end()
  })

  it('that people wait for do not wait for jobs that take long', async () => {
    const { pool } = tagRunWork({} as RunTools)
    const world = calling([
      { name: 'run-job', pool: 'job' },
      { name: 'tag-run', pool },
    ])
    world.want([...rows('run-job', 'o1', 20), ...rows('run-job', 'o2', 20)])
    await until(() => world.begun.length === pools.job)
    world.want(rows('tag-run', 'o1', 1))
    await until(() => world.begun.includes('tag-run/o1/0'))
    await world.end()
  })

  it('of one organization leave room in the pool for the first of another', async () => {
    const world = calling()
    world.want(rows('act', 'o1', 500))
    await until(() => world.begun.length === 48)
    world.want(rows('act', 'o2', 500))
    await until(() => world.begun.length === pools.act)
    expect(world.begun.filter((key) => key.startsWith('act/o2/'))).to.have.length(16)
    // What ends makes room for who has less.
    for (let i = 0; i < 10; i++) world.held.get(`act/o1/${i}`)!()
    await until(() => world.begun.length === pools.act + 10)
    expect(world.begun.slice(pools.act).every((key) => key.startsWith('act/o2/'))).to.equal(true)
    await world.end()
  })

  it('that the end of the process cuts short are no warning, and are there for the next one; anything else they end with is one', async () => {
    for (const [error, warnings] of [
      [new DOMException('This operation was aborted', 'AbortError'), 0],
      [new Error('the store is away'), 3],
    ] as const) {
      const world = calling()
      world.want(rows('act', 'o1', 3))
      await until(() => world.begun.length === 3)
      await world.end(error)
      expect(world.warned).to.have.length(warnings)
      expect([...world.db.effects.keys()]).to.deep.equal(['act/o1/0', 'act/o1/1', 'act/o1/2'])
    }
  })

  it('are made once by a process that stood still until its claims were over', async () => {
    const world = calling()
    world.want(rows('act', 'o1', 3))
    await until(() => world.begun.length === 3)
    world.db.effects.get('act/o1/1')!.claimedUntil = -Infinity
    world.want(rows('act', 'o2', 1))
    await until(() => world.begun.length === 4)
    await until(() => world.db.effects.get('act/o1/1')!.claimedUntil > clock.now())
    expect(world.begun).to.deep.equal(['act/o1/0', 'act/o1/1', 'act/o1/2', 'act/o2/0'])
    await world.end()
  })

  it('that end together are forgotten in a few statements', async () => {
    const world = calling()
    world.want([...rows('act', 'o1', 30), ...rows('act', 'o2', 30)])
    await until(() => world.begun.length === 60)
    for (const key of world.begun) world.held.get(key)!()
    await until(() => world.db.effects.size === 0)
    expect(world.statements.done).to.be.lessThan(5)
    await world.end()
  })

  it('are tried again when the far side says', async () => {
    const tries: number[] = []
    const run = async () => {
      tries.push(Date.now())
      if (tries.length === 1) throw new Fault('transient', 'throttled', 'Later.', { retryAfterMs: 700 })
    }
    const world = calling([
      { name: 'deliver', pool: 'deliver', retry: { tries: 3, pausesMs: { first: 5, doubledTo: 300_000 } }, run },
    ])
    world.want(rows('deliver', 'o1', 1))
    await until(() => world.db.effects.size === 0)
    expect(tries[1]! - tries[0]!).to.be.at.least(695)
    await world.end()
  })

  it('to one party that hangs take no room from those to others', async () => {
    const pace = { atOnce: 4, perSecond: 0, orgPerSecond: 0 }
    const world = calling([{ name: 'post', pool: 'deliver', pace }])
    const to = (queue: string, count: number) =>
      rows('post', 'o1', count).map((row) => ({ ...row, key: `${queue}/${row.key}`, queue }))
    world.want([...to('hangs', 100), ...to('works', 10)])
    await until(() => world.begun.length === 8)
    for (let done = 4; done < 10; done++) {
      const free = world.begun.filter((key) => key.startsWith('works/'))
      world.held.get(free[done - 4]!)!()
      await until(() => world.begun.filter((key) => key.startsWith('works/')).length === done + 1)
    }
    expect(world.begun.filter((key) => key.startsWith('hangs/'))).to.have.length(4)
    await world.end()
  })

  it('of works that have one pace are paced together', async () => {
    const pace = { atOnce: 4, perSecond: 0, orgPerSecond: 0.2 }
    const world = calling([
      { name: 'post', pool: 'deliver', pace },
      { name: 'letter', pool: 'mail', pace },
    ])
    const to = (name: string, orgId: string, count: number) =>
      rows(name, orgId, count).map((row) => ({ ...row, queue: row.key }))
    world.want([...to('post', 'o1', 30), ...to('post', 'o3', 1)])
    await until(() => world.begun.includes('post/o3/0'))
    world.want([...to('letter', 'o1', 5), ...to('letter', 'o2', 1)])
    await until(() => world.begun.includes('letter/o2/0'))
    expect(world.begun.filter((key) => key.startsWith('letter/o1/'))).to.deep.equal([])
    expect(
      world.begun.filter((key) => key.startsWith('post/o1/')),
      'ten seconds of it',
    ).to.have.length(2)
    await world.end()
  })

  it('are no more a second than their pace, of a party and of an organization', async () => {
    let now = 1000
    const pacer = new Pacer({ atOnce: 100, perSecond: 1, orgPerSecond: 2 }, () => now)
    expect(pacer.roomMax).to.equal(10)
    for (let i = 0; i < 10; i++) pacer.began('o1', 'x')
    for (let i = 0; i < 10; i++) pacer.ended('o1', 'x', 5)
    expect(pacer.rooms()).to.deep.equal([{ orgId: 'o1', queue: 'x', room: 0 }])
    expect([...pacer.orgRooms()]).to.deep.equal([['o1', 10]])
    now += 3000
    expect(pacer.rooms()).to.deep.equal([{ orgId: 'o1', queue: 'x', room: 3 }])
    expect([...pacer.orgRooms()]).to.deep.equal([['o1', 16]])
    now += 7000
    expect([pacer.rooms(), [...pacer.orgRooms()]], 'as if nothing had been').to.deep.equal([
      [{ orgId: 'o1', queue: 'x', room: 10 }],
      [],
    ])
    expect(pacer.rooms()).to.deep.equal([])
  })

  it('to a party that was slow go one at a time, until one was not', () => {
    const pacer = new Pacer({ atOnce: 4, perSecond: 0, orgPerSecond: 0 }, () => 1000)
    const room = () => pacer.rooms()[0]?.room
    pacer.began('o1', 'x')
    pacer.began('o1', 'x')
    expect(room()).to.equal(2)
    pacer.ended('o1', 'x', 10_000)
    expect(room()).to.equal(0)
    pacer.ended('o1', 'x', 10_000)
    expect(room()).to.equal(1)
    pacer.began('o1', 'x')
    pacer.ended('o1', 'x', 20)
    pacer.began('o1', 'x')
    expect(room()).to.equal(3)
  })

  it('to a party that was slow, and is called no more, are forgotten', () => {
    let now = 1000
    const pacer = new Pacer({ atOnce: 4, perSecond: 1, orgPerSecond: 0 }, () => now)
    pacer.began('o1', 'x')
    now += 10_000
    pacer.ended('o1', 'x', 10_000)
    now += 599_000
    expect(pacer.rooms()).to.deep.equal([{ orgId: 'o1', queue: 'x', room: 1 }])
    now += 1000
    expect(pacer.rooms()).to.deep.equal([{ orgId: 'o1', queue: 'x', room: 4 }])
    expect(pacer.rooms()).to.deep.equal([])
  })

  it('tell how long the oldest of a pool has been due while nobody makes it', async () => {
    const world = calling(
      [],
      rows('scan', 'o1', 5).map((row) => ({ ...row, due: clock.now() - 90_000 })),
    )
    const lag = async (pool: Pool) =>
      Number(
        new RegExp(`tidemark_effect_lag_seconds{pool="${pool}"} ([\\d.]+)`).exec(
          await world.meter.registry.metrics(),
        )![1],
      )
    await until(() => world.begun.length === orgMaxOf('scan'))
    await wait(150)
    expect(await lag('scan'))
      .to.be.at.least(90)
      .and.lessThan(120)
    expect(await lag('act')).to.equal(0)
    await world.end()
  })

  it('that are given up stand until whoever waits for them has been told', async () => {
    const told = Promise.withResolvers<void>()
    let isAsked = false
    const work = {
      name: 'x',
      pool: 'act' as const,
      run: () => Promise.reject(Fault.invalid('no', 'no')),
      failed: () => {
        isAsked = true
        return told.promise
      },
    }
    const world = calling([work])
    world.want(rows('x', 'o1', 1))
    await until(() => isAsked)
    await wait(30)
    expect(world.db.effects.size).to.equal(1)
    told.resolve()
    await until(() => world.db.effects.size === 0)
    await world.end()
  })
})
