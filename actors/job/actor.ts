import { defineActor } from '#engine/actor/actor.ts'
import type { Effect, Turn } from '#engine/actor/turn.ts'
import { jobDue, jobEnded, jobRequested, JobRun, jobWanted, singleJobs, type JobName } from '#streams/job.ts'
import { endsMax, Job } from './entity.ts'
import { nextDue } from './schedule.ts'

/** Runs a job once; implemented in `run.ts`. */
export const runJob = {
  name: 'run-job',
  schema: JobRun,
} satisfies Effect

/** One job of one organization: a durable timer, so that each due time has one run however many processes there are. */
export const jobActor = defineActor({
  kind: 'job',
  entity: Job,
  address: { orgId: 'orgId', key: 'name' },
  initial: () => ({
    nextDueAt: null,
    endedRunId: '',
    endedAt: null,
    failure: null,
    ended: [],
    through: '',
    liveRunId: '',
    nextRunId: '',
  }),
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
        if (row.liveRunId === '') run(row, turn, { job, runId: due, at: due, isDue: true })
        schedule(row, job, new Date(due), turn)
      },
    ),
    on(
      jobRequested,
      ({ job }) => job,
      (row, { after = false, ...request }, turn) => {
        const { liveRunId } = row
        if (liveRunId === '') run(row, turn, { ...request, at: turn.now.toISOString(), isDue: false })
        else if (after && row.nextRunId === '') row.nextRunId = request.runId
        turn.reply({ runId: liveRunId === '' ? request.runId : after ? row.nextRunId : liveRunId })
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
        if (row.liveRunId === runId) follow(row, turn)
      },
    ),
  ],
})

function schedule(row: Job, job: JobName, last: Date, turn: Turn): void {
  const due = nextDue(job, last, turn.now, turn.address.orgId)
  row.nextDueAt = due
  turn.remind('due', due, jobDue, { job, due: due.toISOString() })
}

/** Starts the run that was requested in the meantime, if any. */
function follow(row: Job, turn: Turn): void {
  const { nextRunId } = row
  row.liveRunId = ''
  row.nextRunId = ''
  const job = row.name as JobName
  if (nextRunId !== '') run(row, turn, { job, runId: nextRunId, at: turn.now.toISOString(), isDue: false })
}

function run(row: Job, turn: Turn, wanted: Omit<JobRun, 'through'>): void {
  const { orgId } = turn.address
  if (singleJobs.includes(wanted.job)) row.liveRunId = wanted.runId
  turn.call(runJob, `job/${orgId}/${wanted.job}/${wanted.runId}`, { ...wanted, through: row.through })
}
