/**
 * Resources that are started and stopped all the while, and schedules that fire every minute, with what must have come of
 * it: each action once in the history and once in the cloud, each fire one event.
 */
import { systemClock } from '#engine/clock.ts'
import { actionWanted, type PowerAction } from '#streams/action/messages.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { scheduleRemoved, scheduleSaved } from '#streams/schedule.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'

export interface ActionLoad {
  orgId: string
  resources: number
  schedules: number
  /** Told to end: what is under way is waited for. */
  until: AbortSignal
  /** The first action is about to be asked for. */
  begun?: () => void
}

interface Asked {
  actionId: string
  uid: string
  action: PowerAction
}

const accounts = 4
const accountOf = (i: number): string => `acct-${i % accounts}`
const uidOf = (i: number): string => `i-${i}`
const scheduledUid = (i: number): string => `s-${i}`
/** Resources of this load, apart from those of others at the same cloud. */
const own = /^[is]-\d+$/
const scheduleId = (orgId: string, i: number): string => `${orgId}-schedule-${i}`

const discovered = (uid: string, cloudAccountId: string) => ({
  resourceUid: uid,
  name: uid,
  type: 'aws-ec2',
  provider: 'aws' as const,
  cloudAccountId,
  region: 'us-east-1',
  status: 'running' as const,
})

/** Asks for one action after the other of every resource until it is told to end. What it asked for, in order. */
export async function startAndStop(world: ChaosWorld, load: ActionLoad): Promise<Asked[]> {
  const { orgId, resources, schedules } = load
  const found = [
    ...Array.from({ length: resources }, (_, i) => discovered(uidOf(i), accountOf(i))),
    ...Array.from({ length: schedules }, (_, i) => discovered(scheduledUid(i), accountOf(i))),
  ]
  for (const data of found) await world.publisher.publish({ subject: resourceDiscovered, orgId, data })
  await until(world, async () => (await count(world, 'resource', orgId)) === found.length)
  for (let i = 0; i < schedules; i++) await saveSchedule(world, orgId, i)
  const asked: Asked[] = []
  load.begun?.()
  await Promise.all(Array.from({ length: resources }, (_, i) => turnOver(world, load, i, asked)))
  for (let i = 0; i < schedules; i++)
    await world.publisher.publish({
      subject: scheduleRemoved,
      orgId,
      data: { scheduleId: scheduleId(orgId, i) },
      id: `${orgId}-removed-${i}`,
    })
  await until(world, async () => (await count(world, 'schedule', orgId)) === 0)
  await until(world, async () => (await live(world, orgId)) === 0)
  return asked
}

const saveSchedule = (world: ChaosWorld, orgId: string, i: number) =>
  world.publisher.publish({
    subject: scheduleSaved,
    orgId,
    id: `${orgId}-saved-${i}`,
    data: {
      scheduleId: scheduleId(orgId, i),
      isNew: true,
      terms: {
        name: `Every minute ${i}`,
        description: null,
        timezone: 'Europe/Berlin',
        rules: [
          { action: 'stop', cron: '*/2 * * * *' },
          { action: 'start', cron: '1-59/2 * * * *' },
        ],
        resourceUids: [scheduledUid(i)],
        resourceGroupIds: [],
        skipDates: [],
        enabled: true,
      },
    },
  })

/** Stops the resource, starts it when that is over, and so on. */
async function turnOver(world: ChaosWorld, load: ActionLoad, i: number, asked: Asked[]): Promise<void> {
  const { orgId } = load
  for (let n = 0; !load.until.aborted; n++) {
    const action = n % 2 === 0 ? 'stop' : 'start'
    const actionId = `${orgId}-${uidOf(i)}-${n}`
    asked.push({ actionId, uid: uidOf(i), action })
    await world.publisher.publish({
      subject: actionWanted,
      orgId,
      id: actionId,
      data: {
        actionId,
        cloudAccountId: accountOf(i),
        resourceUid: uidOf(i),
        action,
        reason: null,
        source: { type: 'manual', id: 'u-1' },
      },
    })
    await until(world, () => hasEnded(world, orgId, actionId))
    await systemClock.sleep(((i * 37) % 50) * 20)
  }
}

/** Waits until it is so; what a store that is away throws is no answer. @throws after a quarter of an hour */
export async function until(world: ChaosWorld, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 900_000
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`it has not come to it: ${world.engines.tail}`)
    await systemClock.sleep(200)
  }
}

const one = async (world: ChaosWorld, sql: string, params: unknown[]): Promise<number> =>
  Number((await world.pool.query<{ n: string }>(sql, params)).rows[0]!.n)

