import type { Capability } from '#actors/capability.ts'
import { jobWork } from '#actors/job/run.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectWork } from '#engine/effect.ts'
import type { ProjectionWork } from '#engine/projection.ts'
import { jobNames, type JobName } from '#streams/job.ts'

/** What is done beside turns, with the tools of this process. @throws Error for a job that no capability does, or two */
export function worksOf(
  capabilities: readonly Capability[],
  tools: Tools,
): { effects: EffectWork[]; projections: ProjectionWork[] } {
  const jobs = capabilities.flatMap((one) => Object.entries(one.jobs ?? {}))
  const works = Object.fromEntries(jobs.map(([name, job]) => [name, job(tools)])) as Record<JobName, JobWork>
  const wrong = jobNames.find((name) => jobs.filter(([known]) => known === name).length !== 1)
  if (wrong !== undefined) throw new Error(`The job ${wrong} is done by none or by several.`)
  return {
    effects: [
      ...capabilities.flatMap(({ effects = [] }) => effects.map((effect) => effect(tools))),
      jobWork(works, tools.publisher),
    ],
    projections: capabilities.flatMap(({ projections }) => projections?.(tools) ?? []),
  }
}
