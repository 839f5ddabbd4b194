/** The state store on PostgreSQL. For the ownership of lanes, see `lease.ts`. */
import pg from 'pg'
import { commitPlan } from './commit.ts'
import { claimEffects, effectLag, waitingEffects } from './effect.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { connectionOptions } from './primary.ts'
import { PostgresLeases, sessionOptions, type LeaseOptions } from './lease.ts'
import { dueReminders, nextReminder } from './reminder.ts'
import { beginMarks, countWritten, editionsOf, isMarked, markAnew, marksOf, rowsOf, turnOver, unmark } from './mark.ts'
import type { Address } from '#engine/actor/address.ts'
import {
  DataRefused,
  type Beside,
  type ClosedOrganization,
  type Commit,
  type ClaimedEffect,
  type Editions,
  type EffectClaim,
  type Lease,
  type LogMessage,
  type MarkRow,
  type OutboxRow,
  type ParkedStore,
  type ReminderKey,
  type ReminderRow,
  type StateStore,
} from '#engine/actor/ports.ts'
import type { RowShape } from '#engine/actor/row.ts'

export interface PostgresOptions extends LeaseOptions {
  /** Connections for loads and commits. */
  connections: number
}

type ParkedRow = Omit<LogMessage, 'isParked' | 'shift'>

export class PostgresStore implements StateStore, ParkedStore {
  readonly pool: pg.Pool
  readonly url: string
  private readonly options: PostgresOptions
  private readonly leases: PostgresLeases
  private readonly prepared = new PreparedStatements()

  constructor(options: PostgresOptions) {
    this.options = options
    this.url = options.url
    this.leases = new PostgresLeases(options)
    this.pool = new pg.Pool({
      ...connectionOptions(options.url),
      max: options.connections,
      application_name: 'tidemark-engine',
      options: sessionOptions,
      connectionTimeoutMillis: 10_000,
    })
    // A connection may be lost at any moment, also between two statements of a commit: its user gets the error then.
    this.pool.on('connect', (client) => client.on('error', () => {}))
    this.pool.on('error', () => {})
  }

  async close(): Promise<void> {
    await this.leases.close()
    await this.pool.end()
  }

  /**
   * Creates a row for each lane, and returns what each has committed. A lane added later starts after all others,
   * because ids derived from sequences must not repeat.
   */
  async createLanes(count: number): Promise<Map<number, number>> {
    await this.pool.query(
      `insert into lane (lane, cursor) select n, (select coalesce(max(cursor), 0) from lane) from generate_series(0, $1 - 1) n
       on conflict do nothing`,
      [count],
    )
    return this.cursors()
  }

  /** What each lane has committed. */
  async cursors(): Promise<Map<number, number>> {
    const { rows } = await this.pool.query('select lane, cursor from lane')
    return new Map(rows.map((row) => [row.lane as number, Number(row.cursor)]))
  }

  free(): Promise<number[]> {
    return this.leases.free()
  }

  acquire(lane: number): Promise<Lease | undefined> {
    return this.leases.acquire(lane)
  }

  release(lease: Lease): Promise<void> {
    return this.leases.release(lease)
  }

  renew(leases: readonly Lease[]): Promise<Set<number>> {
    return this.leases.renew(leases)
  }

  beat(): Promise<void> {
    return this.leases.beat()
  }

  /** A number that no other live or recently ended process has; 1 to 63, 0 before the first beat. */
  get track(): number {
    return this.leases.track
  }

  live(): Promise<number> {
    return this.leases.live()
  }

  leave(): Promise<void> {
    return this.leases.leave()
  }

  /** For statements of every batch: always the same few texts. */
  private named(text: string, values: unknown[]): pg.QueryConfig {
    const statement = this.prepared.nameOf(text)
    return { text, values, ...(statement !== undefined && { name: statement }) }
  }

  private ask(text: string, values: unknown[]): Promise<pg.QueryResult> {
    return this.pool.query(this.named(text, values))
  }

