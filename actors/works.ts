import type { Capability } from '#actors/capability.ts'
import { jobWork } from '#actors/job/run.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectWork } from '#engine/run/effect.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import { jobNames, type JobName } from '#streams/job.ts'

/** Jobs that several capabilities may have a part in, each its own: they are done one after the other, as the capabilities are listed. */
const shared: ReadonlySet<JobName> = new Set<JobName>(['retention'])

/** What is done beside turns, with the tools of this process. @throws Error for a job that no capability does, or two that may not share it */
export function worksOf(
  capabilities: readonly Capability[],
  tools: Tools,
): { effects: EffectWork[]; projections: ProjectionWork[] } {
  const partsOf = (name: JobName) => capabilities.flatMap(({ jobs = {} }) => jobs[name] ?? [])
  const wrong = jobNames.find((name) => {
    const { length } = partsOf(name)
    return length === 0 || (length > 1 && !shared.has(name))
  })
  if (wrong !== undefined) throw new Error(`The job ${wrong} must be implemented by exactly one capability.`)
  const works = Object.fromEntries(
    jobNames.map((name) => [name, together(partsOf(name).map((job) => job(tools)))]),
  ) as Record<JobName, JobWork>
  return {
    effects: [
      ...capabilities.flatMap(({ effects = [] }) => effects.map((effect) => effect(tools))),
      jobWork(works, tools.publisher),
    ],
    projections: capabilities.flatMap(({ projections }) => projections?.(tools) ?? []),
  }
}

/** All parts in their order; what the last of them says is finished. */
function together(parts: readonly JobWork[]): JobWork {
  const [only, ...others] = parts
  if (only && others.length === 0) return only
  return async (run, call) => {
    let through: string | void = undefined
    for (const part of parts) through = await part(run, call)
    return through
  }
}
