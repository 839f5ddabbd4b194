/**
 * The state store on PostgreSQL. Ownership stands on three legs: a lease row with an end by PostgreSQL's own clock, an
 * advisory lock of a session that the server frees the instant the process dies, and the epoch every commit must match.
 */
import pg from 'pg'
import { commitPlan } from '#engine/postgres-commit.ts'
import { begin, marksOf, rowsOf, unmark } from '#engine/postgres-mark.ts'
import {
  DataRefused,
  type ActorKey,
  type Beside,
  type Commit,
  type EffectRow,
  type Lease,
  type MarkRow,
  type OutboxRow,
  type ReminderKey,
  type ReminderRow,
  type StateStore,
} from '#engine/ports.ts'
import type { RowShape } from '#engine/row.ts'

/** First key of the advisory locks of lanes, and of those by which processes show that they live. */
const lockSpace = 7_214_001
const lifeSpace = 7_214_002

/** Advisory locks are listed for all databases of the server, and a hash's sign is lost in the list. */
const isLocked = (space: string, id: string): string =>
  `exists (select from pg_locks where locktype = 'advisory' and classid = ${space} and objsubid = 2 and granted
     and objid = (${id}::bigint & 4294967295)::oid
     and database = (select oid from pg_database where datname = current_database()))`

export interface PostgresOptions {
  url: string
  /** Names this process in leases; unique among running ones. */
  owner: string
  /** Milliseconds a lease lasts without renewal. */
  leaseMs: number
  /** Connections for loads and commits. */
  connections: number
  onLeaseLost: () => void
}

const session = '-c idle_in_transaction_session_timeout=5s -c lock_timeout=3s -c statement_timeout=30s'

export class PostgresStore implements StateStore {
  readonly pool: pg.Pool
  private readonly options: PostgresOptions
  private holder: Promise<pg.Client> | undefined
  private tail: Promise<unknown> = Promise.resolve()

  constructor(options: PostgresOptions) {
    this.options = options
    this.pool = new pg.Pool({
      connectionString: options.url,
      max: options.connections,
      application_name: 'tidemark-engine',
      options: session,
      connectionTimeoutMillis: 10_000,
    })
    this.pool.on('error', () => {})
  }

  async close(): Promise<void> {
    const holder = await this.holder?.catch(() => undefined)
    this.holder = undefined
    await holder?.end().catch(() => {})
    await this.pool.end()
  }

  /**
   * Makes sure there is a row for each lane; what each has committed. A lane added later begins behind all others: the ids
   * that follow from sequences must not come a second time.
   */
  async createLanes(count: number): Promise<Map<number, number>> {
    await this.pool.query(
      `insert into lane (lane, cursor) select n, (select coalesce(max(cursor), 0) from lane) from generate_series(0, $1 - 1) n
       on conflict do nothing`,
      [count],
    )
    const { rows } = await this.pool.query('select lane, cursor from lane')
    return new Map(rows.map((row) => [row.lane as number, Number(row.cursor)]))
  }

  /** The session whose life is the process's hold on its lanes. */
  private session(): Promise<pg.Client> {
    this.holder ??= (async () => {
      const client = new pg.Client({
        connectionString: this.options.url,
        application_name: `tidemark-lease ${this.options.owner}`,
        options: session,
        connectionTimeoutMillis: 10_000,
        keepAlive: true,
      })
      const lost = () => {
        if (this.holder === undefined) return
        this.holder = undefined
        this.options.onLeaseLost()
      }
      client.on('error', lost)
      client.on('end', lost)
      await client.connect()
      await client.query('select pg_advisory_lock_shared($1, hashtext($2))', [lifeSpace, this.options.owner])
      return client
    })()
    this.holder.catch(() => (this.holder = undefined))
    return this.holder
  }

