/** Putting a load on the stream, waiting until it has been worked off, seeing that it is exactly there, and doing it all again. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Publisher } from '#engine/run/publisher.ts'
import type { Connections } from '#config/state/connect.ts'
import type { Events, Load, Place } from './load.ts'

/** How far each lane is: the first sequence of the backlog and the last, by lane. */
export interface Backlog {
  from: number[]
  to: number[]
}

/** Keeps a bounded number of messages in flight. The first failure is thrown by whatever is called next. */
export class Sender {
  private readonly publisher: Publisher
  private readonly flight = new Set<Promise<void>>()
  private readonly flightMax: number
  private failure: unknown

  constructor(c: Connections, flightMax: number) {
    this.publisher = new Publisher(c.log, c.clock, 'bench')
    this.flightMax = flightMax
  }

  /** Resolves at once while there is room. */
  async send(place: Place, events: Events): Promise<void> {
    const sent = this.publish(place, events)
      .catch((error: unknown) => void (this.failure ??= error))
      .finally(() => this.flight.delete(sent))
    this.flight.add(sent)
    if (this.flight.size >= this.flightMax) await Promise.race(this.flight)
    if (this.failure) throw this.failure
  }

  /** Resolves once everything sent is durable. */
  async end(): Promise<void> {
    await Promise.all(this.flight)
    if (this.failure) throw this.failure
  }

  private async publish(place: Place, events: Events): Promise<void> {
    const [only, ...rest] = events
    const sent = rest.length === 0 ? this.publisher.publish(only) : this.publisher.publishTogether(randomUUID(), events)
    const { lane } = await sent
    if (lane !== place.lane) throw new Error(`${place.account} went to lane ${lane}, not ${place.lane}`)
  }
}

/** Puts `messages` on the stream while no engine runs, one account after the other. */
export async function publish(
  c: Connections,
  load: Load,
  messages: number,
  next: (place: Place, i: number) => Events,
): Promise<Backlog> {
  const { rows } = await c.store.pool.query('select cursor from lane order by lane')
  const backlog: Backlog = { from: rows.map(({ cursor }) => Number(cursor) + 1), to: [] }
  const sender = new Sender(c, 256)
  for (let i = 0; i < messages; i++) {
    const place = load.places[i % load.places.length]!
    await sender.send(place, next(place, i))
  }
  await sender.end()
  for (let lane = 0; lane < c.settings.lanes; lane++) backlog.to.push(await c.log.last(lane))
  return backlog
}

/** Messages of the backlog that each lane has committed. */
export async function done(c: Connections, { from, to }: Backlog): Promise<number[]> {
  const { rows } = await c.store.pool.query('select lane, cursor from lane order by lane')
  return rows.map(({ lane, cursor }) => Math.max(0, Math.min(Number(cursor), to[lane]!) - from[lane]! + 1))
}

export const total = (list: readonly number[]): number => list.reduce((sum, n) => sum + n, 0)

/** Polls until `share` of the backlog is committed; by `performance.now()`. */
export async function reached(c: Connections, backlog: Backlog, share: number): Promise<number> {
  const wanted = Math.ceil(total(backlog.to.map((last, lane) => last - backlog.from[lane]! + 1)) * share)
  while (total(await done(c, backlog)) < wanted) await c.clock.sleep(20)
  return performance.now()
}

/** Waits until every marked day has been added up. */
export async function addedUp(c: Connections): Promise<void> {
  for (;;) {
    const { rows } = await c.store.pool.query('select count(*)::int as n from mark')
    if (rows[0].n === 0) return
    await c.clock.sleep(50)
  }
}

const factTables = [
  'cost_fact',
  'cost_line_day',
  'metric_sample',
  'resource_state',
  'cost_daily_slot',
  'cost_service_daily_slot',
  'usage_daily_slot',
  'cost_day',
]

/** Undoes all that was done with the backlog, so that the same messages can be worked off again. No engine may run. */
export async function rewind(c: Connections, { from }: Backlog): Promise<void> {
  for (const name of factTables)
    await c.clickhouse.command({ query: 'TRUNCATE TABLE {name:Identifier}', query_params: { name } })
  await c.store.pool.query('truncate mark, outbox, inbox, reminder, effect, dead_letter, resource, cloud_account')
  await c.store.pool.query(
    'update lane l set cursor = b.first - 1, ends = 0, suspect_until = 0 from unnest($1::bigint[]) with ordinality as b(first, n) where l.lane = b.n - 1',
    [from],
  )
}

/** @throws Error when the stores hold anything: `rewind` would empty what is not ours. */
export async function mustBeEmpty(c: Connections): Promise<void> {
  const { rows } = await c.store.pool.query(
    'select (select count(*) from lane where cursor > 0) + (select count(*) from resource) + (select count(*) from organization) as n',
  )
  const facts = await c.clickhouse.query({ query: 'SELECT count() AS n FROM cost_fact', format: 'JSONEachRow' })
  const [first] = await facts.json<{ n: string }>()
  if (Number(rows[0].n) + Number(first!.n) > 0)
    throw new Error('The given stores are in use: a benchmark empties its stores, give it some of their own.')
}

/** What differs between what stands in the stores and what must; empty when nothing was lost or doubled. */
export async function differences(c: Connections, load: Load): Promise<string[]> {
  const [found, wanted] = [await standing(c, load), load.expected()]
  return Object.entries(wanted)
    .filter(([name, value]) => !isDeepStrictEqual(found[name as keyof typeof found], value))
    .map(([name, value]) => `${name}: found ${String(found[name as keyof typeof found])}, expected ${String(value)}`)
}

const factsSql = `SELECT
  (SELECT count() FROM cost_fact FINAL WHERE x_OrgId LIKE {like:String}) AS lines,
  (SELECT toString(sum(BilledCost)) FROM cost_fact FINAL WHERE x_OrgId LIKE {like:String}) AS cost,
  (SELECT toString(sum(billed_cost)) FROM cost_daily WHERE org_id LIKE {like:String}) AS rollup,
  (SELECT count() FROM metric_sample FINAL WHERE org_id LIKE {like:String}) AS samples`

const stateSql = `select
  (select count(*) from resource where org_id like $1 and deleted_at is null and name <> '')::int as resources,
  (select count(*) from dead_letter where org_id like $1)::int as "deadLetters",
  (select count(*) from resource r join unnest($2::text[], $3::text[], $4::text[], $5::text[]) as n(org, account, uid, name)
     on (r.org_id, r.cloud_account_id, r.uid, r.name) = (n.org, n.account, n.uid, n.name))::int as newest`

async function standing(c: Connections, load: Load) {
  const settings = { output_format_json_quote_decimals: 1 } as const
  const query_params = { like: load.like }
  const result = await c.clickhouse.query({
    query: factsSql,
    query_params,
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  })
  const [facts] = await result.json<{ lines: string; cost: string; rollup: string; samples: string }>()
  const newest = load.newest()
  const columns = (['orgId', 'account', 'uid', 'name'] as const).map((name) => newest.map((one) => one[name]))
  const { rows } = await c.store.pool.query(stateSql, [load.like, ...columns])
  const state = rows[0] as { resources: number; deadLetters: number; newest: number }
  const { lines, cost, rollup, samples } = facts!
  return { lines: Number(lines), cost: bare(cost), rollup: bare(rollup), samples: Number(samples), ...state }
}

/** A decimal without the zeros at its end. */
const bare = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
