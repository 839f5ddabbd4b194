import { unitMetricValueTable } from '#analytics/unit-metric/tables.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect, Turn } from '#engine/actor/turn.ts'
import { pullChanged, pullDue, pullEnded, unitMetricRemoved, valuesPushed } from '#streams/unit-metric.ts'
import { UnitMetricFeed } from './entity.ts'

/** Pulls the values of a metric once; implemented in `pull.ts`. */
export const pullUnitMetric = {
  name: 'pull-unit-metric',
  schema: t.Object({ metricId: t.String() }),
} satisfies Effect
export type PullInput = Static<typeof pullUnitMetric.schema>

/** Receives the values of one unit metric, and schedules its pulls. */
export const unitMetricActor = defineActor({
  kind: 'unit-metric',
  entity: UnitMetricFeed,
  address: { orgId: 'orgId', key: 'metricId' },
  initial: () => ({
    seriesId: '',
    lastIngestedAt: null,
    intervalMinutes: null,
    nextPullAt: null,
    pullChangedAt: null,
    failure: null,
  }),
  reactions: (on) => [
    on(
      valuesPushed,
      ({ metricId }) => metricId,
      (feed, { seriesId, times, values }, turn) => {
        for (const [at, time] of times.entries()) {
          const row = {
            org_id: feed.orgId,
            series_id: seriesId,
            ts: new Date(time).toISOString(),
            value: values[at] ?? 0,
          }
          turn.append(unitMetricValueTable, row, turn.message.time)
        }
        feed.seriesId = seriesId
        feed.lastIngestedAt = turn.now
      },
    ),
    on(
      pullChanged,
      ({ metricId }) => metricId,
      (feed, { intervalMinutes }, turn) => {
        const { time } = turn.message
        if (feed.pullChangedAt && time < feed.pullChangedAt) return
        Object.assign(feed, { intervalMinutes, pullChangedAt: time, failure: null })
        if (intervalMinutes === null) return unschedule(feed, turn)
        pull(feed, turn)
        schedule(feed, intervalMinutes, turn)
      },
    ),
    on(
      pullDue,
      ({ metricId }) => metricId,
      (feed, _due, turn) => {
        const { intervalMinutes } = feed
        if (typeof intervalMinutes !== 'number') return
        pull(feed, turn)
        schedule(feed, intervalMinutes, turn)
      },
    ),
    on(
      pullEnded,
      ({ metricId }) => metricId,
      (feed, { failure }) => {
        if (typeof feed.intervalMinutes === 'number') feed.failure = failure
      },
    ),
    on(
      unitMetricRemoved,
      ({ metricId }) => metricId,
      (feed, _removed, turn) => {
        unschedule(feed, turn)
        turn.remove()
      },
    ),
  ],
})

function pull({ orgId, metricId }: UnitMetricFeed, turn: Turn): void {
  turn.call(pullUnitMetric, `unit-metric-pull/${orgId}/${metricId}/${turn.id()}`, { metricId })
}

/** Counts from now: pulls missed during an outage are not made up for. */
function schedule(feed: UnitMetricFeed, minutes: number, turn: Turn): void {
  feed.nextPullAt = new Date(turn.now.getTime() + minutes * 60_000)
  turn.remind('pull', feed.nextPullAt, pullDue, { metricId: feed.metricId })
}

function unschedule(feed: UnitMetricFeed, turn: Turn): void {
  feed.nextPullAt = null
  turn.forget('pull')
}
