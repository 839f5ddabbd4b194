/** Aggregates settled months by resource and merges them: every quarter of an hour, in one process at a time. */
import type pg from 'pg'
import { Counter, type Registry } from 'prom-client'
import { mergeMonths, sumMonths, type Settling } from '#analytics/rollup/monthly-cost/cost-month.ts'
import { unlessElsewhere } from '#config/process/advisory-lock.ts'
import type { Connections } from '#config/state/connect.ts'
import { regularly } from '#config/process/regularly.ts'

const pace = { firstMs: 2 * 60_000, everyMs: 15 * 60_000 }
/** Number of the advisory lock; used for nothing else. */
export const monthsLock = 7_402_821

type Tools = Pick<Connections, 'shards' | 'store' | 'clock' | 'installation' | 'report'>

/**
 * Aggregates settled months and returns the number of account months. Undefined if another process does it, or the
 * stores do not match. Logs a warning for a month that fails. `quietMs` and `pauseMs`: see `settling`.
 */
export async function settleMonths(
  { shards, store, clock, installation, report }: Tools,
  bounds: Pick<Settling, 'quietMs' | 'pauseMs' | 'signal'> = {},
): Promise<number | undefined> {
  const fits = () => installation.misfits.length === 0 && !installation.isOutdated
  if (!fits()) return undefined
  return unlessElsewhere(store, monthsLock, async (client) => {
    const now = new Date(clock.now())
    const alone = async () => {
      // Fails if the connection, and with it the lock, was lost.
      await client.query('select 1')
      bounds.signal?.throwIfAborted()
      if (!fits()) throw new Error('the stores no longer match each other')
    }
    const counts = await shards.each(async ({ client: ch }) => {
      const { summed, failures } = await sumMonths(ch, {
        now,
        generation: () => drawGeneration(client),
        alone,
        ...bounds,
      })
      for (const err of failures) report.warn({ err }, 'a settled month could not be aggregated')
      await mergeMonths(ch, now).catch((error: unknown) =>
        report.warn({ err: error }, 'a settled month could not be merged'),
      )
      return summed
    })
    return counts.reduce((sum, summed) => sum + summed, 0)
  })
}

async function drawGeneration(client: pg.PoolClient): Promise<string> {
  const { rows } = await client.query<{ n: string }>(`select nextval('generation')::text as n`)
  return rows[0]!.n
}

export const measureMonths = (registry: Registry): Counter =>
  new Counter({
    name: 'tidemark_months_summed_total',
    help: 'Settled account months aggregated by resource',
    registers: [registry],
  })

/** Runs regularly until the returned function is called. A failure is logged; the next run continues. */
export function settleRegularly(c: Connections, registry: Registry): () => void {
  const counted = measureMonths(registry)
  const over = new AbortController()
  const look = () =>
    void settleMonths(c, { signal: over.signal }).then(
      (summed = 0) => counted.inc(summed),
      (error: unknown) => {
        if (!over.signal.aborted) c.report.warn({ err: error }, 'settled months could not be aggregated')
      },
    )
  const end = regularly(look, pace)
  return () => {
    end()
    over.abort()
  }
}
