/** Schedules of one organization whose times lie where the benchmark wants them, and what their fires cost without actors. */
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import { Pack } from '#engine/pack.ts'
import { Publisher, type Event } from '#engine/publisher.ts'
import { uuidOf } from '#engine/id.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse.ts'
import type { ReminderRow } from '#engine/ports.ts'
import type { Connections } from '#config/connect.ts'
import type { PowerAction } from '#streams/action.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { scheduleSaved, type ScheduleTerms } from '#streams/schedule.ts'

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

/** Keeps a bounded number of publishes in flight. */
async function each(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: 256 }, worker))
}

/** One running resource a schedule, 200 a message. */
export async function publishResources(c: Connections, count: number): Promise<void> {
  const publisher = new Publisher(c.log, c.clock, 'bench')
  const chunks = Math.ceil(count / accounts / 200)
  await each(accounts * chunks, async (n) => {
    const [account, chunk] = [n % accounts, Math.floor(n / accounts)]
    const numbers = Array.from({ length: 200 }, (_, k) => account + accounts * (chunk * 200 + k)).filter(
      (i) => i < count,
    )
    const events = numbers.map((i) => ({
      subject: resourceDiscovered,
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
    })) as unknown as Event[]
    if (events.length > 0) await publisher.publishTogether(`resources-${n}`, events as [Event, ...Event[]])
  })
}

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

const copies = ['schedule', 'reminder', 'scheduler_event', 'action']

/**
 * What no engine can beat: reads the due reminders page by page, publishes them packed, fetches them and writes the rows that
 * a fire changes (the schedule, its next reminder, its event, its action), 5,000 fires a transaction; no checks, no actors, no
 * messages between them, no calls. Into copies of the tables. Seconds.
 */
export async function ceiling(c: Connections, due: Date): Promise<number> {
  for (const table of copies) {
    await c.store.pool.query(`drop table if exists bench_${table}`)
    await c.store.pool.query(`create table bench_${table} (like ${table} including all)`)
  }
  await c.store.pool.query('insert into bench_schedule select * from schedule')
  await c.store.pool.query(`insert into bench_reminder select * from reminder where kind = 'schedule'`)
  await c.clickhouse.command({ query: 'CREATE OR REPLACE TABLE bench_scheduler_event AS scheduler_event' })
  const manager = await jetstreamManager(c.nats)
  await manager.streams.delete('BENCH').catch(() => false)
  await manager.streams.add({ name: 'BENCH', subjects: ['bench.>'], storage: StorageType.File })
  const start = { ack_policy: AckPolicy.None, deliver_policy: DeliverPolicy.All, mem_storage: true }
  const info = await manager.consumers.add('BENCH', start)
  const consumer = await jetstream(c.nats).consumers.get('BENCH', info.name)
  const found = await c.store.pool.query(`select count(*)::int as n from bench_reminder where due <= $1`, [due])
  const all = found.rows[0].n as number
  const facts = new ClickHouseFacts(c.clickhouse)
  const began = performance.now()
  const published = publishDue(c, due)
  let rows: ReminderRow[] = []
  let done = 0
  for await (const message of await consumer.consume({ max_bytes: 16 * 1024 * 1024 })) {
    rows.push(...message.json<ReminderRow[]>())
    if (rows.length < 5000 && done + rows.length < all) continue
    await write(c, facts, rows)
    done += rows.length
    rows = []
    if (done >= all) break
  }
  await published
  return (performance.now() - began) / 1000
}

async function publishDue(c: Connections, due: Date): Promise<void> {
  const js = jetstream(c.nats)
  for (let lane = 0; lane < c.settings.lanes; lane++) {
    let last: ReminderRow | undefined
    for (;;) {
      const page: ReminderRow[] = await c.store.dueReminders(lane, due.getTime(), 5000, last)
      if (page.length === 0) break
      last = page.at(-1)
      const ours = page.filter(({ kind }) => kind === 'schedule')
      const packs: Pack<string>[] = [new Pack()]
      for (const row of ours) {
        const body = JSON.stringify(row)
        if (!packs.at(-1)!.hasRoom(body)) packs.push(new Pack())
        packs.at(-1)!.add(row.key, body)
      }
      const full = packs.filter(({ items }) => items.length > 0)
      await Promise.all(
        full.map((pack) => js.publish('bench.due', pack.items.length === 1 ? `[${pack.body}]` : pack.body)),
      )
    }
  }
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
  const client = await c.store.pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `update bench_schedule s set through = r.at, last_run_at = r.at, next_run_at = r.at + interval '1 day'
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text, at timestamptz) where s.org_id = r.org_id and s.id = r.key`,
      [JSON.stringify(events.map(({ org_id, key }) => ({ org_id, key, at })))],
    )
    await client.query(
      `update bench_reminder m set due = m.due + interval '1 day'
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text)
       where (m.kind, m.org_id, m.place, m.key, m.name) = ('schedule', r.org_id, r.key, r.key, 'due')`,
      [JSON.stringify(events.map(({ org_id, key }) => ({ org_id, key })))],
    )
    await client.query(
      `insert into bench_scheduler_event (org_id, id, schedule_id, action, triggered_at, resources, status, updated_at)
       select org_id, id, key, 'stop', $2, jsonb_build_array(key), 'triggered', $2
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text, id text)`,
      [JSON.stringify(events), at],
    )
    await client.query(
      `insert into bench_action (org_id, cloud_account_id, id, resource_uid, provider, resource_type, region, action, status, source, attempt, created_at, revision)
       select org_id, 'acct', id, key, 'aws', 'aws-ec2', 'us-east-1', 'stop', 'pending', jsonb_build_object('id', key), 0, $2, 1
       from jsonb_to_recordset($1::jsonb) as r(org_id text, key text, id text)`,
      [JSON.stringify(events), at],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
}
