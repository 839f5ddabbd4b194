/** The jobs of organizations: what each does, and how tests run them from outside. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { anomalyCheck, anomalyDetection, labelsOf, type AnomalyTools } from '#actors/anomaly/job.ts'
import { billingSyncJob } from '#actors/billing-sync/job.ts'
import { budgetEvaluation } from '#actors/budget/evaluate.ts'
import { runKey } from '#actors/job/actor.ts'
import { Job } from '#actors/job/entity.ts'
import type { JobWork } from '#actors/job/run.ts'
import { snapshotJob } from '#actors/snapshot/take.ts'
import { run } from '#analytics/query.ts'
import { keepAssignments } from '#analytics/snapshot.ts'
import type { Asker } from '#engine/ask.ts'
import { Fault } from '#engine/fault.ts'
import type { Publisher } from '#engine/publisher.ts'
import { dropExports } from '#actors/export/folder.ts'
import { jobNames, jobRequested, jobWanted, type JobName } from '#streams/job.ts'
import type { Connections } from '#config/connect.ts'
import { ends, passed } from '#config/ingest.ts'
import { tokens, type Product } from '#config/tokens.ts'

export function jobWorks(c: Connections, get: Product['get']): Readonly<Record<JobName, JobWork>> {
  const anomalies: AnomalyTools = {
    ask: (q, params) => run(c.clickhouse, q, params, { max_execution_time: 120, max_memory_usage: '4294967296' }),
    publisher: () => get(tokens.publisher),
    reads: get(tokens.reads),
    cost: `${c.settings.reportCost}_cost`,
    labels: labelsOf(get(tokens.reads)),
  }
  return {
    'billing-sync': billingSyncJob({
      reads: get(tokens.reads),
      publisher: () => get(tokens.publisher),
      sleep: (ms, signal) => c.clock.sleep(ms, signal),
    }),
    retention: async (_run, { orgId }) => {
      await dropExports(c.orm.em.fork(), get(tokens.exports).folder, orgId, new Date(c.clock.now()))
    },
    'anomaly-detection': anomalyDetection(anomalies),
    'anomaly-check': anomalyCheck(anomalies),
    'monthly-snapshot': snapshotJob({
      reads: get(tokens.reads),
      ask: anomalies.ask,
      keepTeams: (orgId, period) => keepAssignments(c.clickhouse, orgId, period),
      publisher: () => get(tokens.publisher),
      cost: anomalies.cost,
    }),
    'budget-evaluation': budgetEvaluation({
      reads: get(tokens.reads),
      publisher: () => get(tokens.publisher),
      cost: `${c.settings.reportCost}_cost`,
      now: () => new Date(c.clock.now()),
    }),
  }
}

/** Organizations from before there were jobs begin theirs. */
export async function beginJobs({ store }: Connections, publisher: Publisher): Promise<void> {
  const { rows } = await store.pool.query<{ org_id: string; job: JobName }>(
    `select distinct a.org_id, j.job from cloud_account a cross join unnest($1::text[]) as j(job)
       where not exists (select from job where job.org_id = a.org_id and job.name = j.job)`,
    [[...jobNames]],
  )
  for (const { org_id: orgId, job } of rows)
    await publisher.publish({ subject: jobWanted, orgId, data: { job }, id: `job-wanted/${orgId}/${job}` })
}

/**
 * Runs the job of one organization, or of all that have it, and waits for the ends. The id of the run.
 * @throws Fault `missing` for an organization there is not, `refused` `job_failed`
 */
export async function runJobs(
  connections: Connections,
  asker: Asker,
  job: JobName,
  { orgId, ...about }: { orgId?: string; date?: string; period?: string },
): Promise<string> {
  const runId = randomUUID()
  for (const one of await organizations(connections.orm.em.fork(), connections.store, job, orgId)) {
    await asker.ask(jobRequested, one, { job, runId, ...about })
    await ended(connections, one, job, runId)
  }
  return runId
}

/**
 * Resolves when the actor has heard of the end of a run. Its row tells of the run that ended last: where that is another one,
 * ours has ended once it is carried out and the lanes have read what was sent until then.
 * @throws Fault `refused` `job_failed`
 */
async function ended(connections: Connections, orgId: string, name: JobName, runId: string): Promise<void> {
  const { orm, store, clock } = connections
  const running = () => store.pool.query('select from effect where key = $1', [runKey(orgId, name, runId)])
  for (let sent: Map<number, number> | undefined; ; await clock.sleep(20)) {
    const isRead = sent !== undefined && (await passed(connections, sent, 0))
    const row = await orm.em.fork().findOne(Job, { orgId, name })
    if (row?.endedRunId === runId && row.failure) throw Fault.refused('job_failed', row.failure)
    if (row?.endedRunId === runId || isRead) return
    if (sent === undefined && (await running()).rowCount === 0) sent = await ends(connections)
  }
}

async function organizations(
  em: EntityManager,
  { pool }: Connections['store'],
  job: JobName,
  orgId: string | undefined,
): Promise<string[]> {
  if (orgId === undefined) return (await em.find(Job, { name: job })).map((row) => row.orgId)
  const { rowCount } = await pool.query('select from organization where id::text = $1', [orgId])
  if (rowCount === 0) throw Fault.missing('organization', orgId)
  return [orgId]
}

/** The lanes run what is due by themselves: resolves once nothing is left that was due when asked, and the jobs begun by it have ended. An id for that. */
export async function noneDue({ store, clock }: Connections): Promise<string> {
  const now = new Date(clock.now())
  const left = `select from reminder where due <= $1 union all select from effect where name = 'run-job' limit 1`
  while ((await store.pool.query(left, [now])).rowCount !== 0) await clock.sleep(50)
  return randomUUID()
}
