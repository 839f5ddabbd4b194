/** When the jobs of an organization are due. All times are UTC. */
import type { JobName } from '#streams/job.ts'

interface Schedule {
  /** Milliseconds between two due times, months counted at their longest. */
  everyMs: number
  /** Due times that are made up for after an outage; older ones are left out. */
  catchUp: number
  /** The first due time after `at`. */
  after: (at: Date) => Date
}

const hourMs = 3_600_000
const quarterMs = hourMs / 4
const dayMs = 24 * hourMs

const hourly = (catchUp: number): Schedule => ({
  everyMs: hourMs,
  catchUp,
  after: (at) => new Date((Math.floor(at.getTime() / hourMs) + 1) * hourMs),
})

/** Clocks of zones are quarters of an hour apart. */
const quarterly = (catchUp: number): Schedule => ({
  everyMs: quarterMs,
  catchUp,
  after: (at) => new Date((Math.floor(at.getTime() / quarterMs) + 1) * quarterMs),
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

/** Syncing comes before the days are judged, and both before a month is closed. */
const schedules: Readonly<Record<JobName, Schedule>> = {
  'billing-sync': daily(2, 0, 1),
  retention: daily(3, 15, 1),
  'anomaly-detection': daily(4, 30, 7),
  'monthly-snapshot': monthly(3, 5, 13),
  'budget-evaluation': hourly(1),
  'anomaly-check': hourly(1),
  'metric-collection': hourly(1),
  'recommendation-sweep': daily(4, 45, 1),
  savings: daily(5, 15, 1),
  'report-mailing': quarterly(1),
}

/** The due time behind `last`, those that lie too far back for `now` left out. */
export function nextDue(job: JobName, last: Date, now: Date): Date {
  const { everyMs, catchUp, after } = schedules[job]
  return after(new Date(Math.max(last.getTime(), now.getTime() - catchUp * everyMs)))
}
