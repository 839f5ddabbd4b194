/**
 * Keeps what replaced exports of bills take from growing, and uploads of bills that were never applied: looks a few times a day, in
 * one process at a time.
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
/** Of the advisory lock: nothing else uses the number. */
const lock = 7_402_817

type Tools = Pick<Connections, 'clickhouse' | 'store' | 'clock' | 'settings'>

/** Sweeps once, unless another process does. Undefined in that case. */
export async function sweepReplaced(c: Tools): Promise<{ exports: number; rows: number } | undefined> {
  const { clickhouse, store, clock, settings } = c
  return unlessElsewhere(store, lock, async () => {
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
    const swept = await sweepBills(clickhouse, isDead, now)
    if (swept.exports > 0) await store.countWritten([...losing], billLine.name)
    await forgetUploads(c, now, [...stored])
    return swept
  })
}

/**
 * Says which exports are older than what was shown `then`, or were removed before: they have not been shown since. Read before the
 * exports are: what is shown only ever rises, unless an admin removes it.
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

/** An export that was removed before `then`, or an older one of a period all bills of which were; not if it is awaited again. */
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

/** So long after the last word of who reads one, and after its end, nothing of an upload is on its way any more. */
const quietMs = dayMs

/** Uploads that were not applied and cannot be any more. */
async function findUnappliedUploads({ store }: Tools, now: Date): Promise<Set<string>> {
  const { rows } = await store.pool.query<{ orgId: string; id: string }>(
    `select org_id as "orgId", id from bill_upload
     where state = 'discarded' or state = 'broken' and (applied_at is null or expires_at < $1) or state = 'reading' and heard_at < $1
       or state in ('storing', 'ready') and expires_at < $1`,
    [new Date(now.getTime() - quietMs)],
  )
  return new Set(rows.map(({ orgId, id }) => uploadKey(orgId, id)))
}

/** Those that are shown no more. One whose lines are still stored stays: nothing else knows that they are dead. */
async function forgetUploads({ store }: Tools, now: Date, stored: readonly string[]): Promise<void> {
  await store.pool.query(
    `delete from bill_upload where id <> all ($2::text[])
       and (expires_at < $1 or state not in ('storing', 'ready') and expires_at < $3)`,
    [new Date(now.getTime() - quietMs), stored, now],
  )
}

/** Looks from now on until the call that comes back. A look that fails is told, and the next one goes on. */
export function sweepRegularly(c: Connections): () => void {
  const look = () =>
    void sweepReplaced(c).catch((error: unknown) =>
      c.report.warn({ err: error }, 'replaced bill exports could not be cleaned up'),
    )
  return regularly(look, pace)
}