  async load(shape: RowShape, keys: readonly Address[]): Promise<object[]> {
    const { orgId, place, key } = shape.address
    const columns = place === undefined ? [orgId, key] : [orgId, place, key]
    const values = [
      keys.map((k) => k.orgId),
      ...(place === undefined ? [] : [keys.map((k) => k.place)]),
      keys.map((k) => k.key),
    ]
    const found = await this.ask(
      `select to_jsonb(t.r) as row
       from unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')}) as k(${columns.map((_, i) => `k${i}`).join(', ')})
       cross join lateral (select r from ${name(shape.table)} r
         where ${columns.map((c, i) => `r.${name(c)} = k.k${i}`).join(' and ')} limit 1) t`,
      values,
    )
    return found.rows.map((r) => r.row as object)
  }

  async seen(lane: number, ids: readonly string[]): Promise<Map<string, unknown>> {
    const found = await this.pool.query('select id, reply from inbox where lane = $1 and id = any($2)', [lane, ids])
    return new Map(found.rows.map((row) => [row.id as string, row.reply]))
  }

  async standing(keys: readonly ReminderKey[]): Promise<(number | undefined)[]> {
    const found = await this.pool.query(
      `select k.i, round(extract(epoch from r.due) * 1000)::bigint as due
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) with ordinality as k(kind, org, place, key, name, i)
       join reminder r on (r.kind, r.org_id, r.place, r.key, r.name) = (k.kind, k.org, k.place, k.key, k.name)`,
      (['kind', 'orgId', 'place', 'key', 'name'] as const).map((field) => keys.map((k) => k[field])),
    )
    const due = new Map(found.rows.map((row) => [Number(row.i) - 1, Number(row.due)]))
    return keys.map((_, i) => due.get(i))
  }

  dueReminders(lane: number, now: number, max: number, after?: ReminderRow): Promise<ReminderRow[]> {
    return dueReminders(this.pool, { lane, now, max }, after)
  }

  nextReminder(lane: number, after?: ReminderRow): Promise<number | undefined> {
    return nextReminder(this.pool, lane, after)
  }

