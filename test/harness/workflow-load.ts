/**
 * Workflows all the while, of three kinds of findings: begun, and then approved, rejected, cancelled, or cancelled behind their
 * approval. People are sure to be answered: whoever is not asks again under the same id. What must come of it: workflow-wrongs.ts.
 */
import { randomUUID } from 'node:crypto'
import { Asker } from '#engine/actor/ask.ts'
import { systemClock } from '#engine/clock.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { workflowCancelled, workflowDecided, workflowWanted } from '#streams/workflow.ts'
import { until } from '#test/harness/action-load.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import { random } from '#test/harness/load.ts'

export interface WorkflowLoad {
  orgId: string
  seed: number
  /** Resources that have a workflow at a time. */
  together: number
  /** Told to end: what is under way is waited for. */
  until: AbortSignal
  /** The first workflow is about to be decided on. */
  begun?: () => void
}

/** `both`: two people approve at once. `withdraw`: it is approved, and cancelled while it may be under way. */
export const decisions = ['approve', 'both', 'reject', 'cancel', 'withdraw'] as const
export type Decision = (typeof decisions)[number]

export interface Followed {
  jobId: string
  uid: string
  decision: Decision
  /** What those who decided were answered: `ok` or a code, in the order in which they asked. */
  answers: string[]
  /** What two were answered who began one for the same recommendation, where two did. */
  begun: string[]
}

const created_at = '2024-01-01T00:00:00Z'

/** What is found: to be deleted behind a snapshot, to be set, to be stopped, resized and started. */
const kinds = [
  {
    rule: 'RC-1301',
    provider: 'aws',
    fields: {
      type: 'aws-ebs-volume',
      instanceType: 'gp3',
      sizeGB: 500,
      status: 'running',
      specs: { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true },
    },
  },
  {
    rule: 'RC-3002',
    provider: 'azure',
    fields: {
      type: 'azure-vm',
      instanceType: 'Standard_D2s_v5',
      status: 'stopped',
      specs: { power_state: 'stopped', created_at },
    },
  },
  {
    rule: 'RC-1103',
    provider: 'aws',
    fields: { type: 'aws-ec2', instanceType: 'm4.large', status: 'running', specs: { created_at } },
  },
] as const
type Kind = (typeof kinds)[number]

/** Of every ten. */
const kindOfTen = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2] as const
const accounts = 3

/** Limits that hold nothing back. */
const wide = { destructivePerHour: 10_000, destructivePerDay: 100_000, concurrent: 1000, groupSharePercent: 100 }

/** Two people who may approve, and a guardrail that is never reached. */
export async function peopleOf({ pool }: Pick<ChaosWorld, 'pool'>, orgId: string): Promise<[string, string]> {
  const people = [randomUUID(), randomUUID()] as [string, string]
  for (const id of people) {
    await pool.query(
      `insert into app_user values ($1::uuid, $1::text || '@example.com', 'Ana', null, now(), now(), now())`,
      [id],
    )
    await pool.query(`insert into member values ($1, $2::uuid, 'admin', 'active', now())`, [orgId, id])
  }
  await pool.query(
    `insert into policy values ($1, $2, 'guardrail', 'organisation', null, 'Wide', $3, true, 1, 1, now(), now())`,
    [orgId, randomUUID(), wide],
  )
  await pool.query(`insert into policy_set values ($1, 'guardrail', 1)`, [orgId])
  return people
}

interface Hand {
  world: ChaosWorld
  load: WorkflowLoad
  asker: Asker
  people: [string, string]
  next: () => number
  followed: Followed[]
}

/** Follows one workflow after the other until it is told to end. All of them, once they are over. */
export async function workflows(world: ChaosWorld, load: WorkflowLoad): Promise<Followed[]> {
  const asker = new Asker(world.nats, world.log, systemClock)
  const people = await peopleOf(world, load.orgId)
  const followed: Followed[] = []
  const work = async (i: number): Promise<void> => {
    const hand: Hand = { world, load, asker, people, next: random(load.seed + i), followed }
    for (let n = 0; n === 0 || !load.until.aborted; n++) await follow(hand, `${i}-${n}`)
  }
  await Promise.all(Array.from({ length: load.together }, (_, i) => work(i)))
  asker.close()
  await until(world, async () => (await left(world, load.orgId)) === 0)
  return followed
}

