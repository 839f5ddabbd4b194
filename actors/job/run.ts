/** Carries out the jobs of organizations, and tells their actors of the end behind everything a run has told. */
import type { EffectCall, EffectWork } from '#engine/effect.ts'
import type { Publisher } from '#engine/publisher.ts'
import { jobEnded, type JobName } from '#streams/job.ts'
import { runJob, type JobRun } from './actor.ts'

/** Does the job. What it tells the organization's actors it publishes before it resolves. Returns the newest day or month that is finished. */
export type JobWork = (run: JobRun, call: EffectCall) => Promise<string | void>

export function jobWork(works: Readonly<Record<JobName, JobWork>>, publisher: () => Publisher): EffectWork {
  const ended = (run: JobRun, call: EffectCall, outcome: { through?: string; failure?: string }) =>
    publisher().publish({
      subject: jobEnded,
      orgId: call.orgId,
      data: { job: run.job, runId: run.runId, ...outcome },
      id: `${call.key}/ended`,
    })
  return {
    name: runJob.name,
    triesMax: 60,
    pauseMs: 2000,
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
