import type pg from 'pg'
import { shiftedClock, systemClock } from '#engine/clock.ts'
import type { Clock } from '#engine/actor/ports.ts'

/** The product's clock. With test hooks, tests can set it; all processes follow within a quarter of a second. */
export interface ProductClock extends Clock {
  shift(): number
  /** Test hooks only: sets the time to `at` in every process. */
  set(at: Date): Promise<void>
  close(): void
}

export const realClock: ProductClock = {
  ...systemClock,
  shift: () => 0,
  set: () => Promise.reject(new Error('test hooks are disabled')),
  close: () => {},
}

const followMs = 250

/** A clock whose shift is stored in PostgreSQL. */
export async function testClock(pool: pg.Pool): Promise<ProductClock> {
  let shift = 0
  /** Number of `set` calls begun here. Below: those still in progress. */
  let sets = 0
  let setting = 0
  const follow = async () => {
    const before = sets
    if (setting > 0) return
    const { rows } = await pool.query('select offset_ms from clock_offset')
    // A value read before a `set` of this process must not overwrite it.
    if (before === sets) shift = Number(rows[0]?.offset_ms ?? 0)
  }
  await follow()
  const timer = setInterval(() => void follow().catch(() => {}), followMs)
  timer.unref()
  return {
    ...shiftedClock(() => shift),
    shift: () => shift,
    async set(at) {
      shift = at.getTime() - Date.now()
      sets++
      setting++
      try {
        await pool.query(
          `insert into clock_offset (offset_ms) values ($1) on conflict (singleton) do update set offset_ms = excluded.offset_ms`,
          [Math.round(shift)],
        )
      } finally {
        setting--
      }
    },
    close: () => clearInterval(timer),
  }
}
