/** Deletes dead letters beyond the limits, and measures how many there are. One process at a time sweeps. */
import type pg from 'pg'
import { Counter, Gauge, type Registry } from 'prom-client'
import { dayMs } from '#engine/value/day.ts'
import type { Connections } from '#config/state/connect.ts'

const everyMs = 60_000
/** Number of the advisory lock; used for nothing else. */
const lock = 7_402_818
/** Approximate bytes of a row besides its body and reason. */
const rowBytes = 300

const oldSql = `delete from dead_letter where at < $1`

/** The dead letters beyond the newest ones of each organization that has too many. */
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

/** Returns the number of deleted dead letters; undefined if another process is sweeping. */
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
    // After a failure the connection is closed instead of reused.
    client.release(failure)
  }
}

async function deleteLetters(client: pg.PoolClient, since: Date, bytesMax: number): Promise<number> {
  const old = await client.query(oldSql, [since])
  const excess = await client.query(excessSql, [bytesMax])
  return (old.rowCount ?? 0) + (excess.rowCount ?? 0)
}

const heldSql = `select count(*)::float8 as letters, coalesce(sum(octet_length(body)), 0)::float8 as bytes from dead_letter`

/** Registers gauges that read the stored dead letters when scraped. Returns the counter of deleted ones. */
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

/** Sweeps every minute until the returned function is called. */
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
