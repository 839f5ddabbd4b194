/**
 * Schedules of one organization, one resource each, in 200 zones. (a) All fire in one minute: how long until each has written
 * down its event and asked for its action, as a ratio to a limit that reads, publishes and writes the same without actors; and
 * until each machine is stopped in the simulated cloud. (b) As many, spread over some minutes: how late the action stands in
 * its lane, and the call is made. (c) How long the look for due reminders takes beside many that rest. With `--plans` instead:
 * event readiness plans whose raise is due in one minute, 100 of five targets in each organization, until all are active.
 * Usage: npm run -s bench -- schedules [--schedules 100000] [--minutes 10] [--resting 1000000], or --plans [--organizations 10]
 */
import { parseArgs } from 'node:util'
import { tokens } from '#config/wiring/tokens.ts'
import { ceiling, orgId, publishResources, publishSchedules } from './harness/fire.ts'
import { plansInOneMinute } from './harness/plan-minute.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'
import { minuteIn, until } from './harness/waited.ts'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '10' },
    resting: { type: 'string', default: '1000000' },
    plans: { type: 'boolean', default: false },
    organizations: { type: 'string', default: '10' },
  },
})
const [count, minutes, resting] = [Number(values.schedules), Number(values.minutes), Number(values.resting)]
const minuteMs = 60_000

const set = await stage({ env: { TIDEMARK_TEST_HOOKS: '1', INGEST_MESSAGES_PER_MINUTE: '0' } })
const { connections: c, product, end } = await set.product()
product.get(tokens.engine).start()

/** As many as have ended so, each once. */
const completed = (wanted: number) =>
  until(c, wanted, `select count(*) as n from scheduler_event where org_id = $1 and status = 'completed'`, [orgId])

const lateSql = `
  select extract(epoch from a.created_at - e.triggered_at)::double precision as late, a.resource_uid as uid, e.triggered_at as fire
  from action a join scheduler_event e on e.org_id = a.org_id and e.id = a.source ->> 'eventId'
  where a.org_id = $1 and a.action = 'start'`

const restingSql = `
  insert into reminder (kind, org_id, place, key, name, lane, due, subject, data)
  select 'schedule', 'resting', 's-' || n, 's-' || n, 'due', n % $2, now() + interval '300 days' + n * interval '1 second', 'schedule.due', '{}'
  from generate_series(1, $1::int) n`

if (values.plans) await plansInOneMinute(set, { connections: c, product }, Number(values.organizations))
else await schedules()
await end()
await set.close()
process.exit(0)

async function schedules(): Promise<void> {
  say(`${figure(count)} schedules`)
  const began = performance.now()
  await publishResources(c, count)
  await until(c, count, 'select count(*) as n from resource where org_id = $1', [orgId])
  say(`  resources: ${figure((performance.now() - began) / 1000)} s`)
  await inOneMinute()
  if (minutes > 0) await spread()
  if (resting > 0) await rest()
}

async function inOneMinute(): Promise<void> {
  const fire = minuteIn(c, 12 * 60)
  let began = performance.now()
  await publishSchedules(c, count, 0, () => ({ at: fire, action: 'stop' }))
  await until(c, count, `select count(*) as n from reminder where kind = 'schedule'`)
  const seconds = (performance.now() - began) / 1000
  say(`  made: ${figure(seconds)} s, ${figure((seconds / count) * 1e6)} us each`)
  await c.store.pool.query('analyze')
  const limit = await ceiling(c, fire)
  const before = process.cpuUsage()
  began = performance.now()
  await c.clock.set(fire)
  await until(c, count, 'select count(*) as n from power where org_id = $1', [orgId])
  const took = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  await completed(count)
  const all = (performance.now() - began) / 1000
  say(`all in one minute: limit ${figure(limit)} s, ${figure((limit / count) * 1e6)} us a fire`)
  say(
    `  events written and actions begun: ${figure(took)} s, ${figure((took / count) * 1e6)} us a fire (CPU of the process ${figure((user + system) / count)} us)`,
  )
  say(`  all machines stopped, all events completed: ${figure(all)} s`)
  goal('M10', 'all in one minute, of the limit', limit / took, { min: 0.4 })
}

/** Starts again what was stopped. An action stands in its lane behind the commit of its schedule: its time says when that was at the latest. */
async function spread(): Promise<void> {
  const first = minuteIn(c, 30)
  const fireOf = (i: number) => new Date(first.getTime() + (i % minutes) * minuteMs)
  await publishSchedules(c, count, 1, (i) => ({ at: fireOf(i), action: 'start' }))
  await until(c, count, 'select count(*) as n from schedule where org_id = $1 and next_run_at >= $2', [orgId, first])
  await c.clock.set(new Date(first.getTime() - 2000))
  await completed(2 * count)
  const { rows } = await c.store.pool.query<{ late: number; uid: string; fire: Date }>(lateSql, [orgId])
  const fires = new Map(rows.map(({ uid, fire }) => [uid, fire.getTime()]))
  const { calls } = product.get(tokens.clouds).simulated.callsSince()
  const asked = calls
    .filter(({ call }) => call === 'start')
    .map(({ at, resourceUid }) => (at.getTime() - fires.get(resourceUid!)!) / 1000)
  const late = rows.map((row) => row.late)
  say(`spread over ${minutes} minutes, seconds behind the fire (p50, p99, most):`)
  for (const [what, list] of [
    ['the action stands in its lane', late],
    ['the cloud is called', asked],
  ] as const)
    say(`  ${what}: ${[0.5, 0.99, 1].map((share) => figure(quantile(list, share))).join(', ')} (${list.length})`)
  goal('M10', 'late, p99', quantile(late, 0.99), { max: 5 }, ' s')
  goal('M10', 'late, p99 to the call', quantile(asked, 0.99), { max: 15 }, ' s')
}

async function rest(): Promise<void> {
  const look = async () => {
    const took: number[] = []
    for (let i = 0; i < 200; i++) {
      const since = performance.now()
      await c.store.dueReminders(i % c.settings.lanes, c.clock.now(), 5000)
      await c.store.nextReminder(i % c.settings.lanes)
      took.push(performance.now() - since)
    }
    return quantile(took, 0.5)
  }
  const before = await look()
  await c.store.pool.query(restingSql, [resting, c.settings.lanes])
  await c.store.pool.query('analyze reminder')
  const beside = await look()
  say(`looking for what is due: ${figure(before)} ms; beside ${figure(resting)} that rest ${figure(beside)} ms`)
}
