import { expect } from 'chai'
import { unitMetricActor } from '#actors/unit-metric/actor.ts'
import { batches } from '#actors/unit-metric/values.ts'
import { pullChanged, pullDue, pullEnded, unitMetricRemoved, valuesPushed } from '#streams/unit-metric.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const metricId = 'm-1'
const minute = 60_000
const fresh = () => new MemoryActor(unitMetricActor, { place: '-', key: metricId })

describe('the unit-metric actor', () => {
  it('appends each value under the series it was pushed for', () => {
    const feed = fresh()
    const { facts } = feed.take(valuesPushed, { metricId, seriesId: 's1', times: [0, minute], values: [1, 2] })
    expect(facts.map(({ table, row: { x_Version: _version, ...row } }) => ({ table, row }))).to.deep.equal([
      { table: 'unit_metric_value', row: { org_id: 'o1', series_id: 's1', ts: '1970-01-01T00:00:00.000Z', value: 1 } },
      { table: 'unit_metric_value', row: { org_id: 'o1', series_id: 's1', ts: '1970-01-01T00:01:00.000Z', value: 2 } },
    ])
    expect(feed.state).to.include({ seriesId: 's1' })
    expect(feed.state.lastIngestedAt?.getTime()).to.equal(feed.now)
  })

  it('pulls at once when it is told to, then whenever the interval is over, under another key each time', () => {
    const feed = fresh()
    const first = feed.take(pullChanged, { metricId, intervalMinutes: 15 })
    expect([...feed.reminders]).to.deep.equal([['pull', feed.now + 15 * minute]])
    const second = feed.take(pullDue, { metricId }, { at: feed.now + 20 * minute, reminder: 'pull' })
    expect([...feed.reminders]).to.deep.equal([['pull', feed.now + 15 * minute]])
    const calls = [...first.calls, ...second.calls]
    expect(calls.map(({ name, input }) => [name, input])).to.deep.equal(
      Array(2).fill(['pull-unit-metric', { metricId }]),
    )
    expect(new Set(calls.map(({ key }) => key)).size).to.equal(2)
  })

  it('pulls no more when it is told so, though an older wish comes later', () => {
    const feed = fresh()
    feed.take(pullChanged, { metricId, intervalMinutes: 15 })
    const wished = feed.now
    feed.take(pullChanged, { metricId, intervalMinutes: null }, { time: wished + 2 })
    const { calls } = feed.take(pullChanged, { metricId, intervalMinutes: 30 }, { time: wished + 1 })
    expect([calls, [...feed.reminders], feed.state.intervalMinutes]).to.deep.equal([[], [], null])
    expect(feed.take(pullDue, { metricId }, { reminder: 'pull' }).calls).to.deep.equal([])
  })

  it('keeps what the last pull failed by, of a metric that is pulled', () => {
    const feed = fresh()
    feed.take(pullChanged, { metricId, intervalMinutes: 15 })
    feed.take(pullEnded, { metricId, failure: 'The server returned HTTP 500.' })
    expect(feed.state.failure).to.equal('The server returned HTTP 500.')
    feed.take(pullChanged, { metricId, intervalMinutes: null })
    feed.take(pullEnded, { metricId, failure: 'The server returned HTTP 500.' })
    expect(feed.state.failure).to.equal(null)
  })

  it('leaves no timer behind when its metric is deleted', () => {
    const feed = fresh()
    feed.take(pullChanged, { metricId, intervalMinutes: 15 })
    feed.take(unitMetricRemoved, { metricId })
    expect([...feed.reminders]).to.deep.equal([])
  })
})

describe('values of several messages', () => {
  it('are portions of 5000, none of them empty', () => {
    const sizes = (count: number) =>
      [...batches(new Map(Array.from({ length: count }, (_, n) => [n, n])))].map(({ times, values }) => [
        times.length,
        values.length,
      ])
    expect([sizes(0), sizes(5000), sizes(5001)]).to.deep.equal([
      [],
      [[5000, 5000]],
      [
        [5000, 5000],
        [1, 1],
      ],
    ])
  })
})
