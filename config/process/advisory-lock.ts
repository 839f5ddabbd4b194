/** Work that only one of the processes on the same stores may do at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { PostgresStore } from '#engine/store/postgres/postgres.ts'

/** Milliseconds between tries. Waiting in PostgreSQL itself would end after three seconds (`lock_timeout`). */
const againMs = 50

/** By lock, this process's last work. Later work waits for it here, so that not every waiter occupies a connection. */
const last = new Map<number, Promise<unknown>>()

/** Waits until no process works under the same `lock`, then runs `work`. Every purpose needs its own lock number. */
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
 * Runs `work` unless another process works under the same `lock`; then returns undefined. `work` receives the
 * connection that holds the lock. If the connection is lost, so is the lock.
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
    // After a failure the connection is closed, which releases its locks.
    client.release(failure)
  }
}
