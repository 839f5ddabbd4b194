import type { Capability } from '#actors/capability.ts'
import { jobWork } from '#actors/job/run.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectWork } from '#engine/run/effect.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import { jobNames, type JobName } from '#streams/job.ts'

/**
 * Jobs that several capabilities contribute to: their parts run one after the other, in the order of the capabilities.
 */
const sharedJobs: ReadonlySet<JobName> = new Set<JobName>(['retention'])

/**
 * All background work, with the tools of this process. @throws Error for a job without a capability, or with two that
 * may not share it
 */
export function worksOf(
  capabilities: readonly Capability[],
  tools: Tools,
): { effects: EffectWork[]; projections: ProjectionWork[] } {
  const partsOf = (name: JobName) => capabilities.flatMap(({ jobs = {} }) => jobs[name] ?? [])
  const wrong = jobNames.find((name) => {
    const { length } = partsOf(name)
    return length === 0 || (length > 1 && !sharedJobs.has(name))
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

/** Runs all parts in order; the last result is the newest finished day or month. */
function together(parts: readonly JobWork[]): JobWork {
  const [only, ...others] = parts
  if (only && others.length === 0) return only
  return async (run, call) => {
    let through: string | void = undefined
    for (const part of parts) through = await part(run, call)
    return through
  }
}
