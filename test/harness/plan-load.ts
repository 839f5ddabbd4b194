/**
 * Readiness plans all the while, each over a fleet of its own for some seconds: scheduled, and then left to its end or cancelled at
 * any moment. People are sure to be answered: whoever is not asks again under the same id. What must come of it: every fleet has
 * its originals back, was raised once at most for each plan, and never behind its window.
 */
import { Asker } from '#engine/actor/ask.ts'
import { systemClock } from '#engine/clock.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { autoscalerSaved } from '#streams/autoscaling.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import type { MadeCall } from '#streams/cloud/simulated/state/ledger.ts'
import { planStatuses, readinessCommanded, readinessSaved, readinessScheduled } from '#streams/readiness.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { deadLetters, until } from '#test/harness/action-load.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import { random } from '#test/harness/load.ts'

export interface PlanLoad {
  orgId: string
  seed: number
  /** Fleets that have a plan at a time. */
  together: number
  /** Told to end: what is under way is waited for. */
  until: AbortSignal
  begun?: () => void
}

interface Planned {
  planId: string
  uid: string
  isCancelled: boolean
  /** Milliseconds since 1970: its window. */
  from: number
  to: number
  answers: string[]
}

const accounts = 3

/** Follows one plan after the other until it is told to end. All of them, once they are over. */
export async function plans(world: ChaosWorld, load: PlanLoad): Promise<Planned[]> {
  const asker = new Asker(world.nats, world.log, systemClock)
  const followed: Planned[] = []
  const work = async (i: number): Promise<void> => {
    const next = random(load.seed + i)
    const policyId = await policy(world, asker, load, i)
    for (let n = 0; n === 0 || !load.until.aborted; n++)
      followed.push(await follow({ world, asker, load, next }, policyId, i, n))
  }
  load.begun?.()
  await Promise.all(Array.from({ length: load.together }, (_, i) => work(i)))
  asker.close()
  await until(world, async () => (await left(world, load.orgId)) === 0)
  return followed
}

const uidOf = (i: number): string => `asg-${i}`
const accountOf = (orgId: string, i: number): string => `${orgId}-${i % accounts}`

