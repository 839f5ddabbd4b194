/** Jobs of organizations, driven from outside: created if missing, run on demand, awaited. */
import { randomUUID } from 'node:crypto'
import type { Asker } from '#engine/actor/ask.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Tools } from '#actors/tools.ts'
import { jobRequested, jobWanted, usualJobs, type JobName } from '#streams/job.ts'

const missingSql = `
  select distinct a.org_id, j.job from cloud_account a cross join unnest($1::text[]) as j(job)
  where not exists (select from job where job.org_id = a.org_id and job.name = j.job)
  union select distinct p.org_id, 'target-load' from autoscaler_policy p
  where not exists (select from job where job.org_id = p.org_id and job.name = 'target-load')
  union select distinct s.org_id, 'kubernetes-pull' from kubernetes_source s
  where not exists (select from job where job.org_id = s.org_id and job.name = 'kubernetes-pull')
  union select distinct a.org_id, 'organization-sync' from cloud_account a
  where jsonb_typeof(a.organization) = 'object' and a.status <> 'deleted'
  and not exists (select from job where job.org_id = a.org_id and job.name = 'organization-sync')`

/** Creates the jobs of organizations from before jobs existed. */
export async function beginJobs({ reads, publisher }: Pick<Tools, 'reads' | 'publisher'>): Promise<void> {
  for (const { org_id: orgId, job } of await reads.rows<{ org_id: string; job: JobName }>(missingSql, [usualJobs]))
    await publisher.publish({ subject: jobWanted, orgId, data: { job }, id: `job-wanted/${orgId}/${job}` })
}

/** The organizations that have the job, or only the named one. @throws Fault `missing` for an unknown organization */
async function organizations({ reads }: Pick<Tools, 'reads'>, job: JobName, orgId?: string): Promise<string[]> {
  if (orgId === undefined) {
    const rows = await reads.rows<{ org_id: string }>('select org_id from job where name = $1', [job])
    return rows.map((row) => row.org_id)
  }
  const found = await reads.rows('select from organization where id::text = $1', [orgId])
  if (found.length === 0) throw Fault.missing('organization', orgId)
  return [orgId]
}

// The second part is for runs that an earlier version has ended.
const endedSql = `
  select one ->> 'failure' as failure from job, jsonb_array_elements(ended) as one
  where org_id = $1 and name = $2 and one ->> 'runId' = $3
  union all select failure from job where org_id = $1 and name = $2 and ended_run_id = $3 limit 1`

/**
 * Runs the job of one organization, or of all that have it, and waits for the ends. If the job allows one run at a
 * time, it waits for a run in progress first. Returns the id of the run.
 * @throws Fault `missing` for an unknown organization, `refused` `job_failed`
 */
export async function runJobs(
  tools: Pick<Tools, 'reads' | 'clock'> & { asker: Asker },
  job: JobName,
  { orgId, ...about }: { orgId?: string; date?: string; period?: string },
): Promise<string> {
  const runId = randomUUID()
  for (const one of await organizations(tools, job, orgId)) {
    const answer = await tools.asker.ask(jobRequested, one, { job, runId, after: true, ...about })
    const { runId: own } = answer as { runId: string }
    const ended = () => tools.reads.rows<{ failure: string | null }>(endedSql, [one, job, own])
    let [row] = await ended()
    for (; row === undefined; [row] = await ended()) await tools.clock.sleep(20)
    if (row.failure) throw Fault.refused('job_failed', row.failure)
  }
  return runId
}

const leftSql = `
  select from reminder where due <= $1 union all select from effect where name = 'run-job' limit 1`

/**
 * Due work is done by the lanes. Resolves once nothing is left that was due at the call, and all jobs started by it
 * have ended. Returns an id for the call.
 */
export async function noneDue({ reads, clock, now }: Pick<Tools, 'reads' | 'clock' | 'now'>): Promise<string> {
  const asked = now()
  while ((await reads.rows(leftSql, [asked])).length !== 0) await clock.sleep(50)
  return randomUUID()
}
