/**
 * Savings of the demo organization: the machines that were stopped, and verification of all savings against the bills.
 */
import { runJobs } from '#actors/job/drive.ts'
import { Schedule } from '#actors/schedule/entity.ts'
import { addDays, days, isWeekend, startOf } from '#engine/value/day.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Event } from '#engine/run/publisher.ts'
import { patiently } from '#config/demo/retry.ts'
import { havePassed, laneEnds } from '#config/state/wait-for-ingest.ts'
import type { Running } from '#config/product/product.ts'
import type { Progress } from '#config/process/progress.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { actionTold, type ActionRecord, type ActionSource, type PowerAction } from '#streams/action/messages.ts'
import { doneDaysAgo } from '#streams/cloud/simulated/world/stories/realized-savings.ts'
import { scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

/** Office hours of the simulated cloud, UTC. */
const [startHour, stopHour] = [8, 20]
const scheduleName = 'Test farm'

interface Machine {
  uid: string
  account: string
  provider: string
  region: string
  type: string
}

const machineSql = `
  select r.uid, r.cloud_account_id as account, r.provider, r.region, r.type from resource r
  join cloud_account a on a.org_id = r.org_id and a.id = r.cloud_account_id and a.status in ('connected', 'degraded')
  where r.org_id = $1 and a.external_id = $2 and r.name = $3 and r.deleted_at is null`

/** Creates each once: the action's id is also part of its message's id. */
export async function makeSaving(running: Running, orgId: string): Promise<void> {
  const { today } = running.product.get(tokens.clouds).simulated.world
  const found = async (account: string, name: string) => {
    const [machine] = await running.connections.store.rows<Machine>(machineSql, [orgId, account, name])
    return machine
  }
  const [farm, notebook] = await Promise.all([
    found('sim-aws-staging', 'test-farm-1'),
    found('sim-aws-analytics', 'notebook-1'),
  ])
  if (notebook) {
    const at = startOf(addDays(today, -doneDaysAgo.stoppedYoung))
    await tell(running, orgId, [toActionEvent(orgId, notebook, 'stop', at, { type: 'manual', id: 'demo' })])
  }
  if (farm) await makeSchedule(running, orgId, farm, today)
}

/** Verifies the savings against the bills with the same job that runs later. */
export async function proveSaving({ connections, product }: Running, orgId: string, progress: Progress): Promise<void> {
  // Wait until the lanes have processed what was published.
  await havePassed(connections, orgId, await laneEnds(connections), Number.POSITIVE_INFINITY)
  const tools = { reads: product.get(tokens.reads), clock: connections.clock, asker: product.get(tokens.asker) }
  progress.step('verifying savings against the bills')
  await runJobs(tools, 'savings', { orgId })
}

/** Creates the schedule, and the actions it would have made so far. */
async function makeSchedule(running: Running, orgId: string, farm: Machine, today: string): Promise<void> {
  const { connections, product } = running
  const scheduleId = uuidOf('demo', orgId, 'schedule', farm.uid)
  if ((await connections.orm.em.fork().count(Schedule, { orgId, id: scheduleId })) > 0) return
  const source = (eventId: string) => ({ type: 'schedule' as const, id: scheduleId, name: scheduleName, eventId })
  const past = [...switches(addDays(today, -doneDaysAgo.scheduled - 1), today)].filter(
    ({ at }) => at < connections.clock.now(),
  )
  await tell(
    running,
    orgId,
    past.map(({ action, at }) =>
      toActionEvent(orgId, farm, action, at, source(uuidOf('demo', orgId, 'fire', String(at)))),
    ),
  )
  const terms: ScheduleTerms = {
    name: scheduleName,
    description: 'No one tests at night or on weekends.',
    timezone: 'UTC',
    rules: [
      { action: 'stop', cron: `0 ${stopHour} * * 1-5` },
      { action: 'start', cron: `0 ${startHour} * * 1-5` },
    ],
    resourceUids: [farm.uid],
    resourceGroupIds: [],
    skipDates: [],
    enabled: true,
  }
  const asker = product.get(tokens.asker)
  await patiently(() => asker.ask(scheduleSaved, orgId, { scheduleId, isNew: true, terms }, scheduleId))
}

/** Yields the schedule's actions: stopped from the midnight after `first`, except in office hours of working days. */
function* switches(first: string, last: string): Generator<{ action: PowerAction; at: number }> {
  yield { action: 'stop', at: startOf(addDays(first, 1)) }
  for (const day of days(addDays(first, 1), last)) {
    if (isWeekend(startOf(day))) continue
    yield { action: 'start', at: startOf(day) + startHour * 3_600_000 }
    yield { action: 'stop', at: startOf(day) + stopHour * 3_600_000 }
  }
}

/** An event that reports a successful action at time `at` (UTC milliseconds), as the action actor would publish it. */
function toActionEvent(orgId: string, machine: Machine, action: PowerAction, at: number, source: ActionSource): Event {
  const time = new Date(at)
  const moment = time.toISOString()
  const actionId = uuidOf('demo', orgId, 'action', machine.uid, action, moment)
  const data: ActionRecord = {
    actionId,
    cloudAccountId: machine.account,
    resourceUid: machine.uid,
    provider: machine.provider,
    resourceType: machine.type,
    region: machine.region,
    action,
    reason: source.type === 'schedule' ? `schedule ${scheduleName}` : 'No one has opened it for days',
    status: 'succeeded',
    errorMessage: null,
    source,
    attempt: 1,
    nextAttemptAt: null,
    createdAt: moment,
    startedAt: moment,
    endedAt: moment,
    revision: 3,
  }
  return { subject: actionTold, orgId, data, id: `${actionId}/told`, time }
}

async function tell({ product }: Running, orgId: string, events: readonly Event[]): Promise<void> {
  const first = events[0]
  if (!first) return
  const id = uuidOf('demo', orgId, 'told', first.id ?? '', String(events.length))
  await product.get(tokens.publisher).publishTogether(id, events)
}
