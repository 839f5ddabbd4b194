/**
 * Workflows that delete disks nothing uses, asked for through the streams as the edge asks. (a) Many at once: jobs a second from
 * being asked for until they wait for somebody who approves them. (b) At steady rates: milliseconds from an approval being asked
 * for to the first call at the far side, behind its guard and facts that are gathered anew. Each beside a bare queue of rows in the
 * same PostgreSQL: insert, claim, update, and nothing else.
 * Usage: npm run -s bench -- workflow [--jobs 2000] [--asking 64] [--rate 2,20] [--seconds 30]
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { workflowDecided, workflowWanted } from '#streams/workflow.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { JobQueue } from './harness/job-queue.ts'
import { orphans, type Orphan } from './harness/orphan.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    asking: { type: 'string', default: '64' },
    rate: { type: 'string', default: '2,20' },
    seconds: { type: 'string', default: '30' },
  },
})
const [jobs, asking, seconds] = [Number(values.jobs), Number(values.asking), Number(values.seconds)]
const rates = values.rate.split(',').map(Number)

interface Begun extends Orphan {
  jobId: string
}

const parkedSql = `select id from workflow_job where status = 'awaiting_user'`
const planSql = 'select plan::text as plan, steps::text as steps from workflow_job limit 1'

const set = await stage({ env: { LOG_LEVEL: 'silent', INGEST_MESSAGES_PER_MINUTE: '0' } })
const { connections: c, product, end } = await set.product()
product.get(tokens.engine).start()
const asker = product.get(tokens.asker)

const found = await orphans(c, product, jobs)
say(`${figure(jobs)} disks in ${new Set(found.map(({ cloudAccountId }) => cloudAccountId)).size} accounts`)
await c.store.pool.query('analyze')
const [begun, perSecond] = await parkAll()
const row = (await c.store.pool.query<{ plan: string; steps: string }>(planSql)).rows[0]!
const queue = await JobQueue.open(set.stores.postgres.url, JSON.stringify(row))
const bare = jobs / (await queue.run(jobs))
say(`  a bare queue of rows: ${figure(bare)} a second; ratio ${figure(perSecond / bare)}`)
for (const rate of rates) {
  await settled()
  await approveAll(begun.splice(0, rate * seconds), rate)
}
await queue.close()
await end()
await set.close()
process.exit(0)

/** What they have asked for beside themselves, such as mails, is done. */
async function settled(): Promise<void> {
  const sql = 'select (select count(*) from effect)::int + (select count(*) from outbox)::int as n'
  while ((await c.store.pool.query<{ n: number }>(sql)).rows[0]!.n > 0) await c.clock.sleep(100)
}

/** All of them, and how many a second. */
async function parkAll(): Promise<[Begun[], number]> {
  const list = found.map((one): Begun => ({ ...one, jobId: randomUUID() }))
  const [askedAt, parkedAt, answered] = [new Map<string, number>(), new Map<string, number>(), [] as number[]]
  let next = 0
  const ask = async (): Promise<void> => {
    for (let one = list[next++]; one; one = list[next++]) {
      const { orgId, cloudAccountId, jobId, recommendationId, uid, userId } = one
      const at = performance.now()
      askedAt.set(jobId, at)
      const wanted = {
        cloudAccountId,
        jobId,
        recommendationId,
        subjectType: 'resource',
        subjectId: uid,
        userId,
      } as const
      await asker.ask(workflowWanted, orgId, wanted)
      answered.push(performance.now() - at)
    }
  }
  const before = process.cpuUsage()
  const began = performance.now()
  const asked = Promise.all(Array.from({ length: asking }, ask))
  while (parkedAt.size < jobs) {
    const { rows } = await c.store.pool.query<{ id: string }>(parkedSql)
    for (const { id } of rows) if (!parkedAt.has(id)) parkedAt.set(id, performance.now())
    await c.clock.sleep(50)
  }
  const perSecond = (jobs * 1000) / (performance.now() - began)
  const { user, system } = process.cpuUsage(before)
  await asked
  const took = list.map(({ jobId }) => parkedAt.get(jobId)! - askedAt.get(jobId)!)
  say(
    `(a) from ask to park, ${asking} asking: ${figure(perSecond)} jobs a second, ${figure((user + system) / jobs)} us of CPU each`,
  )
  say(`  milliseconds to the answer ${spread(answered)}; to the park ${spread(took)}`)
  return [list, perSecond]
}

/** One after the other at a steady rate. */
async function approveAll(list: readonly Begun[], rate: number): Promise<void> {
  const { simulated } = product.get(tokens.clouds)
  const { next: mark } = simulated.callsSince()
  const askedAt = new Map<string, number>()
  const answers: Promise<unknown>[] = []
  const began = performance.now()
  for (const [i, { orgId, cloudAccountId, jobId, uid, userId }] of list.entries()) {
    askedAt.set(`${cloudAccountId} ${uid}`, Date.now())
    const decided = { cloudAccountId, jobId, stepId: 'delete/approve/1', verdict: 'approve', userId } as const
    answers.push(asker.ask(workflowDecided, orgId, decided))
    await c.clock.sleep(Math.max(0, began + ((i + 1) * 1000) / rate - performance.now()))
  }
  await Promise.all(answers)
  const late = new Map<string, number>()
  while (late.size < list.length) {
    for (const { call, cloudAccountId, resourceUid, at } of simulated.callsSince(mark).calls) {
      const key = `${cloudAccountId} ${resourceUid}`
      if (call === 'snapshot' && !late.has(key)) late.set(key, at.getTime() - askedAt.get(key)!)
    }
    await c.clock.sleep(200)
  }
  const took = [...late.values()]
  say(`(b) ${figure(rate)} approvals a second for ${figure(list.length / rate)} s`)
  say(`  milliseconds from the approval to the call ${spread(took)}`)
  const bare = await queue.steady(rate, list.length)
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(took, share) / quantile(bare, share)) as [number, number]
  say(`  of a bare queue of rows ${spread(bare)}; ratio p50 ${figure(p50)}, p99 ${figure(p99)}`)
}

function spread(ms: readonly number[]): string {
  const [p50, p99] = [0.5, 0.99].map((share) => figure(quantile(ms, share))) as [string, string]
  return `p50 ${p50}, p99 ${p99}`
}
