/**
 * Runs the jobs of organizations. The end is reported to the job's actor after everything that the run has published.
 */
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import type { Publisher } from '#engine/run/publisher.ts'
import type { JobWork } from '#actors/tools.ts'
import { jobEnded, type JobName, type JobRun } from '#streams/job.ts'
import { runJob } from './actor.ts'
import { retries } from '#streams/retry.ts'

export function jobWork(works: Readonly<Record<JobName, JobWork>>, publisher: Publisher): EffectWork {
  const ended = (run: JobRun, call: EffectCall, outcome: { through?: string; failure?: string }) =>
    publisher.publish({
      subject: jobEnded,
      orgId: call.orgId,
      data: { job: run.job, runId: run.runId, ...outcome },
      id: `${call.key}/ended`,
    })
  return {
    name: runJob.name,
    pool: 'job',
    retry: retries.job,
    async run(input, call) {
      const wanted = input as JobRun
      const through = await works[wanted.job](wanted, call)
      await ended(wanted, call, typeof through === 'string' ? { through } : {})
    },
    async failed(input, call, fault) {
      await ended(input as JobRun, call, { failure: fault.message })
    },
  }
}
