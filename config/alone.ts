/** Work that one process at a time does, whichever of those that share the stores. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { PostgresStore } from '#engine/store/postgres.ts'

/** Milliseconds between two looks: waiting in PostgreSQL itself ends after three seconds. */
const againMs = 50

/** Waits until no other process does work of the same `lock`, then runs `work`. Nothing else may use the number of a lock. */
export async function alone<T>(store: Pick<PostgresStore, 'pool'>, lock: number, work: () => Promise<T>): Promise<T> {
  const client = await store.pool.connect()
  try {
    while (!(await locked(client, lock))) await sleep(againMs)
    try {
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock])
    }
  } finally {
    client.release()
  }
}

async function locked(client: pg.PoolClient, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [lock])
  return rows[0]!.ok
}