/** Calls that wait, and workflows that are not over. */
async function left({ pool }: ChaosWorld, orgId: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select (select count(*) from effect where org_id = $1)::int + (select count(*) from workflow_job
      where org_id = $1 and status in ('pending', 'running', 'awaiting_user'))::int as n`,
    [orgId],
  )
  return rows[0]!.n
}

/** What is not over yet, as it stands: for whoever wonders why it takes so long. */
export async function underWay({ pool }: ChaosWorld, orgId: string): Promise<string[]> {
  const { rows } = await pool.query<{ said: string }>(
    `select concat_ws(' ', id, resource_uid, status, step_id, reason, ops::text, n, grant_n,
      (select string_agg(concat_ws(' ', name, due), ', ') from reminder r where r.org_id = j.org_id and r.key = j.id)) as said
    from workflow_job j where org_id = $1 and status in ('pending', 'running', 'awaiting_user')
    union all select concat_ws(' ', 'call', key, attempts, due, claimed_until, failure) from effect where org_id = $1`,
    [orgId],
  )
  return rows.map(({ said }) => said)
}

/** One resource with its workflow, from its discovery to the end. */
async function follow(hand: Hand, name: string): Promise<void> {
  const { world, load, next, followed } = hand
  const kind = kinds[kindOfTen[Math.floor(next() * 10)]!]!
  const cloudAccountId = `${load.orgId}-${kind.provider}-${Math.floor(next() * accounts)}`
  const uid = `${kind.fields.type}-${name}`
  const recommendationId = await found(hand, kind, { cloudAccountId, uid })
  const jobId = uuidOf('followed', load.orgId, uid)
  const one: Followed = { jobId, uid, decision: decisionOf(next()), answers: [], begun: [] }
  await begin(hand, one, { cloudAccountId, recommendationId })
  followed.push(one)
  await reached(world, load.orgId, one, 'awaiting_user')
  load.begun?.()
  await decide(hand, one, { cloudAccountId, jobId: one.jobId })
  await reached(world, load.orgId, one, 'succeeded', 'failed', 'cancelled')
}

function decisionOf(share: number): Decision {
  if (share < 0.6) return 'approve'
  if (share < 0.7) return 'both'
  if (share < 0.8) return 'reject'
  return share < 0.85 ? 'cancel' : 'withdraw'
}

/** The id of its recommendation, once there is one. */
async function found(
  { world: { publisher, pool }, world, load: { orgId } }: Hand,
  { rule, provider, fields }: Kind,
  { cloudAccountId, uid }: { cloudAccountId: string; uid: string },
): Promise<string> {
  const data = { resourceUid: uid, name: uid, provider, cloudAccountId, region: 'eu-west-1', ...fields }
  await publisher.publish({ subject: resourceDiscovered, orgId, data, id: `${orgId}-${uid}` })
  let id = ''
  await until(world, async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select id from recommendation where org_id = $1 and resource_uid = $2 and rule_id = $3 and status = 'open'`,
      [orgId, uid, rule],
    )
    id = rows[0]?.id ?? ''
    return id !== ''
  })
  return id
}

async function reached(
  world: ChaosWorld,
  orgId: string,
  { jobId }: Followed,
  ...statuses: readonly string[]
): Promise<void> {
  const sql = 'select from workflow_job where org_id = $1 and id = $2 and status = any($3)'
  const over = [...statuses, 'succeeded', 'failed', 'cancelled']
  await until(world, async () => (await world.pool.query(sql, [orgId, jobId, over])).rows.length === 1)
}

/** Now and then two begin one for the same recommendation: the one that has begun is followed. */
async function begin(
  hand: Hand,
  one: Followed,
  { cloudAccountId, recommendationId }: { cloudAccountId: string; recommendationId: string },
): Promise<void> {
  const ids = hand.next() < 0.9 ? [one.jobId] : [one.jobId, uuidOf('beside', one.jobId)]
  one.begun = await Promise.all(
    ids.map((jobId, i) =>
      answer(hand, workflowWanted, `${jobId}/wanted`, {
        cloudAccountId,
        jobId,
        recommendationId,
        subjectType: 'resource',
        subjectId: one.uid,
        userId: hand.people[i]!,
      }),
    ),
  )
  one.jobId = ids[one.begun.indexOf('ok')] ?? one.jobId
}

async function decide(hand: Hand, one: Followed, job: { cloudAccountId: string; jobId: string }): Promise<void> {
  const { next, people } = hand
  const say = (verdict: 'approve' | 'reject', userId: string): Promise<string> =>
    answer(hand, workflowDecided, `${job.jobId}/${userId}`, { ...job, stepName: 'approval', verdict, userId })
  const cancel = (): Promise<string> =>
    answer(hand, workflowCancelled, `${job.jobId}/cancelled`, { ...job, userId: people[1], reason: 'Not now.' })
  switch (one.decision) {
    case 'approve':
    case 'reject':
      return void one.answers.push(await say(one.decision, people[0]))
    case 'both':
      return void one.answers.push(...(await Promise.all(people.map((userId) => say('approve', userId)))))
    case 'cancel':
      return void one.answers.push(await cancel())
    case 'withdraw':
      one.answers.push(await say('approve', people[0]))
      // Often at once, so that it meets what the approval has begun.
      await systemClock.sleep(next() ** 3 * 5000)
      one.answers.push(await cancel())
  }
}

/** `ok`, or the code of what stood against it. */
async function answer<S extends TSchema>(
  { asker, load: { orgId } }: Hand,
  subject: Subject<S>,
  id: string,
  data: Static<S>,
): Promise<string> {
  for (;;) {
    try {
      await asker.ask(subject, orgId, data, id)
      return 'ok'
    } catch (error) {
      const { kind, code } = Fault.from(error)
      if (kind !== 'transient') return code
    }
  }
}
