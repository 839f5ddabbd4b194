/** When the jobs of an organization are due. All times are UTC. */
import { uuidOf } from '#engine/value/id.ts'
import type { JobName } from '#streams/job.ts'

interface Schedule {
  /** Milliseconds between two due times, months counted at their longest. */
  everyMs: number
  /** Due times that are made up for after an outage; older ones are left out. */
  catchUp: number
  /** The first due time after `at`. */
  after: (at: Date) => Date
  /** Milliseconds over which the organizations' due times are spread: what asks clouds does not ask for all at once. */
  spreadMs?: number
}

const hourMs = 3_600_000
const quarterMs = hourMs / 4
const minuteMs = 60_000
const dayMs = 24 * hourMs

const every = (everyMs: number, catchUp: number): Schedule => ({
  everyMs,
  catchUp,
  after: (at) => new Date((Math.floor(at.getTime() / everyMs) + 1) * everyMs),
})

const daily = (hour: number, minute: number, catchUp: number): Schedule => ({
  everyMs: dayMs,
  catchUp,
  after: (at) => {
    const due = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), hour, minute)
    return new Date(due > at.getTime() ? due : due + dayMs)
  },
})

const monthly = (day: number, hour: number, catchUp: number): Schedule => ({
  everyMs: 31 * dayMs,
  catchUp,
  after: (at) => {
    const due = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), day, hour)
    return new Date(due > at.getTime() ? due : Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, day, hour))
  },
})

/** So long after each hour. */
const hourlyAt = (behindMs: number): Schedule => ({
  everyMs: hourMs,
  catchUp: 1,
  after: (at) => new Date((Math.floor((at.getTime() - behindMs) / hourMs) + 1) * hourMs + behindMs),
})

const spreadOver = (spreadMs: number, schedule: Schedule): Schedule => ({ ...schedule, spreadMs })

/** Over all of the time between two due times. */
const spread = (schedule: Schedule): Schedule => spreadOver(schedule.everyMs, schedule)

const pullSpreadMs = 10 * minuteMs

/** Syncing comes before the days are judged, and both before a month is closed. */
const schedules: Readonly<Record<JobName, Schedule>> = {
  'billing-sync': daily(2, 0, 1),
  retention: daily(3, 15, 1),
  'anomaly-detection': daily(4, 30, 7),
  'monthly-snapshot': monthly(3, 5, 13),
  'budget-evaluation': every(hourMs, 1),
  'anomaly-check': every(hourMs, 1),
  'metric-collection': every(hourMs, 1),
  'recommendation-sweep': daily(4, 45, 1),
  savings: daily(5, 15, 1),
  // Clocks of zones are quarters of an hour apart.
  'report-mailing': every(quarterMs, 1),
  discovery: spread(every(6 * hourMs, 1)),
  'status-scan': spread(every(quarterMs, 1)),
  'target-load': spread(every(minuteMs, 1)),
  'kubernetes-usage': spread(every(5 * minuteMs, 1)),
  'kubernetes-pull': spreadOver(pullSpreadMs, hourlyAt(10 * minuteMs)),
  'organization-sync': spread(every(hourMs, 1)),
}

/** The due time of the organization behind `last`, those that lie too far back for `now` left out. */
export function nextDue(job: JobName, last: Date, now: Date, orgId = ''): Date {
  const { everyMs, catchUp, after, spreadMs = 0 } = schedules[job]
  const offset = spreadMs === 0 ? 0 : Number.parseInt(uuidOf(orgId, job).slice(0, 8), 16) % spreadMs
  const from = Math.max(last.getTime(), now.getTime() - catchUp * everyMs)
  return new Date(after(new Date(from - offset)).getTime() + offset)
}
