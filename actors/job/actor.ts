import { defineActor } from '#engine/actor.ts'
import type { Effect, Turn } from '#engine/turn.ts'
import { jobDue, jobEnded, jobRequested, JobRun, jobWanted, type JobName } from '#streams/job.ts'
import { endsMax, Job } from './entity.ts'
import { nextDue } from './schedule.ts'

/** Does a job once; carried out by `run.ts`. */
export const runJob = {
  name: 'run-job',
  schema: JobRun,
} satisfies Effect

/** One job of one organization: a durable timer, so that each due time has one run however many processes there are. */
export const jobActor = defineActor({
  kind: 'job',
  entity: Job,
  address: { orgId: 'orgId', key: 'name' },
  initial: () => ({ nextDueAt: null, endedRunId: '', endedAt: null, failure: null, ended: [], through: '' }),
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
        row.ended = [{ runId, failure: failure ?? null }, ...row.ended].slice(0, endsMax)
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
  turn.call(runJob, `job/${orgId}/${wanted.job}/${wanted.runId}`, { ...wanted, through: row.through })
}
