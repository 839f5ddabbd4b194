import { expect } from 'chai'
import { costWatchActor } from '#actors/cost/actor.ts'
import { CostChanges } from '#actors/cost/tell.ts'
import type { Publisher } from '#engine/run/publisher.ts'
import { costChanged, costCounted, costSettled } from '#streams/cost.ts'
import { MemoryActor } from '#test/harness/turn.ts'

describe('the watch over changed costs', () => {
  const watched = () => new MemoryActor(costWatchActor, { place: '-', key: 'all' })
  const jobs = (emitted: { type: string; data: any }[]) => emitted.map(({ type, data }) => `${type} ${data.job}`)

  it('has budgets looked at with every change, and the running day once, twenty seconds after the first', () => {
    const watch = watched()
    const began = Date.parse('2026-01-15T10:00:00Z')
    const first = watch.take(costChanged, { today: true }, { at: began })
    const second = watch.take(costChanged, { today: true }, { at: began + 15_000 })
    expect([first, second].map(({ emitted }) => jobs(emitted))).to.deep.equal([
      ['job.requested budget-evaluation'],
      ['job.requested budget-evaluation'],
    ])
    expect(watch.reminders.get('settled')).to.equal(began + 20_000)
    const { emitted } = watch.take(costSettled, {}, { at: began + 20_000, reminder: 'settled' })
    expect(jobs(emitted)).to.deep.equal(['job.requested anomaly-check'])
  })

  it('leaves the running day alone when only earlier ones changed', () => {
    const watch = watched()
    const { emitted } = watch.take(costChanged, { today: false })
    expect([jobs(emitted), watch.reminders.has('settled')]).to.deep.equal([['job.requested budget-evaluation'], false])
    const earlier = watch.take(costChanged, { today: false, month: false })
    expect([jobs(earlier.emitted), watch.reminders.has('settled')], 'of months before').to.deep.equal([[], false])
  })

  it('has savings held to the bills once an hour at most, also where those of months before changed', () => {
    const watch = watched()
    const began = Date.parse('2026-01-15T10:00:00Z')
    watch.take(costChanged, { today: false, month: false }, { at: began })
    watch.take(costChanged, { today: true }, { at: began + 1_800_000 })
    expect(watch.reminders.get('counted')).to.equal(began + 3_600_000)
    const { emitted } = watch.take(costCounted, {}, { at: began + 3_600_000, reminder: 'counted' })
    expect(jobs(emitted)).to.deep.equal(['job.requested savings'])
    watch.take(costChanged, { today: false }, { at: began + 3_700_000 })
    expect(watch.reminders.get('counted')).to.equal(began + 7_300_000)
  })
})

describe('what tells of changed costs', () => {
  const now = Date.parse('2026-01-15T10:00:00Z')
  const changesAt = () => {
    const told: string[] = []
    const wakes: (() => void)[] = []
    const away = { times: 0 }
    const publish = async (event: any) => {
      if (away.times-- > 0) throw new Error('away')
      const { today, month = true } = event.data
      told.push(`${event.orgId} ${month ? today : 'earlier'}`)
    }
    const publisher = { publish }
    const clock = { now: () => now, sleep: () => new Promise<void>((wake) => wakes.push(wake)) }
    const changes = new CostChanges(publisher as unknown as Publisher, clock)
    const wake = async () => {
      for (const one of wakes.splice(0)) one()
      await new Promise((done) => setImmediate(done))
    }
    return { changes, told, wake, away }
  }
  const of = (orgId: string, day: string) => ({ orgId, cloudAccountId: 'acct-1', day })

  it('says whether this month is among it, and today', async () => {
    const { changes, told } = changesAt()
    await changes.changed([of('a', '2025-12-31'), of('b', '2026-01-02'), of('c', '2026-01-15')])
    expect(told).to.deep.equal(['a earlier', 'b false', 'c true'])
  })

  it('says when nobody could be told, and tells the next time', async () => {
    const { changes, told, away } = changesAt()
    away.times = 1
    const failed = await changes.changed([of('a', '2026-01-02')]).catch((error: Error) => error.message)
    await changes.changed([of('a', '2026-01-02')])
    expect([failed, told]).to.deep.equal(['away', ['a false']])
  })

  it('tells the first change at once and those of the pause behind it together', async () => {
    const { changes, told, wake } = changesAt()
    await changes.changed([of('a', '2026-01-02')])
    await changes.changed([of('a', '2026-01-15')])
    await changes.changed([of('a', '2026-01-03')])
    expect(told).to.deep.equal(['a false'])
    await wake()
    expect(told).to.deep.equal(['a false', 'a true'])
    await wake()
    await wake()
    await changes.changed([of('a', '2026-01-02')])
    expect(told).to.deep.equal(['a false', 'a true', 'a false'])
  })
})