const count = (world: ChaosWorld, table: 'resource' | 'schedule', orgId: string): Promise<number> =>
  one(world, `select count(*) as n from ${table} where org_id = $1`, [orgId])

const live = (world: ChaosWorld, orgId: string): Promise<number> =>
  one(world, 'select count(*) as n from power where org_id = $1 and (live is not null or waiting is not null)', [orgId])

const hasEnded = async (world: ChaosWorld, orgId: string, id: string): Promise<boolean> =>
  (await one(world, 'select count(*) as n from action where org_id = $1 and id = $2 and ended_at is not null', [
    orgId,
    id,
  ])) === 1

interface History {
  action_id: string
  state: string
  attempts: number
  rows: number
}

/** What is not as it must be, one sentence each. `folder` is that of the simulated cloud. */
export async function wrongs(
  world: ChaosWorld,
  orgId: string,
  asked: readonly Asked[],
  folder: string,
): Promise<string[]> {
  const found: string[] = []
  const history = await world.facts<History>(
    `SELECT action_id, any(state) AS state, any(attempts) AS attempts, toUInt32(count()) AS rows
     FROM state_history FINAL WHERE org_id = '${orgId}' GROUP BY action_id`,
  )
  const byId = new Map(history.map((row) => [row.action_id, row]))
  for (const { actionId, action } of asked) {
    const row = byId.get(actionId)
    if (!row) found.push(`${actionId}: no row in the history`)
    else if (row.rows !== 1) found.push(`${actionId}: ${row.rows} rows in the history`)
    else if (row.state !== (action === 'stop' ? 'stopped' : 'running')) found.push(`${actionId}: ${row.state}`)
  }
  const attempts = history.reduce((sum, row) => sum + row.attempts, 0)
  const cloud = simulatedCloud({ seed: 'tidemark', now: () => new Date(), sleep: async () => {}, folder })
  const calls = cloud
    .callsSince()
    .calls.filter(({ call, resourceUid = '' }) => /^(start|stop)$/.test(call) && own.test(resourceUid))
  const made = calls.filter(({ repeated }) => !repeated)
  if (new Set(made.map(({ cloudAccountId, id }) => `${cloudAccountId}/${id}`)).size !== made.length)
    found.push('a call had its effect twice')
  if (made.length > attempts) found.push(`${made.length} calls for ${attempts} tries`)
  if (made.length < history.length) found.push(`${made.length} calls for ${history.length} actions`)
  for (const [uid, list] of Map.groupBy(made, ({ resourceUid }) => resourceUid ?? ''))
    list.forEach(({ call }, i) => {
      if (i > 0 && call === list[i - 1]!.call) found.push(`${uid}: ${call} twice in a row`)
    })
  return [...found, ...(await wrongFires(world, orgId)), ...(await deadLetters(world, orgId))]
}

interface Fire {
  schedule_id: string
  triggered_at: Date
  action: string
  status: string
  /** Why its action failed. */
  said: string | null
}

/** One event a minute and schedule, each completed, or replaced by the next while stores were away for longer than a minute. */
async function wrongFires(world: ChaosWorld, orgId: string): Promise<string[]> {
  const { rows } = await world.pool.query<Fire>(
    `select e.schedule_id, e.triggered_at, e.action, e.status, a.error_message as said from scheduler_event e
     left join action a on a.org_id = e.org_id and a.source ->> 'eventId' = e.id
     where e.org_id = $1 order by e.schedule_id, e.triggered_at`,
    [orgId],
  )
  const found: string[] = []
  rows.forEach(({ schedule_id: id, triggered_at: at, action, status, said }, i) => {
    const wanted = at.getUTCMinutes() % 2 === 0 ? 'stop' : 'start'
    const isReplaced = status === 'failed' && said?.startsWith('superseded by schedule:')
    if (action !== wanted || (status !== 'completed' && !isReplaced))
      found.push(`${id} ${at.toISOString()}: ${action} ${status}`)
    const before = rows[i - 1]
    if (before?.schedule_id === id && at.getTime() - before.triggered_at.getTime() !== 60_000)
      found.push(`${id}: nothing between ${before.triggered_at.toISOString()} and ${at.toISOString()}`)
  })
  return found
}

export async function deadLetters(world: ChaosWorld, orgId: string): Promise<string[]> {
  const { rows } = await world.pool.query<{ type: string; reason: string }>(
    'select type, reason from dead_letter where org_id = $1',
    [orgId],
  )
  return rows.map(({ type, reason }) => `dead letter: ${type} ${reason}`)
}
