/** Keeps what replaced exports of bills take from growing: looks a few times a day, in one process at a time. */
import { shownSince, compareExports, type Bills } from '#actors/account/bills.ts'
import { accountKey } from '#analytics/billing/bill.ts'
import { sweepBills, type StoredExport } from '#analytics/rollup/bill-sweep.ts'
import type { Connections } from '#config/connect.ts'

/** Milliseconds: from the start to the first look, and between two. */
const firstMs = 10 * 60_000
const everyMs = 6 * 3_600_000
/** Of the advisory lock: nothing else uses the number. */
const lock = 7_402_817

type Tools = Pick<Connections, 'clickhouse' | 'store' | 'clock' | 'settings'>

/** Sweeps once, unless another process does. Undefined in that case. */
export async function sweepReplaced(c: Tools): Promise<{ exports: number; rows: number } | undefined> {
  const { clickhouse, store, clock, settings } = c
  const client = await store.pool.connect()
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock])
    if (!rows[0]!.locked) return undefined
    try {
      const now = new Date(clock.now())
      const then = new Date(now.getTime() - settings.replacedBillsKeep * 3_600_000).toISOString()
      return await sweepBills(clickhouse, await deadBefore(c, then), now)
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lock])
    }
  } finally {
    client.release()
  }
}

/**
 * Says which exports are older than what was shown `then`: they have not been shown since, nor will they be again. Read before
 * the exports are: what is shown only ever rises.
 */
async function deadBefore({ store }: Tools, then: string): Promise<(bill: StoredExport) => boolean> {
  const { rows } = await store.pool.query<{ orgId: string; cloudAccountId: string; shown: Bills['shown'] }>(
    `select org_id as "orgId", id as "cloudAccountId", bills -> 'shown' as shown from cloud_account
     where bills -> 'shown' <> '{}'`,
  )
  const accounts = new Map(rows.map((account) => [accountKey(account), account.shown]))
  return (bill) => {
    const shown = accounts.get(accountKey(bill))?.[bill.period]
    const stood = shown && shownSince(shown, then)
    return stood !== undefined && compareExports({ id: bill.exportId, at: bill.exportedAt }, stood) < 0
  }
}

/** Looks from now on until the call that comes back. A look that fails is told, and the next one goes on. */
export function sweepRegularly(c: Connections): () => void {
  const look = () =>
    void sweepReplaced(c).catch((error: unknown) =>
      c.report.warn({ err: error }, 'replaced exports of bills could not be swept'),
    )
  let every: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    look()
    every = setInterval(look, everyMs)
  }, firstMs)
  return () => {
    clearTimeout(first)
    clearInterval(every)
  }
}
