/**
 * Deletes lines of replaced bill exports and of bill uploads that were never applied: a few times a day, in one process
 * at a time.
 */
import { shownSince, compareExports, type Bills, type PastBill } from '#actors/account/bill/bills.ts'
import { dayMs } from '#engine/value/day.ts'
import { accountKey } from '#analytics/billing/bill.ts'
import { billLine } from '#analytics/billing/tables.ts'
import { sweepBills, type StoredExport } from '#analytics/rollup/bill-sweep/bill-sweep.ts'
import { unlessElsewhere } from '#config/process/advisory-lock.ts'
import type { Connections } from '#config/state/connect.ts'
import { regularly } from '#config/process/regularly.ts'

const pace = { firstMs: 10 * 60_000, everyMs: 6 * 3_600_000 }
/** Number of the advisory lock; used for nothing else. */
export const billsLock = 7_402_817

type Tools = Pick<Connections, 'shards' | 'store' | 'clock' | 'settings'>

/** Sweeps once. Undefined if another process is sweeping. */
export async function sweepReplaced(c: Tools): Promise<{ exports: number; rows: number } | undefined> {
  const { shards, store, clock, settings } = c
  return unlessElsewhere(store, billsLock, async () => {
    const now = new Date(clock.now())
    const then = new Date(now.getTime() - settings.replacedBillsKeep * 3_600_000).toISOString()
    const isReplaced = await deadBefore(c, then)
    const uploads = await findUnappliedUploads(c, now)
    const stored = new Set<string>()
    const losing = new Set<string>()
    const isDead = (bill: StoredExport): boolean => {
      const isUpload = uploads.has(uploadKey(bill.orgId, bill.exportId))
      if (isUpload) stored.add(bill.exportId)
      const isGone = isUpload || isReplaced(bill)
      if (isGone) losing.add(bill.orgId)
      return isGone
    }
    const swept = { exports: 0, rows: 0 }
    await shards.each(async ({ client }) => {
      const { exports, rows } = await sweepBills(client, isDead, now)
      swept.exports += exports
      swept.rows += rows
    })
    if (swept.exports > 0) await store.countWritten([...losing], billLine.name)
    await forgetUploads(c, now, [...stored])
    return swept
  })
}

/**
 * Returns a test for exports that have not been shown since the time `then`: they are older than the export shown then,
 * or were removed before. Call it before reading the exports: the shown export only becomes newer, unless an admin
 * removes it.
 */
async function deadBefore({ store }: Tools, then: string): Promise<(bill: StoredExport) => boolean> {
  const { rows } = await store.pool.query<{ orgId: string; cloudAccountId: string; bills: KnownBills }>(
    `select org_id as "orgId", id as "cloudAccountId",
       jsonb_build_object('shown', bills -> 'shown', 'removed', bills -> 'removed', 'open', bills -> 'open') as bills
     from cloud_account where bills -> 'shown' <> '{}' or bills -> 'removed' <> '[]'`,
  )
  const accounts = new Map(rows.map((account) => [accountKey(account), account.bills]))
  return (bill) => {
    const bills = accounts.get(accountKey(bill))
    const shown = bills?.shown[bill.period]
    const stood = shown && shownSince(shown, then)
    const one = { id: bill.exportId, at: bill.exportedAt }
    if (stood !== undefined && compareExports(one, stood) < 0) return true
    return bills !== undefined && isRemovedBefore(bills, { ...one, period: bill.period }, then)
  }
}

type KnownBills = Pick<Bills, 'shown' | 'removed' | 'open'>

/**
 * Whether the export was removed before `then`, or is older than such a removal of a period's whole bill. Not if it is
 * expected again.
 */
function isRemovedBefore(
  { shown, removed, open }: KnownBills,
  bill: Omit<PastBill, 'since'> & { period: string },
  then: string,
) {
  if (shown[bill.period]?.id === bill.id || open.some(({ id }) => id === bill.id)) return false
  return removed.some(
    (one) =>
      one.period === bill.period &&
      one.on < then &&
      (one.id === bill.id || (one.all === true && compareExports(bill, one) < 0)),
  )
}

const uploadKey = (orgId: string, id: string): string => `${orgId}|${id}`

/**
 * Milliseconds after which nothing of an upload can be in transit: after its reader's last sign of life, and after its
 * end.
 */
const quietMs = dayMs

/** Keys of uploads that were not applied and can no longer be. */
async function findUnappliedUploads({ store }: Tools, now: Date): Promise<Set<string>> {
  const { rows } = await store.pool.query<{ orgId: string; id: string }>(
    `select org_id as "orgId", id from bill_upload
     where state = 'discarded' or state = 'broken' and (applied_at is null or expires_at < $1) or state = 'reading' and heard_at < $1
       or state in ('storing', 'ready') and expires_at < $1`,
    [new Date(now.getTime() - quietMs)],
  )
  return new Set(rows.map(({ orgId, id }) => uploadKey(orgId, id)))
}

/**
 * Deletes uploads that are no longer shown. Uploads with stored lines stay: nothing else records that their lines are
 * unused.
 */
async function forgetUploads({ store }: Tools, now: Date, stored: readonly string[]): Promise<void> {
  await store.pool.query(
    `delete from bill_upload where id <> all ($2::text[])
       and (expires_at < $1 or state not in ('storing', 'ready') and expires_at < $3)`,
    [new Date(now.getTime() - quietMs), stored, now],
  )
}

/** Runs regularly until the returned function is called. A failure is logged; the next run continues. */
export function sweepRegularly(c: Connections): () => void {
  const look = () =>
    void sweepReplaced(c).catch((error: unknown) =>
      c.report.warn({ err: error }, 'replaced bill exports could not be cleaned up'),
    )
  return regularly(look, pace)
}
