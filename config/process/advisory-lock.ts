/** Work that one process at a time does, whichever of those that share the stores. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { PostgresStore } from '#engine/store/postgres/postgres.ts'

/** Milliseconds between two looks: waiting in PostgreSQL itself ends after three seconds. */
const againMs = 50

/** By lock, what this process does last: those behind it wait here, and not each with a connection that the engine needs. */
const last = new Map<number, Promise<unknown>>()

/** Waits until nobody does work of the same `lock`, here or in another process, then runs `work`. Nothing else may use the number of a lock. */
export function alone<T>(store: Pick<PostgresStore, 'pool'>, lock: number, work: () => Promise<T>): Promise<T> {
  const done = (last.get(lock) ?? Promise.resolve()).then(() => aloneOfAll(store, lock, work))
  last.set(
    lock,
    done.catch(() => {}),
  )
  return done
}

async function aloneOfAll<T>(store: Pick<PostgresStore, 'pool'>, lock: number, work: () => Promise<T>): Promise<T> {
  const client = await store.pool.connect()
  try {
    while (!(await tryLock(client, lock))) await sleep(againMs)
    try {
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock])
    }
  } finally {
    client.release()
  }
}

async function tryLock(client: pg.PoolClient, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ ok: boolean }>('select pg_try_advisory_lock($1) as ok', [lock])
  return rows[0]!.ok
}

/**
 * Runs `work` unless another process does work of the same `lock`: undefined then. `work` is given the connection that holds the lock,
 * which is gone with it.
 */
export async function unlessElsewhere<T>(
  store: Pick<PostgresStore, 'pool'>,
  lock: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T | undefined> {
  const client = await store.pool.connect()
  let failure: Error | undefined
  try {
    if (!(await tryLock(client, lock))) return undefined
    const done = await work(client)
    await client.query('select pg_advisory_unlock($1)', [lock])
    return done
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // Whatever it holds ends with it.
    client.release(failure)
  }
}
