/** What must have come of workflows, whatever was killed: each change made once, in order, by nobody's but an approval, and each word of it once. */
import type { Approval, AuditEntry, Op, WorkflowPlan } from '#actors/workflow/entity.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import type { MadeCall } from '#streams/cloud/simulated/state/ledger.ts'
import { deadLetters } from '#test/harness/action-load.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import type { Decision, Followed } from '#test/harness/workflow-load.ts'

interface Job {
  id: string
  uid: string
  status: string
  plan: WorkflowPlan
  ops: Op[]
  approvals: Approval[]
  audit: AuditEntry[]
  told: number
  is_held: boolean
  reason: string
  completed_at: Date
}

/** A line for analysts. */
interface Event {
  job_id: string
  n: number
  event: string
  step_name: string
}

const jobsSql = `
  select id, resource_uid as uid, status, plan, ops, approvals, audit, told, is_held, reason, completed_at
  from workflow_job where org_id = $1`

export interface Found {
  /** What is not as it must be, one sentence each. */
  wrongs: string[]
  /** How many ended how, and what else is worth knowing. */
  counts: Record<string, number>
}

/** `folder` is that of the simulated cloud. */
export async function workflowWrongs(
  world: ChaosWorld,
  orgId: string,
  followed: readonly Followed[],
  folder: string,
): Promise<Found> {
  const { rows: jobs } = await world.pool.query<Job>(jobsSql, [orgId])
  const calls = Map.groupBy(effects(folder, orgId), ({ resourceUid }) => resourceUid ?? '')
  const events = Map.groupBy(
    await world.facts<Event>(
      `SELECT job_id, n, event, step_name FROM workflow_event FINAL WHERE org_id = '${orgId}' ORDER BY job_id, n`,
    ),
    ({ job_id }) => job_id,
  )
  const byId = new Map(jobs.map((job) => [job.id, job]))
  const uids = new Set(followed.map(({ uid }) => uid))
  const wrongs = [
    ...followed.flatMap((one) => answered(one).map((wrong) => `${one.uid} ${one.decision}: ${wrong}`)),
    ...followed.flatMap((one) => {
      const job = byId.get(one.jobId)
      if (!job) return [`${one.uid}: no workflow`]
      const found = [
        ...ended(job, one.decision),
        ...called(job, calls.get(one.uid) ?? []),
        ...audited(job, one.decision),
        ...told(job, events.get(job.id) ?? []),
      ]
      return found.map((wrong) => `${one.uid} ${one.decision} ${job.status} (${job.reason}): ${wrong}`)
    }),
    ...[...calls.keys()].filter((uid) => !uids.has(uid)).map((uid) => `${uid}: calls for nobody`),
    ...(jobs.length === followed.length ? [] : [`${jobs.length} workflows for ${followed.length} that were begun`]),
    ...(await leftovers(world, orgId)),
    ...(await deadLetters(world, orgId)),
  ]
  return { wrongs, counts: countsOf(jobs, followed, calls) }
}

/** Calls that had an effect, in the order of the cloud's own journal. */
function effects(folder: string, orgId: string): MadeCall[] {
  const cloud = simulatedCloud({ seed: 'tidemark', now: () => new Date(), sleep: async () => {}, folder })
  return cloud
    .callsSince()
    .calls.filter(
      ({ cloudAccountId, id, outcome, repeated }) =>
        cloudAccountId.startsWith(`${orgId}-`) && id !== undefined && outcome === 'ok' && !repeated,
    )
}

const answers: Readonly<Record<Decision, readonly string[]>> = {
  approve: ['ok'],
  both: ['not_awaiting ok', 'ok not_awaiting'],
  reject: ['ok'],
  cancel: ['ok'],
  withdraw: ['ok ok', 'ok invalid_transition'],
}

function answered({ decision, answers: own, begun }: Followed): string[] {
  const wrongs: string[] = []
  if (!answers[decision].includes(own.join(' '))) wrongs.push(`answered ${own.join(' ')}`)
  if (!['ok', 'ok job_active', 'job_active ok'].includes(begun.join(' ')))
    wrongs.push(`begun, answered ${begun.join(' ')}`)
  return wrongs
}

const ends: Readonly<Record<Decision, readonly string[]>> = {
  approve: ['succeeded'],
  both: ['succeeded'],
  reject: ['cancelled'],
  cancel: ['cancelled'],
  withdraw: ['succeeded', 'cancelled'],
}

function ended({ status, is_held: isHeld }: Job, decision: Decision): string[] {
  const wrongs = ends[decision].includes(status) ? [] : ['another end']
  return isHeld ? [...wrongs, 'still holds its resource'] : wrongs
}

/** All that is planned where it succeeded; else nothing but what was begun before its end; nothing at all without an approval. */
function called({ status, plan, ops, approvals }: Job, made: readonly MadeCall[]): string[] {
  const wrongs: string[] = []
  const planned = plan.ops.map(({ kind }) => kind as string)
  const names = made.map(({ call }) => call as string)
  const said = `calls ${names.join(', ') || 'none'} of ${planned.join(', ')}`
  const [least, most] =
    status === 'succeeded'
      ? [planned.length, planned.length]
      : [ops.filter(({ state }) => state === 'done').length, ops.filter(({ state }) => state !== 'pending').length]
  if (names.some((name, i) => name !== planned[i]) || names.length < least || names.length > most)
    wrongs.push(`${said}, its own row ${ops.map(({ state }) => state).join(', ')}`)
  if (ops.some(({ state }) => state === 'running')) wrongs.push(`nothing is told of a call: ${said}`)
  if (new Set(made.map(({ id }) => id)).size !== made.length) wrongs.push(`one id twice in ${said}`)
  const approvedAt = Math.min(...approvals.map(({ at }) => Date.parse(at)))
  if (made.some(({ at }) => at.getTime() < approvedAt)) wrongs.push(`${said}, before it was approved`)
  return wrongs
}

