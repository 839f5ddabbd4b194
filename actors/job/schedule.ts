/** When the jobs of an organization are due. All times are UTC. */
import { dayMs, hourMs, minuteMs } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { JobName } from '#streams/job.ts'

interface Schedule {
  /** Milliseconds between two due times; for months the longest. */
  everyMs: number
  /** Missed due times that are made up for after an outage; older ones are skipped. */
  catchUp: number
  /** The first due time after `at`. */
  after: (at: Date) => Date
  /**
   * Milliseconds over which the organizations' due times are spread, so that jobs that query clouds do not all run at
   * once.
   */
  spreadMs?: number
}

const quarterMs = hourMs / 4

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

/** This long after each hour. */
const hourlyAt = (behindMs: number): Schedule => ({
  everyMs: hourMs,
  catchUp: 1,
  after: (at) => new Date((Math.floor((at.getTime() - behindMs) / hourMs) + 1) * hourMs + behindMs),
})

const spreadOver = (spreadMs: number, schedule: Schedule): Schedule => ({ ...schedule, spreadMs })

/** Spread over the whole interval. */
const spread = (schedule: Schedule): Schedule => spreadOver(schedule.everyMs, schedule)

const pullSpreadMs = 10 * minuteMs

/** Syncs run before days are evaluated, and both before a month is closed. */
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
  // Time zones differ by quarters of an hour.
  'report-mailing': every(quarterMs, 1),
  discovery: spread(every(6 * hourMs, 1)),
  'status-scan': spread(every(quarterMs, 1)),
  'target-load': spread(every(minuteMs, 1)),
  'kubernetes-usage': spread(every(5 * minuteMs, 1)),
  'kubernetes-pull': spreadOver(pullSpreadMs, hourlyAt(10 * minuteMs)),
  'organization-sync': spread(every(hourMs, 1)),
  'price-refresh': spread(every(7 * dayMs, 1)),
}

/** The organization's next due time after `last`, without those too old to be made up for at `now`. */
export function nextDue(job: JobName, last: Date, now: Date, orgId = ''): Date {
  const { everyMs, catchUp, after, spreadMs = 0 } = schedules[job]
  const offset = spreadMs === 0 ? 0 : Number.parseInt(uuidOf(orgId, job).slice(0, 8), 16) % spreadMs
  const from = Math.max(last.getTime(), now.getTime() - catchUp * everyMs)
  return new Date(after(new Date(from - offset)).getTime() + offset)
}
