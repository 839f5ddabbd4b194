/** Keeps what was set aside within its bounds, and tells how much there is. One process at a time sweeps. */
import type pg from 'pg'
import { Counter, Gauge, type Registry } from 'prom-client'
import { dayMs } from '#engine/value/day.ts'
import type { Connections } from '#config/state/connect.ts'

const everyMs = 60_000
/** Of the advisory lock: nothing else uses the number. */
const lock = 7_402_818
/** Bytes a row has beside its body and its reason, about. */
const rowBytes = 300

const oldSql = `delete from dead_letter where at < $1`

/** Of each organization that has too much, what is beyond its newest ones. */
const excessSql = `
  delete from dead_letter where id in (
    select id from (
      select id, sum(octet_length(body) + octet_length(reason) + ${rowBytes}) over (partition by org_id order by at desc, id) as held
      from dead_letter where org_id in (
        select org_id from dead_letter group by org_id having sum(octet_length(body) + octet_length(reason) + ${rowBytes}) > $1
      )
    ) as letters where held > $1
  )`

type Tools = Pick<Connections, 'store' | 'clock' | 'settings'>

/** How many were deleted; undefined when another process is at it. */
export async function sweepDeadLetters({ store, clock, settings }: Tools): Promise<number | undefined> {
  const client = await store.pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [lock])
    const since = new Date(clock.now() - settings.deadLettersKeepDays * dayMs)
    const count = rows[0]!.locked ? await deleteLetters(client, since, settings.deadLettersKeepBytes) : undefined
    await client.query('commit')
    return count
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // A connection within a transaction that failed is not given to anybody else.
    client.release(failure)
  }
}

async function deleteLetters(client: pg.PoolClient, since: Date, bytesMax: number): Promise<number> {
  const old = await client.query(oldSql, [since])
  const excess = await client.query(excessSql, [bytesMax])
  return (old.rowCount ?? 0) + (excess.rowCount ?? 0)
}

const heldSql = `select count(*)::float8 as letters, coalesce(sum(octet_length(body)), 0)::float8 as bytes from dead_letter`

/** What is kept, read whenever it is asked for; the count of what is not kept any more comes back. */
export function measureDeadLetters(registry: Registry, pool: pg.Pool): Counter {
  const gauge = (name: string, help: string, column: 'letters' | 'bytes') =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const { rows } = await pool.query<Record<typeof column, number>>(heldSql).catch(() => ({ rows: [] }))
        if (rows[0]) this.set(rows[0][column])
      },
    })
  gauge('tidemark_dead_letters_held', 'Dead letters that are kept', 'letters')
  gauge('tidemark_dead_letters_held_bytes', 'Size of the bodies of dead letters, in bytes', 'bytes')
  return new Counter({
    name: 'tidemark_dead_letters_dropped_total',
    help: 'Dead letters deleted because they were too old or too many',
    registers: [registry],
  })
}

/** Sweeps every minute until the call that comes back. */
export function sweepDeadLettersRegularly(c: Connections, registry: Registry): () => void {
  const dropped = measureDeadLetters(registry, c.store.pool)
  const every = setInterval(() => {
    sweepDeadLetters(c).then(
      (count = 0) => dropped.inc(count),
      (error: unknown) => c.report.warn({ err: error }, 'dead letters could not be cleaned up'),
    )
  }, everyMs)
  return () => clearInterval(every)
}
