import { defineActor } from '#engine/actor.ts'
import { t, type Static } from '#engine/schema.ts'
import type { Effect, Turn } from '#engine/turn.ts'
import { jobDue, jobEnded, jobNames, jobRequested, jobWanted, type JobName } from '#streams/job.ts'
import { Job } from './entity.ts'
import { nextDue } from './schedule.ts'

/** Does a job once; carried out by `run.ts`. `at` is the due time, or when it was asked for. */
export const runJob = {
  name: 'run-job',
  schema: t.Object({
    job: t.Enum(jobNames),
    runId: t.String(),
    at: t.String(),
    /** Whether its due time has come, rather than somebody asked. */
    isDue: t.Boolean(),
    date: t.Optional(t.String()),
    period: t.Optional(t.String()),
    through: t.String(),
  }),
} satisfies Effect
export type JobRun = Static<typeof runJob.schema>

/** The key of a run, as long as it is to be carried out. */
export const runKey = (orgId: string, job: JobName, runId: string): string => `job/${orgId}/${job}/${runId}`

/** One job of one organization: a durable timer, so that each due time has one run however many processes there are. */
export const jobActor = defineActor({
  kind: 'job',
  entity: Job,
  address: { orgId: 'orgId', key: 'name' },
  initial: () => ({ nextDueAt: null, endedRunId: '', endedAt: null, failure: null, through: '' }),
  reactions: (on) => [
    on(
      jobWanted,
      ({ job }) => job,
      (row, { job }, turn) => {
        if (row.nextDueAt === null) schedule(row, job, turn.now, turn)
      },
    ),
    on(
      jobDue,
      ({ job }) => job,
      (row, { job, due }, turn) => {
        run(row, turn, { job, runId: due, at: due, isDue: true })
        schedule(row, job, new Date(due), turn)
      },
    ),
    on(
      jobRequested,
      ({ job }) => job,
      (row, request, turn) => {
        run(row, turn, { ...request, at: turn.now.toISOString(), isDue: false })
        turn.reply({ runId: request.runId })
      },
    ),
    on(
      jobEnded,
      ({ job }) => job,
      (row, { runId, through, failure }, turn) => {
        row.endedRunId = runId
        row.endedAt = turn.now
        row.failure = failure ?? null
        if (through !== undefined && row.through < through) row.through = through
      },
    ),
  ],
})

function schedule(row: Job, job: JobName, last: Date, turn: Turn): void {
  const due = nextDue(job, last, turn.now)
  row.nextDueAt = due
  turn.remind('due', due, jobDue, { job, due: due.toISOString() })
}

function run(row: Job, turn: Turn, wanted: Omit<JobRun, 'through'>): void {
  const { orgId } = turn.address
  turn.call(runJob, runKey(orgId, wanted.job, wanted.runId), { ...wanted, through: row.through })
}