const whole = [
  'precondition created',
  'precondition completed',
  'approval created',
  'approval approved',
  'execute created',
  'execute completed',
  'validate created',
  'validate completed',
]
const untilParked = 3

function expectedLines(lines: readonly string[], { status, ops }: Pick<Job, 'status' | 'ops'>, decision: Decision) {
  if (decision === 'reject') return [...whole.slice(0, untilParked), 'approval rejected']
  if (status === 'succeeded') return whole
  if (decision === 'cancel') return whole.slice(0, untilParked)
  // Cancelled behind its first call, the step that makes the calls has failed.
  const isCutOff = ops.some(({ tries }) => tries > 0) && !lines.includes('execute completed')
  return isCutOff
    ? [...whole.slice(0, whole.indexOf('execute completed')), 'execute failed']
    : whole.slice(0, lines.length)
}

/** What people read: each line once, in order, nothing left out. */
function audited({ status, audit, ops }: Job, decision: Decision): string[] {
  const lines = audit.map(({ stepName, eventType }) => `${stepName} ${eventType}`)
  const expected = expectedLines(lines, { status, ops }, decision)
  const wrongs = lines.join() === expected.join() ? [] : [`audit ${lines.join(', ')}`]
  if (audit.some(({ createdAt }, i) => i > 0 && createdAt < audit[i - 1]!.createdAt))
    wrongs.push('audit goes back in time')
  return wrongs
}

/** What analysts read: each number once, the same steps as the audit, its end last but for what became of a call behind it. */
function told({ status, audit, told: last }: Job, events: readonly Event[]): string[] {
  const wrongs: string[] = []
  if (events.length !== last || events.some(({ n }, i) => n !== i + 1))
    wrongs.push(`lines ${events.map(({ n }) => n).join(' ')} of ${last}`)
  const steps = events
    .filter(({ event }) => event.startsWith('step_'))
    .map(({ event, step_name }) => `${step_name} ${event.slice(5)}`)
  if (steps.join() !== audit.map(({ stepName, eventType }) => `${stepName} ${eventType}`).join())
    wrongs.push(`lines say ${steps.join(', ')}`)
  const names = events.map(({ event }) => event)
  const end = names.indexOf(status)
  const isEnd = end !== -1 && names.slice(end + 1).every((name) => name.startsWith('call_') && name !== 'call_begun')
  if (!isEnd || names.lastIndexOf(status) !== end) wrongs.push(`lines end with ${names.slice(-3).join(', ')}`)
  const call = names.indexOf('call_begun')
  if (call !== -1 && !names.slice(0, call).join().includes('step_approved,step_created,guard_yes'))
    wrongs.push(`a call was begun behind ${names.slice(0, call).join(', ')}`)
  return wrongs
}

/** What must be gone once all is over. */
async function leftovers({ pool }: ChaosWorld, orgId: string): Promise<string[]> {
  const { rows } = await pool.query<Record<string, string>>(
    `select
      (select count(*) from guard g, jsonb_array_elements(g.grants) one where g.org_id = $1 and (one ->> 'isLive')::boolean) as "live grants",
      (select count(*) from reminder where org_id = $1 and kind in ('workflow', 'guard')) as reminders,
      (select count(*) from effect where org_id = $1) as effects,
      (select count(*) from power where org_id = $1 and ((held ->> 'until')::timestamptz > now() or live is not null or waiting is not null)) as "busy resources",
      (select count(*) from recommendation where org_id = $1 and not (job ->> 'isOver')::boolean) as "recommendations that wait",
      (select count(*) from recommendation r where r.org_id = $1 and r.status <> case when exists (select from workflow_job j
        where j.org_id = $1 and j.recommendation_id = r.id and j.status = 'succeeded') then 'applied' else 'open' end
        and exists (select from workflow_job j where j.org_id = $1 and j.recommendation_id = r.id)) as "recommendations of another status"`,
    [orgId],
  )
  return Object.entries(rows[0]!).flatMap(([name, n]) => (Number(n) === 0 ? [] : [`${n} ${name} left`]))
}

function countsOf(
  jobs: readonly Job[],
  followed: readonly Followed[],
  calls: ReadonlyMap<string, readonly MadeCall[]>,
): Record<string, number> {
  const counts: Record<string, number> = { workflows: jobs.length, calls: [...calls.values()].flat().length }
  const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1)
  for (const { status } of jobs) count(status)
  for (const { decision } of followed) count(`asked to ${decision}`)
  for (const { uid, status, completed_at: end } of jobs)
    if (status === 'cancelled')
      for (const { at } of calls.get(uid) ?? []) if (at > end) count('calls under way at a cancel')
  return counts
}
