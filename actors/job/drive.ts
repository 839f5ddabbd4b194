/** Jobs of organizations from outside: begun where there were none yet, run on demand, waited for. */
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

/** Organizations from before there were jobs begin theirs. */
export async function beginJobs({ reads, publisher }: Pick<Tools, 'reads' | 'publisher'>): Promise<void> {
  for (const { org_id: orgId, job } of await reads.rows<{ org_id: string; job: JobName }>(missingSql, [usualJobs]))
    await publisher.publish({ subject: jobWanted, orgId, data: { job }, id: `job-wanted/${orgId}/${job}` })
}

/** The organizations that have the job, or the one that is named. @throws Fault `missing` for one there is not */
async function organizations({ reads }: Pick<Tools, 'reads'>, job: JobName, orgId?: string): Promise<string[]> {
  if (orgId === undefined) {
    const rows = await reads.rows<{ org_id: string }>('select org_id from job where name = $1', [job])
    return rows.map((row) => row.org_id)
  }
  const found = await reads.rows('select from organization where id::text = $1', [orgId])
  if (found.length === 0) throw Fault.missing('organization', orgId)
  return [orgId]
}

// The second part for runs that a version before this one has ended.
const endedSql = `
  select one ->> 'failure' as failure from job, jsonb_array_elements(ended) as one
  where org_id = $1 and name = $2 and one ->> 'runId' = $3
  union all select failure from job where org_id = $1 and name = $2 and ended_run_id = $3 limit 1`

/**
 * Runs the job of one organization, or of all that have it, and waits for the ends; of a job that has one run at a time, behind the one
 * that goes on. The id of the run.
 * @throws Fault `missing` for an organization there is not, `refused` `job_failed`
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

/** The lanes run what is due by themselves: resolves once nothing is left that was due when asked, and the jobs begun by it have ended. An id for that. */
export async function noneDue({ reads, clock, now }: Pick<Tools, 'reads' | 'clock' | 'now'>): Promise<string> {
  const asked = now()
  while ((await reads.rows(leftSql, [asked])).length !== 0) await clock.sleep(50)
  return randomUUID()
}