/** Calls that wait, plans that are neither over nor drafts, policies that are held. */
async function left({ pool }: ChaosWorld, orgId: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select (select count(*) from effect where org_id = $1)::int + (select count(*) from readiness_plan
      where org_id = $1 and status not in ('completed', 'cancelled', 'failed', 'draft'))::int + (select count(*) from autoscaler_policy
      where org_id = $1 and hold is not null)::int as n`,
    [orgId],
  )
  return rows[0]!.n
}

/** What is not over yet, as it stands: for whoever wonders why it takes so long. */
export async function plansUnderWay({ pool }: ChaosWorld, orgId: string): Promise<string[]> {
  const { rows } = await pool.query<{ said: string }>(
    `select concat_ws(' ', id, name, status, reason, revision, targets::text, owed::text) as said from readiness_plan
      where org_id = $1 and status not in ('completed', 'cancelled', 'failed', 'draft')
    union all select concat_ws(' ', target_uid, status, status_reason, hold::text, plans::text, in_flight::text)
      from autoscaler_policy where org_id = $1 and (hold is not null or in_flight is not null)
    union all select concat_ws(' ', 'call', key, attempts, due, claimed_until, failure) from effect where org_id = $1`,
    [orgId],
  )
  return rows.map(({ said }) => said)
}

async function policy(world: ChaosWorld, asker: Asker, { orgId }: PlanLoad, i: number): Promise<string> {
  const [cloudAccountId, uid] = [accountOf(orgId, i), uidOf(i)]
  const data = {
    resourceUid: uid,
    name: uid,
    type: 'aws-asg',
    provider: 'aws' as const,
    cloudAccountId,
    region: 'eu-west-1',
    unitCount: 4,
    specs: { min_size: 2, max_size: 10, desired: 4 },
  }
  await world.publisher.publish({ subject: resourceDiscovered, orgId, data, id: `${orgId}-${uid}` })
  await until(world, async () => {
    const found = await world.pool.query('select from resource where org_id = $1 and uid = $2', [orgId, uid])
    return found.rows.length === 1
  })
  const policyId = uuidOf('policy', orgId, uid)
  const terms = {
    name: uid,
    min: 2,
    max: 10,
    targetCpuPercent: 70,
    cooldownSeconds: 300,
    triggers: [],
    adoption: null,
    step: null,
    maxHourlyUsd: null,
  }
  await answer(asker, orgId, autoscalerSaved, `${policyId}/saved`, {
    cloudAccountId,
    targetUid: uid,
    policyId,
    isNew: true,
    mode: 'monitor',
    provider: 'aws',
    targetType: 'aws-asg',
    needsInfrastructure: false,
    terms,
    userId: 'u-1',
  })
  return policyId
}

interface Hand {
  world: ChaosWorld
  asker: Asker
  load: PlanLoad
  next: () => number
}

/** One plan of some seconds. */
async function follow({ world, asker, load, next }: Hand, policyId: string, i: number, n: number): Promise<Planned> {
  const { orgId } = load
  const planId = uuidOf('plan', orgId, String(i), String(n))
  const from = Date.now() + 500 + next() * 2500
  const to = from + 1000 + next() * 5000
  const terms = {
    name: `Event ${i}-${n}`,
    description: null,
    eventStart: new Date(from).toISOString(),
    eventEnd: new Date(to).toISOString(),
    preScaleMinutes: 0,
    postEventMinutes: 0,
    expectedMultiplier: 3,
    timezone: 'UTC',
    policyIds: [policyId],
  }
  const isCancelled = next() < 0.4
  const one: Planned = { planId, uid: uidOf(i), isCancelled, from, to, answers: [] }
  const say = async <S extends TSchema>(subject: Subject<S>, id: string, data: Static<S>) =>
    void one.answers.push(await answer(asker, orgId, subject, `${planId}/${id}`, data))
  await say(readinessSaved, 'saved', { planId, isNew: true, terms, userId: 'u-1' })
  await say(readinessScheduled, 'scheduled', { planId, from: 'draft', userId: 'u-1' })
  if (isCancelled && one.answers.every((said) => said === 'ok')) {
    await systemClock.sleep(next() * Math.max(0, to - Date.now() + 1000))
    await say(readinessCommanded, 'cancelled', { planId, verb: 'cancel', userId: 'u-1' })
  }
  await until(world, async () => {
    const over = ['completed', 'cancelled', 'failed', 'draft']
    const sql = 'select from readiness_plan where org_id = $1 and id = $2 and status = any($3)'
    return (await world.pool.query(sql, [orgId, planId, over])).rows.length === 1
  })
  // The next one may not overlap what is still being put back.
  await until(world, async () => {
    const sql = 'select from autoscaler_policy where org_id = $1 and policy_id = $2 and hold is null'
    return (await world.pool.query(sql, [orgId, policyId])).rows.length === 1
  })
  return one
}

async function answer<S extends TSchema>(
  asker: Asker,
  orgId: string,
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

interface Log {
  plan_id: string
  n: number
  kind: string
  from_status: string
  to_status: string
}

/** What is not as it must be, one sentence each, and how many ended how. */
export async function planWrongs(
  world: ChaosWorld,
  orgId: string,
  followed: readonly Planned[],
  folder: string,
): Promise<{ wrongs: string[]; counts: Record<string, number> }> {
  const { rows } = await world.pool.query<{ id: string; status: string; reason: string }>(
    'select id, status, reason from readiness_plan where org_id = $1',
    [orgId],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const calls = Map.groupBy(scalings(folder, orgId), ({ resourceUid }) => resourceUid ?? '')
  const logs = Map.groupBy(
    await world.facts<Log>(
      `SELECT plan_id, n, kind, from_status, to_status FROM plan_log FINAL WHERE org_id = '${orgId}' ORDER BY plan_id, n`,
    ),
    ({ plan_id }) => plan_id,
  )
  const counts: Record<string, number> = { plans: followed.length, scalings: [...calls.values()].flat().length }
  for (const { planId } of followed) {
    const status = byId.get(planId)?.status ?? 'none'
    counts[status] = (counts[status] ?? 0) + 1
  }
  const wrongs = [
    ...followed.flatMap((one) => walked(one, byId.get(one.planId)?.status ?? 'none', logs.get(one.planId) ?? [])),
    ...[...Map.groupBy(followed, ({ uid }) => uid)].flatMap(([uid, own]) => scaled(uid, own, calls.get(uid) ?? [])),
    ...(await notPutBack(world, orgId)),
    ...(await deadLetters(world, orgId)),
  ]
  return { wrongs, counts }
}

/** By what the cloud told of each fleet last. */
async function notPutBack({ pool }: ChaosWorld, orgId: string): Promise<string[]> {
  const { rows } = await pool.query<{ uid: string; counts: string }>(
    `select target_uid as uid, concat_ws(' ', current ->> 'min', current ->> 'max', current ->> 'desired') as counts
    from autoscaler_policy where org_id = $1`,
    [orgId],
  )
  return rows.flatMap(({ uid, counts }) => (counts === '2 10 4' ? [] : [`${uid}: left at ${counts}`]))
}

/** Changes that had an effect, in the order of the cloud's own journal. */
function scalings(folder: string, orgId: string): MadeCall[] {
  const cloud = simulatedCloud({ seed: 'tidemark', now: () => new Date(), sleep: async () => {}, folder })
  return cloud
    .callsSince()
    .calls.filter(
      ({ call, cloudAccountId, outcome, repeated }) =>
        call === 'scale' && cloudAccountId.startsWith(`${orgId}-`) && outcome === 'ok' && !repeated,
    )
}

const path = planStatuses.slice(0, 7)

/** Each change of status once, in order, each line numbered. */
function walked({ planId, isCancelled, answers }: Planned, status: string, log: readonly Log[]): string[] {
  const wrongs: string[] = []
  const said = log.filter(({ kind }) => kind === 'transition').map((line) => line.to_status)
  // One that has failed may be cancelled behind that.
  const ends = [status, ...(isCancelled ? ['cancelled', 'failed'] : [])]
  const walk = said.filter((one) => !ends.includes(one) || one === 'completed')
  const expected = path.filter((one) => walk.includes(one))
  if (walk.join() !== expected.join() || new Set(said).size !== said.length)
    wrongs.push(`${planId}: walked ${said.join(' ')}`)
  if (log.some(({ n }, i) => n !== i + 1)) wrongs.push(`${planId}: lines ${log.map(({ n }) => n).join(' ')}`)
  // Made too late to be scheduled.
  const isLate = status === 'draft' && answers.includes('event_in_past')
  if (!isLate && !['completed', 'cancelled', 'failed'].includes(status)) wrongs.push(`${planId}: ended ${status}`)
  if (answers.some((one) => !['ok', 'invalid_transition', 'event_in_past'].includes(one)))
    wrongs.push(`${planId}: answered ${answers.join(' ')}`)
  return wrongs
}

/** Raised once at most for each plan and within its window, and put back last. */
function scaled(uid: string, own: readonly Planned[], made: readonly MadeCall[]): string[] {
  const wrongs: string[] = []
  const isRaise = ({ detail }: MadeCall): boolean => detail?.counts?.desired !== 4
  const raises = made.filter(isRaise)
  if (made.length > 0 && isRaise(made.at(-1)!)) wrongs.push(`${uid}: raised, and not put back`)
  for (const { at } of raises) {
    // A call that was begun within the window may be taken a moment behind it.
    const within = own.filter(({ from, to }) => at.getTime() >= from - 50 && at.getTime() <= to + 1000)
    if (within.length === 0) wrongs.push(`${uid}: raised outside of every window, at ${at.toISOString()}`)
  }
  if (raises.length > own.length) wrongs.push(`${uid}: ${raises.length} raises for ${own.length} plans`)
  return wrongs
}
