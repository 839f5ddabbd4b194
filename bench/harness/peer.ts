/** What the engine is held against: a limit no engine can beat on this machine, and the consumer a user would write. */
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, type Consumer, type JsMsg } from '@nats-io/jetstream'
import type { PoolClient } from 'pg'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import type { FactRow } from '#engine/actor/ports.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { focusColumns } from '#streams/focus-columns.ts'
import type { Connections } from '#config/state/connect.ts'
import { account, type Backlog } from './workload.ts'

interface Envelope {
  type: string
  data: Record<string, unknown>
}

async function consumer(c: Connections, { lane, from }: Backlog, ack: AckPolicy): Promise<Consumer> {
  const stream = `LANE-${lane}`
  const manager = await jetstreamManager(c.nats)
  const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from, mem_storage: true }
  const info = await manager.consumers.add(stream, { ack_policy: ack, max_ack_pending: 10_000, ...start })
  return jetstream(c.nats).consumers.get(stream, info.name)
}

/** Fetch, JSON.parse and binary insert into tables like the facts, 5,000 rows at a time; no checks, no actors, no commit. Seconds. */
export async function ceiling(c: Connections, backlog: Backlog): Promise<number> {
  for (const table of ['cost_fact', 'metric_sample', 'resource_state'])
    await c.clickhouse.command({ query: `CREATE OR REPLACE TABLE bench_${table} AS ${table}` })
  const facts = new ClickHouseFacts(c.clickhouse)
  const messages = await (await consumer(c, backlog, AckPolicy.None)).consume({ max_bytes: 16 * 1024 * 1024 })
  const began = performance.now()
  let rows: FactRow[] = []
  let table = ''
  for await (const message of messages) {
    const parsed = message.json<Envelope | Envelope[]>()
    for (const { type, data } of Array.isArray(parsed) ? parsed : [parsed]) table = bare(rows, type, data)
    const isLast = message.info.streamSequence >= backlog.to
    if (rows.length >= 5000 || isLast) {
      await facts.insert(`bench_${table}`, rows)
      rows = []
    }
    if (isLast) break
  }
  return (performance.now() - began) / 1000
}

/** The columns as they came; the name of their table. */
function bare(rows: FactRow[], type: string, data: Record<string, unknown>): string {
  if (type === 'billing.line') {
    rows.push(bareLine(data as BillingLine))
    return 'cost_fact'
  }
  if (type === 'metric.sample') {
    for (const { metric, value, ts } of data['samples'] as FactRow[])
      rows.push({ ...ids(), resource_uid: data['resourceUid'], metric, value, ts })
    return 'metric_sample'
  }
  const { resourceUid, name, type: kind, provider, region, status, instanceType, tags, hourlyRateUSD } = data
  rows.push({
    ...ids(),
    resource_uid: resourceUid,
    name,
    type: kind,
    provider,
    region,
    status,
    instance_type: instanceType,
    tags,
    hourly_rate_usd: hourlyRateUSD,
  })
  return 'resource_state'
}

const ids = () => ({ org_id: 'o', cloud_account_id: account, x_Version: 1n })

function bareLine(line: BillingLine): FactRow {
  const row: Record<string, unknown> = {
    x_OrgId: 'o',
    x_CloudAccountId: account,
    x_LineId: line.lineId,
    x_Day: line.ChargePeriodStart,
    x_Version: 1n,
  }
  for (const column of focusColumns) if (line[column] !== undefined) row[column] = line[column]
  return row
}

const table = `create table if not exists naive_line (
  org text, account text, line text, day date, service text, resource text, region text, cost numeric, body jsonb)`
const indexes = [
  'create index if not exists naive_line_day on naive_line (org, day)',
  'create index if not exists naive_line_resource on naive_line (org, resource)',
]
const columns = 9
const inbox = 'create table if not exists naive_inbox (id text primary key)'

export interface Naive {
  /** Messages of one INSERT. */
  batch: number
  /** The first so many. */
  count: number
  /** Ids of messages are written in the transaction of their rows, so that a repeat of one has no effect. */
  isOnce?: boolean
}

/**
 * The consumer one writes first: parse, INSERT into PostgreSQL, acknowledge; each message by itself or `batch` at a time
 * in one multi-row INSERT. At least once, unless it keeps an inbox: a crash between the two doubles rows. Seconds.
 */
export async function naive(
  c: Connections,
  backlog: Backlog,
  { batch, count, isOnce = false }: Naive,
): Promise<number> {
  const { pool } = c.store
  for (const sql of [table, 'truncate naive_line', ...indexes, inbox, 'truncate naive_inbox']) await pool.query(sql)
  const client = await pool.connect()
  try {
    const write = (held: readonly JsMsg[]) => (isOnce ? insertedOnce(client, held) : inserted(client, held))
    return await consumed(c, backlog, { batch, count }, write)
  } finally {
    client.release()
  }
}

async function consumed(
  c: Connections,
  backlog: Backlog,
  { batch, count }: Naive,
  write: (held: readonly JsMsg[]) => Promise<void>,
): Promise<number> {
  const messages = await (await consumer(c, backlog, AckPolicy.Explicit)).consume({ max_messages: 2000 })
  const began = performance.now()
  let held: JsMsg[] = []
  let done = 0
  for await (const message of messages) {
    held.push(message)
    if (held.length < Math.min(batch, count - done)) continue
    await write(held)
    for (const m of held) m.ack()
    done += held.length
    held = []
    if (done >= count) break
  }
  return (performance.now() - began) / 1000
}

async function inserted(client: PoolClient, held: readonly JsMsg[]): Promise<void> {
  const values = held.flatMap((m) => naiveRow(m.json<Envelope>().data as BillingLine))
  const rows = held.map((_, i) => `(${Array.from({ length: columns }, (_v, k) => `$${i * columns + k + 1}`).join()})`)
  if (rows.length > 0) await client.query(`insert into naive_line values ${rows.join()}`, values)
}

async function insertedOnce(client: PoolClient, held: readonly JsMsg[]): Promise<void> {
  const ids = held.map((m) => m.headers?.get('Nats-Msg-Id') ?? String(m.seq))
  await client.query('begin')
  const { rows } = await client.query<{ id: string }>(
    'insert into naive_inbox select unnest($1::text[]) on conflict do nothing returning id',
    [ids],
  )
  const fresh = new Set(rows.map(({ id }) => id))
  await inserted(
    client,
    held.filter((_, at) => fresh.has(ids[at]!)),
  )
  await client.query('commit')
}

const naiveRow = (line: BillingLine): unknown[] => [
  'o',
  line.cloudAccountId,
  line.lineId,
  (line.ChargePeriodStart ?? line.usageDate ?? '').slice(0, 10),
  line.ServiceName ?? line.serviceName,
  line.ResourceId ?? line.resourceUid,
  line.RegionId ?? line.region,
  line.EffectiveCost ?? line.costUSD,
  JSON.stringify(line),
]
