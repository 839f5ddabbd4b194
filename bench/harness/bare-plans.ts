/** What the raise of many plans costs without actors: their due reminders, and the rows that come of them. */
import { uuidOf } from '#engine/value/id.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import type { ReminderRow } from '#engine/actor/ports.ts'
import type { Connections } from '#config/state/connect.ts'
import { committed, copied, copiedFacts, drained } from './bare-reminders.ts'
import { targetsOfPlan } from './planned.ts'
import { quantile } from './stage.ts'

/** One is over in a moment. */
const rounds = 5

const asked = 'jsonb_to_recordset($1::jsonb) as r(org_id text, key text)'
const counts = '{"min":5,"max":22,"desired":9}'

const plansSql = `
  update bench_readiness_plan p set status = 'active', logged = logged + $3, updated_at = $2,
    targets = (select jsonb_agg(one || '{"state":"raised","scaled":${counts}}') from jsonb_array_elements(p.targets) as one)
  from ${asked} where p.org_id = r.org_id and p.id = r.key`

const policiesSql = `
  update bench_autoscaler_policy a set status = 'event_hold', calls = calls + 2, told = told + 1, is_told = true, updated_at = $2,
    current = a.current || '${counts}',
    hold = jsonb_build_object('planId', p.id, 'revision', 1, 'multiplier', 3, 'until', p.event_end, 'state', 'held', 'call', '',
      'originals', a.current, 'scaled', '${counts}'::jsonb, 'tries', 0, 'isOver', false)
  from ${asked}
  join bench_readiness_plan p on p.org_id = r.org_id and p.id = r.key
  cross join jsonb_array_elements(p.targets) as one
  where a.org_id = p.org_id and a.cloud_account_id = one ->> 'cloudAccountId' and a.target_uid = one ->> 'targetUid'`

const remindersSql = `
  delete from bench_reminder m using ${asked}
  where (m.kind, m.org_id, m.place, m.key, m.name) = ('readiness', r.org_id, '-', r.key, 'up')`

/** Lines of the log of a plan: two changes, an order to each target and two answers of each. */
const linesOfPlan = 2 + 3 * targetsOfPlan

/**
 * Of the due reminders of plans: writes the rows as they are once all targets are raised (the plan, its policies, its reminder, its
 * log and what its policies tell), into copies of the tables; no checks, no calls, nothing of what lies between. Seconds.
 */
export async function bareRaise(c: Connections, due: Date): Promise<number> {
  const facts = new ClickHouseFacts(c.clickhouse)
  const seconds: number[] = []
  for (let round = 0; round < rounds; round++) {
    await copied(c, 'readiness_plan', 'true')
    await copied(c, 'autoscaler_policy', 'true')
    await copied(c, 'reminder', `kind = 'readiness'`)
    await copiedFacts(c, 'plan_log')
    await copiedFacts(c, 'policy_event')
    seconds.push(await drained(c, { kind: 'readiness', at: due, write: (rows) => write(c, facts, rows) }))
  }
  return quantile(seconds, 0.5)
}

async function write(c: Connections, facts: ClickHouseFacts, rows: readonly ReminderRow[]): Promise<void> {
  const at = new Date().toISOString()
  const plans = JSON.stringify(rows.map(({ orgId: org_id, key }) => ({ org_id, key })))
  await Promise.all([
    facts.insert('bench_plan_log', numbered(rows, linesOfPlan).map(line(at))),
    facts.insert('bench_policy_event', numbered(rows, targetsOfPlan).map(event(at))),
  ])
  await committed(c, [
    [plansSql, [plans, at, linesOfPlan]],
    [policiesSql, [plans, at]],
    [remindersSql, [plans]],
  ])
}

interface Numbered {
  row: ReminderRow
  n: number
}

const numbered = (rows: readonly ReminderRow[], count: number): Numbered[] =>
  rows.flatMap((row) => Array.from({ length: count }, (_, n) => ({ row, n: n + 1 })))

const line =
  (at: string) =>
  ({ row: { orgId, key }, n }: Numbered) => ({
    org_id: orgId,
    plan_id: key,
    n,
    log_id: uuidOf('bench', orgId, key, String(n)),
    at,
    kind: 'callback',
    from_status: '',
    to_status: '',
    message: 'raised: succeeded',
    actor: 'executor',
    policy_id: key,
    x_Version: 1n,
  })

const event =
  (at: string) =>
  ({ row: { orgId, key }, n }: Numbered) => ({
    org_id: orgId,
    policy_id: `${key}-${n}`,
    n,
    event_id: uuidOf('bench-event', orgId, key, String(n)),
    at,
    kind: 'event_hold',
    from_min: 2,
    from_max: 10,
    to_min: 5,
    to_max: 22,
    from_desired: 4,
    to_desired: 9,
    reason: 'A readiness plan is using the target.',
    applied_by: '',
    mode: 'monitor',
    cloud_account_id: orgId,
    target_uid: key,
    target_type: 'aws-asg',
    provider: 'aws',
    x_Version: 1n,
  })