  async commit(commit: Commit): Promise<boolean> {
    const client = await this.pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      for (const { text, values, fence, isJoin } of commitPlan(commit)) {
        const done = await client.query(isJoin ? { text, values } : this.named(text, values))
        if (fence !== undefined && done.rowCount !== fence) {
          await client.query('rollback')
          return false
        }
      }
      await client.query('commit')
      return true
    } catch (error) {
      broken = error as Error
      const undone = await client.query('rollback').then(
        () => true,
        () => false,
      )
      if (undone && isDataError(error)) {
        broken = undefined
        throw new DataRefused((error as Error).message, { cause: error })
      }
      throw error
    } finally {
      client.release(broken)
    }
  }

  async suspect(lease: Lease, seq: number): Promise<void> {
    await this.pool.query('update lane set suspect_until = $3 where lane = $1 and epoch = $2', [
      lease.lane,
      lease.epoch,
      seq,
    ])
  }

  async markTurn(lease: Lease, seq: number, nth = 0): Promise<number | undefined> {
    const marked = await this.pool.query(
      `update lane set marked_seq = $3, marked_nth = $4,
         marked_deaths = case when marked_seq = $3 and marked_nth = $4 then marked_deaths + 1 else 0 end
       where lane = $1 and epoch = $2 returning marked_deaths`,
      [lease.lane, lease.epoch, seq, nth],
    )
    return marked.rows[0]?.marked_deaths
  }

  async takeApart(lease: Lease, seq: number): Promise<void> {
    await this.pool.query(
      `update lane set apart_seq = $3, apart_done = case when apart_seq = $3 then apart_done else 0 end
       where lane = $1 and epoch = $2`,
      [lease.lane, lease.epoch, seq],
    )
  }

  async clearTurn(lease: Lease): Promise<void> {
    await this.pool.query('update lane set marked_seq = null, marked_deaths = 0 where lane = $1 and epoch = $2', [
      lease.lane,
      lease.epoch,
    ])
  }

  async outbox(lane: number, max: number): Promise<OutboxRow[]> {
    const found = await this.pool.query(
      'select id, subject, headers, body from outbox where lane = $1 order by n limit $2',
      [lane, max],
    )
    return found.rows
  }

  async sent(ids: readonly string[]): Promise<void> {
    await this.pool.query('delete from outbox where id = any($1)', [ids])
  }

  marks(
    lanes: readonly number[],
    max: number,
    beside?: Beside,
    projections: readonly string[] | null = null,
    awayShards: readonly string[] = [],
  ): Promise<MarkRow[]> {
    return marksOf(this.pool, { lanes, max, projections, awayShards }, beside)
  }

  markAnew(marks: readonly MarkRow[]): Promise<void> {
    return markAnew(this.pool, marks)
  }

  isMarked(marks: readonly MarkRow[]): Promise<boolean> {
    return isMarked(this.pool, marks)
  }

  begin(marks: readonly MarkRow[]): Promise<string> {
    return beginMarks(this.pool, marks)
  }

  readonly rows: StateStore['rows'] = (sql, params) => rowsOf(this.pool)(sql, params)

  /** Records that rows of a fact table were changed or deleted for these organizations outside of a commit. */
  countWritten(orgIds: readonly string[], table: string): Promise<void> {
    return countWritten(this.pool, orgIds, table)
  }

  editions(orgId: string, projections: readonly string[]): Promise<Editions> {
    return editionsOf(this.pool, orgId, projections)
  }

  turnOver(marks: readonly MarkRow[], generation: string): Promise<void> {
    return turnOver(this.pool, marks, generation)
  }

  unmark(marks: readonly MarkRow[], generation: string): Promise<void> {
    return unmark(this.pool, marks, generation)
  }

  waitingEffects(names: readonly string[]): Promise<string[]> {
    return waitingEffects(this.pool, names)
  }

  claimEffects(claim: EffectClaim): Promise<ClaimedEffect[]> {
    return claimEffects(this.pool, this.options.owner, claim)
  }

  async holdEffects(keys: readonly string[], claimMs: number): Promise<void> {
    await this.pool.query(
      `update effect set claimed_until = clock_timestamp() + $3 * interval '1 ms' where key = any($1) and claimed_by = $2`,
      [keys, this.options.owner, claimMs],
    )
  }

  async doneEffects(keys: readonly string[]): Promise<void> {
    await this.pool.query('delete from effect where key = any($1) and claimed_by = $2', [keys, this.options.owner])
  }

  effectLag(names: readonly string[]): Promise<number> {
    return effectLag(this.pool, names)
  }

  async retryEffect(key: string, afterMs: number, failure: string): Promise<void> {
    await this.pool.query(
      `update effect set claimed_until = '-infinity', due = clock_timestamp() + $3 * interval '1 ms', failure = $4
       where key = $1 and claimed_by = $2`,
      [key, this.options.owner, afterMs, failure],
    )
  }

  async closedOrganizations(): Promise<ClosedOrganization[]> {
    const found = await this.pool.query(
      'select org_id as "orgId", deleting_at is not null as "isDeleted" from closed_organization',
    )
    return found.rows
  }

  async parkedBytes(lane: number): Promise<Map<string, number>> {
    const rows = await this.rows<{ orgId: string; bytes: number }>(
      'select org_id as "orgId", sum(length(body))::float8 as bytes from parked where lane = $1 group by 1',
      [lane],
    )
    return new Map(rows.map(({ orgId, bytes }) => [orgId, bytes]))
  }

  async parked(
    lane: number,
    of: { orgIds: readonly string[] } | { seq: number },
    countMax: number,
  ): Promise<LogMessage[]> {
    const [which, value] = 'seq' in of ? ['seq = $2', of.seq] : ['org_id = any($2)', of.orgIds]
    const rows = await this.rows<ParkedRow>(
      `select seq::float8, subject, headers, body, at::float8 from parked where lane = $1 and ${which} order by seq limit $3`,
      [lane, value, countMax],
    )
    return rows.map((row) => ({ ...row, isParked: true }))
  }

  async prune(ageMs: number): Promise<void> {
    await this.pool.query(`delete from inbox where at < clock_timestamp() - $1 * interval '1 ms'`, [ageMs])
  }
}

/** Class 22 (values no column accepts), 23 (constraints) and too deep nesting: no retry helps. */
const isDataError = (error: unknown): boolean => /^(22|23|54)/.test((error as { code?: string }).code ?? '')

const name = (identifier: string): string => pg.escapeIdentifier(identifier)