  /** Work on the session, one after the other. */
  private held<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const done = this.tail.then(async () => work(await this.session()))
    this.tail = done.catch(() => {})
    return done
  }

  /** Lanes nobody holds, or whose owner has not renewed its lease. */
  async free(): Promise<number[]> {
    const found = await this.held((client) =>
      client.query(
        `select lane from lane where expires < clock_timestamp() or not ${isLocked('$1', 'lane')} order by lane`,
        [lockSpace],
      ),
    )
    return found.rows.map((row) => row.lane as number)
  }

  acquire(lane: number): Promise<Lease | undefined> {
    return this.held((client) => this.take(client, lane))
  }

  private async take(client: pg.Client, lane: number): Promise<Lease | undefined> {
    const got = await client.query('select pg_try_advisory_lock($1, $2) as ok', [lockSpace, lane])
    if (got.rows[0].ok !== true) {
      await this.evict(client, lane)
      return undefined
    }
    const lease = await this.write(client, lane).catch(async (error: unknown) => {
      await this.unlock(client, lane)
      throw error
    })
    if (!lease) await this.unlock(client, lane)
    return lease
  }

  private async write(client: pg.Client, lane: number): Promise<Lease | undefined> {
    const taken = await client.query(
      `update lane set epoch = epoch + 1, owner = $2, owner_pid = pg_backend_pid(),
         owner_started = (select backend_start from pg_stat_activity where pid = pg_backend_pid()),
         expires = clock_timestamp() + $3 * interval '1 ms',
         tries = case when tries_cursor <> cursor then 1 when owner = $2 then tries else tries + 1 end,
         tries_cursor = cursor,
         -- Whoever comes back to a lane of its own has not died on the mark it left there.
         marked_seq = case when owner = $2 then null else marked_seq end
       where lane = $1 returning epoch, cursor, clock, tries`,
      [lane, this.options.owner, this.options.leaseMs],
    )
    const row = taken.rows[0]
    if (!row) return undefined
    return { lane, epoch: Number(row.epoch), cursor: Number(row.cursor), clock: Number(row.clock), tries: row.tries }
  }

  /** A session that cannot give a lock back is ended: a lock without an owner would keep the lane from everybody else. */
  private async unlock(client: pg.Client, lane: number): Promise<void> {
    try {
      await client.query('select pg_advisory_unlock($1, $2)', [lockSpace, lane])
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  /** Ends the session of an owner that has not renewed its lease: a hung process must not hold a lane for ever. */
  private async evict(client: pg.Client, lane: number): Promise<void> {
    await client.query(
      `select pg_terminate_backend(a.pid) from lane l join pg_stat_activity a
         on a.pid = l.owner_pid and a.backend_start = l.owner_started
       where l.lane = $1 and l.expires < clock_timestamp() and a.pid <> pg_backend_pid()`,
      [lane],
    )
  }

  release(lease: Lease): Promise<void> {
    return this.held(async (client) => {
      try {
        await client.query(
          `update lane set owner = null, owner_pid = null, expires = '-infinity', tries = 0, marked_seq = null
           where lane = $1 and epoch = $2`,
          [lease.lane, lease.epoch],
        )
      } finally {
        await this.unlock(client, lease.lane)
      }
    })
  }

  async renew(leases: readonly Lease[]): Promise<Set<number>> {
    const held = await this.held((client) =>
      client.query(
        `update lane l set expires = clock_timestamp() + $3 * interval '1 ms'
       from unnest($1::int[], $2::bigint[]) as mine(lane, epoch)
       where l.lane = mine.lane and l.epoch = mine.epoch returning l.lane`,
        [leases.map((l) => l.lane), leases.map((l) => l.epoch), this.options.leaseMs],
      ),
    )
    return new Set(held.rows.map((row) => row.lane as number))
  }

  async beat(): Promise<void> {
    await this.held((client) =>
      client.query(
        `with gone as (delete from process where expires < clock_timestamp() - interval '1 minute' and id <> $1)
         insert into process (id, expires) values ($1, clock_timestamp() + $2 * interval '1 ms')
         on conflict (id) do update set expires = excluded.expires`,
        [this.options.owner, this.options.leaseMs],
      ),
    )
  }

  /** A killed process is off the list at once, for its session and the lock of it are gone; a hung one after its lease. */
  async live(): Promise<number> {
    const found = await this.held((client) =>
      client.query(
        `select count(*)::int as n from process
         where expires > clock_timestamp() and ${isLocked('$1', 'hashtext(id)')}`,
        [lifeSpace],
      ),
    )
    return found.rows[0].n
  }

  async leave(): Promise<void> {
    await this.held(async (client) => {
      await client.query('select pg_advisory_unlock_shared($1, hashtext($2))', [lifeSpace, this.options.owner])
      await client.query('delete from process where id = $1', [this.options.owner])
    })
  }

  async load(shape: RowShape, keys: readonly ActorKey[]): Promise<object[]> {
    const { orgId, place, key } = shape.address
    const columns = place === undefined ? [orgId, key] : [orgId, place, key]
    const values = [
      keys.map((k) => k.orgId),
      ...(place === undefined ? [] : [keys.map((k) => k.place)]),
      keys.map((k) => k.key),
    ]
    const found = await this.pool.query(
      `select to_jsonb(t) as row
       from unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')}) as k(${columns.map((_, i) => `k${i}`).join(', ')})
       cross join lateral (select * from ${name(shape.table)} r
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

  async dueReminders(lane: number, now: number, max: number): Promise<ReminderRow[]> {
    const found = await this.pool.query(
      `select kind, org_id as "orgId", place, key, name, subject, data, round(extract(epoch from due) * 1000)::bigint as due
       from reminder where lane = $1 and due <= to_timestamp($2::double precision / 1000) order by due limit $3`,
      [lane, now, max],
    )
    return found.rows.map((row) => ({ ...row, due: Number(row.due) }))
  }

  async nextReminder(lane: number): Promise<number | undefined> {
    const found = await this.pool.query(
      'select round(extract(epoch from min(due)) * 1000)::bigint as due from reminder where lane = $1',
      [lane],
    )
    return found.rows[0].due === null ? undefined : Number(found.rows[0].due)
  }

  async commit(commit: Commit): Promise<boolean> {
    const client = await this.pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      for (const { text, values, fence } of commitPlan(commit)) {
        const done = await client.query(text, values)
        if (fence && done.rowCount !== 1) {
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

  async markTurn(lease: Lease, seq: number): Promise<number | undefined> {
    const marked = await this.pool.query(
      `update lane set marked_deaths = case when marked_seq = $3 then marked_deaths + 1 else 0 end, marked_seq = $3
       where lane = $1 and epoch = $2 returning marked_deaths`,
      [lease.lane, lease.epoch, seq],
    )
    return marked.rows[0]?.marked_deaths
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

  marks(lanes: readonly number[], max: number, beside?: Beside): Promise<MarkRow[]> {
    return marksOf(this.pool, lanes, max, beside)
  }

  begin(marks: readonly MarkRow[]): Promise<string> {
    return begin(this.pool, marks)
  }

  readonly rows: StateStore['rows'] = (sql, params) => rowsOf(this.pool)(sql, params)

  unmark(marks: readonly MarkRow[], generation: string): Promise<void> {
    return unmark(this.pool, marks, generation)
  }

  async claimEffects(max: number, claimMs: number): Promise<(EffectRow & { attempts: number })[]> {
    const claimed = await this.pool.query(
      `update effect set claimed_by = $1, claimed_until = clock_timestamp() + $2 * interval '1 ms', attempts = attempts + 1
       where key in (select key from effect where due <= clock_timestamp() and claimed_until < clock_timestamp()
                     order by due limit $3 for update skip locked)
       returning key, name, org_id as "orgId", input, attempts`,
      [this.options.owner, claimMs, max],
    )
    return claimed.rows
  }

  async holdEffect(key: string, claimMs: number): Promise<void> {
    await this.pool.query(
      `update effect set claimed_until = clock_timestamp() + $3 * interval '1 ms' where key = $1 and claimed_by = $2`,
      [key, this.options.owner, claimMs],
    )
  }

  async doneEffect(key: string): Promise<void> {
    await this.pool.query('delete from effect where key = $1 and claimed_by = $2', [key, this.options.owner])
  }

  async retryEffect(key: string, afterMs: number, failure: string): Promise<void> {
    await this.pool.query(
      `update effect set claimed_until = '-infinity', due = clock_timestamp() + $3 * interval '1 ms', failure = $4
       where key = $1 and claimed_by = $2`,
      [key, this.options.owner, afterMs, failure],
    )
  }

  async prune(ageMs: number): Promise<void> {
    await this.pool.query(`delete from inbox where at < clock_timestamp() - $1 * interval '1 ms'`, [ageMs])
  }
}

/** Class 22 (values no column holds), 23 (constraints) and too deep nesting: no retry mends them. */
const isDataError = (error: unknown): boolean => /^(22|23|54)/.test((error as { code?: string }).code ?? '')

const name = (identifier: string): string => pg.escapeIdentifier(identifier)
