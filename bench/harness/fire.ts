/** Schedules of one organization whose times lie where the benchmark wants them, and what their fires cost without actors. */
import { Publisher } from '#engine/run/publisher.ts'
import { uuidOf } from '#engine/value/id.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import type { ReminderRow } from '#engine/actor/ports.ts'
import type { Connections } from '#config/state/connect.ts'
import type { PowerAction } from '#streams/action/messages.ts'
import { scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'
import { committed, copied, copiedFacts, drained } from './bare-reminders.ts'
import { each, publishFound } from './published.ts'

export const orgId = 'bench-schedules'
const accounts = 20

export interface Wanted {
  at: Date
  action: PowerAction
}
const zones = Intl.supportedValuesOf('timeZone').slice(0, 200)

const uidOf = (i: number): string => `i-${i}`
const accountOf = (i: number): string => `acct-${i % accounts}`
export const scheduleIdOf = (i: number): string => `s-${i}`

const fields = new Map<string, Intl.DateTimeFormat>()

/** Five fields that agree with the instant on the wall clock of the zone, every day. */
function cronAt(at: Date, zone: string): string {
  const known = fields.get(zone)
  const format = known ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
  fields.set(zone, format)
  const [hour, minute] = format.format(at).split(':').map(Number)
  return `${minute} ${hour} * * *`
}

const termsOf = (i: number, { at, action }: Wanted): ScheduleTerms => ({
  name: `Night ${i}`,
  description: null,
  timezone: zones[i % zones.length]!,
  rules: [{ action, cron: cronAt(at, zones[i % zones.length]!) }],
  resourceUids: [uidOf(i)],
  resourceGroupIds: [],
  skipDates: [],
  enabled: true,
})

/** One running resource a schedule. */
export const publishResources = (c: Connections, count: number): Promise<void> =>
  publishFound(
    c,
    Array.from({ length: count }, (_, i) => ({
      orgId,
      data: {
        resourceUid: uidOf(i),
        name: uidOf(i),
        type: 'aws-ec2',
        provider: 'aws',
        region: 'us-east-1',
        cloudAccountId: accountOf(i),
        status: 'running',
        hourlyRateUSD: 0.1,
      },
    })),
  )

/** Makes the schedules in round 0, and moves them in later ones: each fires then, and every day after. */
export async function publishSchedules(
  c: Connections,
  count: number,
  round: number,
  wanted: (i: number) => Wanted,
): Promise<void> {
  const publisher = new Publisher(c.log, c.clock, 'bench')
  await each(count, (i) => {
    const terms = termsOf(i, wanted(i))
    const scheduleId = scheduleIdOf(i)
    const data =
      round === 0
        ? { scheduleId, isNew: true as const, terms }
        : { scheduleId, isNew: false as const, terms: { rules: terms.rules } }
    return publisher.publish({ subject: scheduleSaved, orgId, data, id: `saved-${round}-${i}` })
  })
}

/**
 * Of the due reminders of schedules: writes the rows that a fire changes (the schedule, its next reminder, its event, its
 * action), 5,000 fires a transaction, into copies of the tables; no checks. Seconds.
 */
export async function ceiling(c: Connections, due: Date): Promise<number> {
  await copied(c, 'schedule', 'true')
  await copied(c, 'reminder', `kind = 'schedule'`)
  await copied(c, 'scheduler_event')
  await copied(c, 'action')
  await copiedFacts(c, 'scheduler_event')
  const facts = new ClickHouseFacts(c.clickhouse)
  return drained(c, { kind: 'schedule', at: due, write: (rows) => write(c, facts, rows) })
}

async function write(c: Connections, facts: ClickHouseFacts, rows: readonly ReminderRow[]): Promise<void> {
  const at = new Date().toISOString()
  const events = rows.map(({ orgId: org_id, key, due }) => ({
    org_id,
    key,
    id: uuidOf('bench', key, String(due)),
    due,
  }))
  await facts.insert(
    'bench_scheduler_event',
    events.map(({ org_id, key, id, due }) => ({
      org_id,
      resource_uid: key,
      triggered_at: new Date(due).toISOString(),
      schedule_id: key,
      action: 'stop',
      status: 'triggered',
      event_id: id,
      x_Version: 1n,
    })),
  )
  await committed(c, [
    [
      `update bench_schedule s set through = r.at, last_run_at = r.at, next_run_at = r.at + interval '1 day'
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text, at timestamptz) where s.org_id = r.org_id and s.id = r.key`,
      [JSON.stringify(events.map(({ org_id, key }) => ({ org_id, key, at })))],
    ],
    [
      `update bench_reminder m set due = m.due + interval '1 day'
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text)
       where (m.kind, m.org_id, m.place, m.key, m.name) = ('schedule', r.org_id, r.key, r.key, 'due')`,
      [JSON.stringify(events.map(({ org_id, key }) => ({ org_id, key })))],
    ],
    [
      `insert into bench_scheduler_event (org_id, id, schedule_id, action, triggered_at, resources, status, updated_at)
       select org_id, id, key, 'stop', $2, jsonb_build_array(key), 'triggered', $2
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text, id text)`,
      [JSON.stringify(events), at],
    ],
    [
      `insert into bench_action (org_id, cloud_account_id, id, resource_uid, provider, resource_type, region, action, status, source, attempt, created_at, revision)
       select org_id, 'acct', id, key, 'aws', 'aws-ec2', 'us-east-1', 'stop', 'pending', jsonb_build_object('id', key), 0, $2, 1
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text, id text)`,
      [JSON.stringify(events), at],
    ],
  ])
}
