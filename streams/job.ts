import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

/** What is done for an organization without anybody asking: at fixed times, the last one whenever costs of today changed. */
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
] as const
export type JobName = (typeof jobNames)[number]

/** Jobs that begin with the first of what they are for: an autoscaler policy, a source of usage, an organization of accounts. */
const begunLater: readonly JobName[] = ['target-load', 'kubernetes-pull', 'organization-sync']

/** Those of every organization that has an account. */
export const usualJobs = jobNames.filter((job) => !begunLater.includes(job))

/** Jobs of which an organization has one run at a time: asked for meanwhile, the one that goes on is answered. */
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
]

const job = t.Enum(jobNames)
const moment = t.String({ format: 'date-time' })
const fixed = { kind: 'actor', place: () => orgWide } as const

/** What a run is about, where that is not what its due time says. */
const scope = {
  date: t.Optional(t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  period: t.Optional(t.String({ pattern: '^\\d{4}-\\d{2}$' })),
}

/** One run of a job: `at` is the due time, or when it was asked for; `through` the newest day or month that was finished before. */
export const JobRun = t.Object({
  job,
  runId: t.String(),
  at: t.String(),
  /** Whether its due time has come, rather than somebody asked. */
  isDue: t.Boolean(),
  ...scope,
  through: t.String(),
})
export type JobRun = Static<typeof JobRun>

/** The organization has something to do the job for; said again it changes nothing. */
export const jobWanted = subject({
  ...fixed,
  name: 'job.wanted',
  summary: 'Schedule a job of the organization.',
  schema: t.Object({ job }),
  examples: [{ job: 'anomaly-detection' }],
})

/** A due time of the job has come. */
export const jobDue = subject({
  ...fixed,
  name: 'job.due',
  summary: 'A job is due.',
  schema: t.Object({ job, due: moment }),
  examples: [{ job: 'anomaly-detection', due: '2026-01-16T04:30:00.000Z' }],
})

/**
 * Command: run the job now, beside its schedule. Replies `{ runId }`: of a job that has one run at a time that of the run that
 * goes on; with `after` another one follows it, for what it may have passed already.
 */
export const jobRequested = subject({
  ...fixed,
  name: 'job.requested',
  summary: 'Run a job now.',
  once: true,
  schema: t.Object({ job, runId: text({ minLength: 1 }), after: t.Optional(t.Boolean()), ...scope }),
  examples: [{ job: 'anomaly-detection', runId: 'r-1', date: '2026-01-15' }],
})

/** A run is over, and everything it told the organization's actors stands before this. `through` is the newest day or month it finished. */
export const jobEnded = subject({
  ...fixed,
  name: 'job.ended',
  summary: 'A job run ended.',
  schema: t.Object({ job, runId: text({ minLength: 1 }), through: t.Optional(text()), failure: t.Optional(text()) }),
  examples: [{ job: 'anomaly-detection', runId: 'r-1', through: '2026-01-15' }],
})

export const jobMessages = [jobWanted, jobDue, jobRequested, jobEnded]
