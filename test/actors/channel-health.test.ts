import { expect } from 'chai'
import { channelHealthActor } from '#actors/notification/channel/health.ts'
import { channelProbeDue, channelRemoved, channelSwept, channelTried } from '#streams/notification/messages.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const of = { channelId: 'c-1', deliveryId: 'd-1' }

describe("a channel's health", () => {
  const health = () => new MemoryActor(channelHealthActor, { place: 'c-1', key: 'c-1' })
  const tried = (delivered: boolean, at: number) => ({
    ...of,
    eventType: 'budget.warning',
    delivered,
    responseStatus: delivered ? 200 : 500,
    message: delivered ? '' : 'The server returned HTTP 500.',
    at: new Date(at).toISOString(),
  })
  /** Whoever asks finds these. */
  const waiting = (...ids: string[]) =>
    new Map(
      [
        ['oldest', ''],
        ['release', ''],
        ['release', 'd-1'],
        ['drop', ''],
      ].map(([what, after]) => [JSON.stringify(['o1', 'c-1', what, after]), ids]),
    )
  const fail = (one: ReturnType<typeof health>, times: number, everyMs = 60_000) => {
    for (let i = 0; i < times; i++)
      one.take(channelTried, tried(false, one.now + everyMs), { at: one.now + everyMs, needs: waiting() })
  }

  it('breaks by five failures in a row within an hour, and is then probed every ten minutes', () => {
    const one = health()
    fail(one, 4)
    expect([one.state.brokenSince, one.reminders.size]).to.deep.equal([null, 0])
    fail(one, 1)
    expect(one.state.brokenSince).to.deep.equal(new Date(one.now))
    expect(one.reminders.get('probe')! - one.now).to.equal(600_000)
    const due = { at: one.reminders.get('probe')!, reminder: 'probe' }
    const probe = one.take(channelProbeDue, { channelId: 'c-1' }, { ...due, needs: waiting('d-7') })
    expect(probe.emitted).to.deep.equal([{ type: 'delivery.released', data: { channelId: 'c-1', deliveryId: 'd-7' } }])
    expect(one.reminders.get('probe')! - one.now).to.equal(600_000)
  })

  it('lets one go where several ask for it in one moment, though they come long after it was time', () => {
    const one = health()
    fail(one, 5)
    const due = { at: one.reminders.get('probe')!, reminder: 'probe' }
    expect(one.take(channelProbeDue, { channelId: 'c-1' }, { ...due, needs: waiting() }).emitted).to.deep.equal([])
    const ask = () => one.take(channelProbeDue, { channelId: 'c-1' }, { at: due.at + 60_000, needs: waiting('d-7') })
    expect([ask(), ask(), ask()].map(({ emitted }) => emitted.length)).to.deep.equal([1, 0, 0])
    expect(one.reminders.get('probe')! - one.now).to.equal(600_000)
  })

  it('does not break by five failures that took longer', () => {
    const one = health()
    fail(one, 8, 900_001)
    expect(one.state.brokenSince).to.equal(null)
  })

  it('works again with the first that is delivered: all that wait go on, in pages', () => {
    const one = health()
    fail(one, 5)
    const done = one.take(channelTried, tried(true, one.now), { needs: waiting() })
    expect([done.emitted, done.removed, one.reminders.size]).to.deep.equal([
      [{ type: 'channel.swept', data: { channelId: 'c-1', after: '', what: 'release' } }],
      true,
      0,
    ])
    const ids = Array.from({ length: 500 }, (_, i) => `d-${i}`)
    const page = one.take(channelSwept, { channelId: 'c-1', after: '', what: 'release' }, { needs: waiting(...ids) })
    expect(page.emitted).to.have.length(501)
    expect(page.emitted.at(-1)).to.deep.equal({
      type: 'channel.swept',
      data: { channelId: 'c-1', after: 'd-499', what: 'release' },
    })
    expect(page.removed, 'keeps no row for it').to.equal(true)
  })

  it('that broke once more while all were let go lets no more of them go', () => {
    const one = health()
    fail(one, 5)
    one.take(channelTried, tried(true, one.now), { needs: waiting() })
    fail(one, 5)
    const done = one.take(channelSwept, { channelId: 'c-1', after: 'd-1', what: 'release' }, { needs: waiting('d-2') })
    expect([done.emitted, one.state.brokenSince]).to.deep.equal([[], new Date(one.now - 1000)])
  })

  it('of a deleted channel gives up all that wait', () => {
    const one = health()
    const done = one.take(channelRemoved, { channelId: 'c-1' }, { needs: waiting() })
    expect(done.emitted.map(({ data }) => data.what)).to.deep.equal(['drop'])
    const page = one.take(channelSwept, { channelId: 'c-1', after: '', what: 'drop' }, { needs: waiting('d-1') })
    expect(page.emitted).to.deep.equal([
      { type: 'delivery.dropped', data: { ...of, message: 'The channel was deleted.' } },
    ])
  })
})
