/** Background jobs of an organization: their names, due times, requests and ends. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

/** What is done for an organization without a request: at fixed times, the last one when costs of today changed. */
export const jobNames = [
  'billing-sync',
  'retention',
  'anomaly-detection',
  'monthly-snapshot',
  'budget-evaluation',
  'anomaly-check',
  'metric-collection',
  'discovery',
  'status-scan',
  'recommendation-sweep',
  'savings',
  'report-mailing',
  'target-load',
  'kubernetes-usage',
  'kubernetes-pull',
  'organization-sync',
  'price-refresh',
] as const
export type JobName = (typeof jobNames)[number]

/**
 * Jobs that start with the first object they are for: an autoscaler policy, a usage source, an organization of
 * accounts.
 */
const begunLater: readonly JobName[] = ['target-load', 'kubernetes-pull', 'organization-sync']

/** Jobs of every organization that has an account. */
export const usualJobs = jobNames.filter((job) => !begunLater.includes(job))

/** Jobs with one run at a time per organization: a request during a run returns that run. */
export const singleJobs: readonly JobName[] = [
  'recommendation-sweep',
  'metric-collection',
  'discovery',
  'status-scan',
  'savings',
  'report-mailing',
  'target-load',
  'kubernetes-usage',
  'kubernetes-pull',
  'organization-sync',
  'price-refresh',
]

const job = t.Enum(jobNames)
const moment = t.String({ format: 'date-time' })
const ofOrg = { kind: 'actor', place: () => orgWide } as const

/** What a run is for, if its due time does not decide that. */
const scope = {
  date: t.Optional(t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  period: t.Optional(t.String({ pattern: '^\\d{4}-\\d{2}$' })),
}

/**
 * One run of a job: `at` is the due time, or the time of the request; `through` is the newest day or month finished
 * before.
 */
export const JobRun = t.Object({
  job,
  runId: t.String(),
  at: t.String(),
  /** True if its due time has come, false if it was requested. */
  isDue: t.Boolean(),
  ...scope,
  through: t.String(),
})
export type JobRun = Static<typeof JobRun>

/** The organization needs the job from now on; repeating this changes nothing. */
export const jobWanted = subject({
  ...ofOrg,
  name: 'job.wanted',
  summary: 'Schedule a job of the organization.',
  schema: t.Object({ job }),
  examples: [{ job: 'anomaly-detection' }],
})

/** The job is due. */
export const jobDue = subject({
  ...ofOrg,
  name: 'job.due',
  summary: 'A job is due.',
  schema: t.Object({ job, due: moment }),
  examples: [{ job: 'anomaly-detection', due: '2026-01-16T04:30:00.000Z' }],
})

/**
 * Command: run the job now, in addition to its schedule. Replies `{ runId }`: for a job with one run at a time, that of
 * the current run; with `after`, another run follows it, for data that it may already have passed.
 */
export const jobRequested = subject({
  ...ofOrg,
  name: 'job.requested',
  summary: 'Run a job now.',
  once: true,
  schema: t.Object({ job, runId: text({ minLength: 1 }), after: t.Optional(t.Boolean()), ...scope }),
  examples: [{ job: 'anomaly-detection', runId: 'r-1', date: '2026-01-15' }],
})

/**
 * A run has ended, and all its messages to the organization's actors precede this one. `through` is the newest day or
 * month it finished.
 */
export const jobEnded = subject({
  ...ofOrg,
  name: 'job.ended',
  summary: 'A job run ended.',
  schema: t.Object({ job, runId: text({ minLength: 1 }), through: t.Optional(text()), failure: t.Optional(text()) }),
  examples: [{ job: 'anomaly-detection', runId: 'r-1', through: '2026-01-15' }],
})

export const jobMessages = [jobWanted, jobDue, jobRequested, jobEnded]
