/**
 * Decides which process may run a lane. Ownership needs three things: a lease row with an expiry by PostgreSQL's own
 * clock, an advisory lock of a session that the server releases the instant the process dies, and the epoch that every
 * commit must match.
 */
import type pg from 'pg'
import type { Lease } from '#engine/actor/ports.ts'
import { postgresClient } from './primary.ts'

/** First key of the advisory locks of lanes, and of those by which processes show that they are alive. */
const lockSpace = 7_214_001
const lifeSpace = 7_214_002

/** Advisory locks are listed for all databases of the server, and the list loses the sign of a hash. */
const isLocked = (space: string, id: string): string =>
  `exists (select from pg_locks where locktype = 'advisory' and classid = ${space} and objsubid = 2 and granted
     and objid = (${id}::bigint & 4294967295)::oid
     and database = (select oid from pg_database where datname = current_database()))`

export interface LeaseOptions {
  url: string
  /** The name of this process in leases; unique among running ones. */
  owner: string
  /** Milliseconds a lease lasts without renewal. */
  leaseMs: number
  /** Maximum messages after the cursor that an owner may have been working on: committing and computing. */
  reach?: number
  onLeaseLost: () => void
}

const reachDefault = 10_000
/** How long the end of a connection is awaited, milliseconds. */
const endMs = 2000
/** Numbers for processes: more than run at once, including those killed in the last minutes. */
const tracks = 63

/** Settings of every connection of the engine. */
export const sessionOptions = '-c idle_in_transaction_session_timeout=5s -c lock_timeout=3s -c statement_timeout=30s'

/** Ends a connection; one that does not confirm its end is abandoned. */
async function endConnection(client: pg.Client): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, endMs).unref())
  await Promise.race([client.end().catch(() => {}), late])
}

export class PostgresLeases {
  private readonly options: LeaseOptions
  private holder: Promise<pg.Client> | undefined
  private tail: Promise<unknown> = Promise.resolve()
  private number = 0

  constructor(options: LeaseOptions) {
    this.options = options
  }

  async close(): Promise<void> {
    const holder = await this.holder?.catch(() => undefined)
    this.holder = undefined
    if (holder) await endConnection(holder)
  }

  /** The session that represents this process's ownership of its lanes. */
  private session(): Promise<pg.Client> {
    if (this.holder) return this.holder
    const client = postgresClient(this.options.url, {
      application_name: `tidemark-lease ${this.options.owner}`,
      options: sessionOptions,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    })
    const opening = this.open(client)
    this.holder = opening
    // A replaced session may report its end late: the current one stays.
    const isOurs = () => this.holder === opening
    const lost = () => {
      if (!isOurs()) return
      this.holder = undefined
      void endConnection(client)
      this.options.onLeaseLost()
    }
    client.on('error', lost)
    client.on('end', lost)
    opening.catch(() => {
      if (isOurs()) this.holder = undefined
      void endConnection(client)
    })
    return opening
  }

  private async open(client: pg.Client): Promise<pg.Client> {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1, hashtext($2))', [lifeSpace, this.options.owner])
    return client
  }

  /** Runs work on the session, one after the other. */
  private held<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const done = this.tail.then(async () => work(await this.session()))
    this.tail = done.catch(() => {})
    return done
  }

  /** Lanes without an owner, or whose owner has not renewed its lease. */
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
         -- Who gave the lane up, or comes back to it, has not died of a message.
         ends = case when owner is null or owner = $2 then case when cursor < suspect_until then ends else 0 end
           when cursor < suspect_until then ends + 1 else 1 end,
         suspect_until = case when owner is null or owner = $2 or cursor < suspect_until then suspect_until
           else cursor + $4 end,
         -- A process that returns to a lane of its own has not died on the mark it left there: that one does not count.
         marked_deaths = marked_deaths - case when owner = $2 and marked_seq is not null then 1 else 0 end
       where lane = $1 returning epoch, cursor, clock, ends, suspect_until, apart_seq, apart_done`,
      [lane, this.options.owner, this.options.leaseMs, this.options.reach ?? reachDefault],
    )
    const row = taken.rows[0]
    if (!row) return undefined
    const { ends } = row
    const [epoch, cursor, clock, suspectUntil] = [row.epoch, row.cursor, row.clock, row.suspect_until].map(Number)
    const apart = { seq: Number(row.apart_seq), done: row.apart_done as number }
    return { lane, epoch: epoch!, cursor: cursor!, clock: clock!, ends, suspectUntil: suspectUntil!, apart }
  }

  /** A session that cannot release a lock is ended: a lock without an owner would keep the lane from all others. */
  private async unlock(client: pg.Client, lane: number): Promise<void> {
    try {
      await client.query('select pg_advisory_unlock($1, $2)', [lockSpace, lane])
    } catch (error) {
      await endConnection(client)
      throw error
    }
  }

  /** Ends the session of an owner that has not renewed its lease: a hung process must not keep a lane forever. */
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
          `update lane set owner = null, owner_pid = null, expires = '-infinity',
             marked_deaths = marked_deaths - case when marked_seq is not null then 1 else 0 end
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
    const { owner, leaseMs } = this.options
    await this.held(async (client) => {
      const beaten = await client.query(
        `update process set expires = clock_timestamp() + $2 * interval '1 ms' where id = $1 returning track`,
        [owner, leaseMs],
      )
      if (beaten.rowCount === 0) await this.enlist(client)
      else this.number = beaten.rows[0].track
    })
  }

  /** The process's number, 1 to 63; 0 until it has recorded that it is alive. */
  get track(): number {
    return this.number
  }

  /** Takes the lowest free number, otherwise that of the process that has been gone the longest. */
  private async enlist(client: pg.Client): Promise<void> {
    const { owner, leaseMs } = this.options
    await client.query('begin')
    try {
      await client.query('lock table process in share row exclusive mode')
      await client.query(`delete from process where expires < clock_timestamp() - interval '10 minutes'`)
      const { rows } = await client.query(
        `insert into process (id, expires, track)
         select $1, clock_timestamp() + $2 * interval '1 ms', (
           select t from generate_series(1, ${tracks}) t left join process p on p.track = t
           group by t order by max(p.expires) nulls first, t limit 1
         ) returning track`,
        [owner, leaseMs],
      )
      await client.query('commit')
      this.number = rows[0].track
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  }

  /**
   * A killed process leaves the list immediately, because its session and its lock are gone; a hung one after its
   * lease.
   */
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
}
