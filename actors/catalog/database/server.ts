/** Servers of jobs, as databases and connections use them. */
import { Fault } from '#engine/value/fault.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { ProvisioningJob } from '#actors/catalog/entity.ts'
import { findOutput } from '#actors/catalog/job/step.ts'

type Job = Pick<ProvisioningJob, 'id' | 'kind' | 'phase' | 'steps'>

export interface Server {
  host: string
  port: number
  /** The administrator. Below: the reference of the password. */
  user: string
  secretRef: string
}

const jobSql =
  'select id, kind, phase, steps from provisioning_job where org_id = $1 and cloud_account_id = $2 and id = $3'

export async function jobAt(
  reads: TurnReads,
  { orgId, place }: { orgId: string; place: string },
  jobId: string,
): Promise<Job | undefined> {
  return (await reads.rows<Job>(jobSql, [orgId, place, jobId]))[0]
}

/** Whether the job has created a server, or names one. */
export const hasServer = ({ kind }: Pick<ProvisioningJob, 'kind'>): boolean =>
  kind === 'datastore' || kind === 'existing_datastore'

/** @throws Fault `missing`, `conflict` `not_a_datastore`, `job_not_ready` */
export function serverOf(job: Job | undefined, jobId: string): Server {
  if (!job) throw Fault.missing('provisioning job', jobId)
  if (!hasServer(job))
    throw Fault.conflict(
      'not_a_datastore',
      `Only datastores have databases and connections; this job provisions a ${job.kind}.`,
    )
  if (job.phase !== 'ready') throw Fault.conflict('job_not_ready', `The job is ${job.phase}, not ready.`)
  const text = (name: string): string => {
    const value = findOutput(job.steps, name)
    return typeof value === 'string' ? value : ''
  }
  const port = findOutput(job.steps, 'port')
  return {
    host: text('host'),
    port: typeof port === 'number' ? port : 0,
    user: text('user'),
    secretRef: text('secretRef'),
  }
}

/** The reference that is shown in place of a secret. */
export const secretRef = (jobId: string, name: string): string => `secret://${jobId}/${name}`
