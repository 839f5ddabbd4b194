/** Claims of calls that outlast the stop of their process, in virtual time. */
import { expect } from 'chai'
import { Effects, type EffectWork } from '#engine/run/effect.ts'
import { Meter } from '#engine/meter.ts'
import { MemoryClock } from '#test/sim/clock.ts'
import { Database } from '#test/sim/database.ts'
import { directLink } from '#test/sim/link.ts'
import { Random, Scheduler } from '#test/sim/scheduler.ts'
import { MemoryStore } from '#test/sim/state.ts'

const leaseMs = 6000
const name = 'act'
const key = 'act/o1/1'

describe('calls to the outside that outlast the stop of their process', () => {
  it('are made by no other process until they end, and are forgotten then', async () => {
    const scheduler = new Scheduler(new Random(1))
    const clock = new MemoryClock(scheduler)
    const db = new Database(() => clock.now())
    const store = (owner: string) => new MemoryStore(db, directLink, { owner, leaseMs, onLeaseLost: () => {} })
    let begun = 0
    const { promise: answer, resolve: end } = Promise.withResolvers<void>()
    const work: EffectWork = {
      name,
      pool: 'act',
      retry: { tries: 1, pausesMs: [1] },
      run: () => {
        begun++
        return answer
      },
      failed: async () => {},
    }
    const report = { info: () => {}, warn: () => {}, error: () => {} }
    const effects = new Effects({ store: store('one'), clock, meter: new Meter(), report, leaseMs }, [work])
    const unclaimed = { attempts: 0, claimedBy: undefined, claimedUntil: -Infinity }
    db.effects.set(key, { key, name, orgId: 'o1', input: {}, due: clock.now(), ...unclaimed })

    const stop = new AbortController()
    let isOver = false
    const running = effects.run(stop.signal).then(() => (isOver = true))
    const other = store('two')
    /** What another process may claim meanwhile, looked for every second. */
    const free = async (untilMs: number) => {
      const found = new Set<string>()
      while (scheduler.now < untilMs) {
        await scheduler.runUntil(scheduler.now + 1000)
        for (const one of await other.waitingEffects([name])) found.add(one)
      }
      return [...found]
    }
    // A claim lasts 15 s.
    expect([await free(30_000), begun, isOver], 'while its process runs').to.deep.equal([[], 1, false])
    stop.abort()
    expect([await free(60_000), begun, isOver], 'after its process was told to stop').to.deep.equal([[], 1, false])
    end()
    await scheduler.runUntil(scheduler.now + 200)
    await running
    expect([begun, [...db.effects.keys()]]).to.deep.equal([1, []])
  })
})
