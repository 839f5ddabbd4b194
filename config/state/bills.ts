/** Reads the accounts' bill state for the command line. */
import type { LeftOut } from '#analytics/billing/bill.ts'
import type pg from 'pg'
import type { BillWarning } from '#streams/billing/warning.ts'
import { noBills, type Bills, type OpenExport } from '#actors/account/bill/bills.ts'

/** The bill state of an account. Up to the month `oldThrough`, lines may be from before exports were tracked. */
export interface AccountBills {
  bills: Bills
  oldThrough: string
}

export async function billsOf(pool: pg.Pool, orgId: string, accountId: string): Promise<AccountBills> {
  const { rows } = await pool.query<AccountBills>(
    `select bills, old_through as "oldThrough" from cloud_account where org_id = $1 and id = $2`,
    [orgId, accountId],
  )
  return rows[0] ?? { bills: noBills(), oldThrough: '' }
}

export interface AccountExports {
  orgId: string
  accountId: string
  exports: Pick<OpenExport, 'id' | 'at' | 'state' | 'periods' | 'parts' | 'counted' | 'since'>[]
}

/** Exports that have not replaced anything yet, by account. Accounts with an export that needs attention come first. */
export async function openExports(pool: pg.Pool): Promise<AccountExports[]> {
  const { rows } = await pool.query<AccountExports>(
    `select org_id as "orgId", id as "accountId", bills->'open' as exports from cloud_account
     where jsonb_array_length(bills->'open') > 0
     order by bills->'open' @> '[{"state": "held"}]' or bills->'open' @> '[{"state": "incomplete"}]' desc, org_id, id`,
  )
  return rows
}

const accountsTold = 10

export function toldOpen(accounts: readonly AccountExports[]): string[] {
  const lines = accounts.slice(0, accountsTold).map(({ orgId, accountId, exports }) => {
    const each = exports.map((one) => `${one.state} (${Object.keys(one.periods).join(', ')}, exported ${one.at})`)
    return `bill exports of ${accountId} in ${orgId}: ${each.join('; ')}`
  })
  const more = accounts.length - accountsTold
  return more > 0 ? [...lines, `bill exports of ${more} more accounts are open`] : lines
}

export interface AccountWarnings {
  orgId: string
  accountId: string
  warnings: BillWarning[]
}

/**
 * Warnings about bills that connectors read: those of the first accounts, and the number of all accounts with warnings.
 */
export async function billWarnings(pool: pg.Pool): Promise<{ total: number; accounts: AccountWarnings[] }> {
  const { rows } = await pool.query<AccountWarnings & { total: number }>(
    `select s.org_id as "orgId", s.cloud_account_id as "accountId", s.warnings, (count(*) over ())::int as total
     from billing_sync s join cloud_account a on a.org_id = s.org_id and a.id = s.cloud_account_id
     where jsonb_array_length(s.warnings) > 0 and a.status <> 'deleted'
     order by s.org_id, s.cloud_account_id limit $1`,
    [accountsTold],
  )
  return {
    total: rows[0]?.total ?? 0,
    accounts: rows.map(({ orgId, accountId, warnings }) => ({ orgId, accountId, warnings })),
  }
}

const warningsTold = 3

/** Shows the first warnings of each account. */
export function toldWarnings({ total, accounts }: Awaited<ReturnType<typeof billWarnings>>): string[] {
  const lines = accounts.map(({ orgId, accountId, warnings }) => {
    const each = warnings.slice(0, warningsTold).map(toldWarning)
    const more = warnings.length - warningsTold
    const all = more > 0 ? [...each, `and ${more} more`] : each
    return `bill warnings of ${accountId} in ${orgId}: ${all.join('; ')}`
  })
  const more = total - accounts.length
  return more > 0 ? [...lines, `bills of ${more} more accounts have warnings`] : lines
}

function toldWarning({ period, code, message, count, first: [place] }: BillWarning): string {
  const at = place && `${place.file}${place.row === undefined ? '' : `:${place.row}`}`
  return `${period} ${code} (${count}): ${message.replace(/\.$/, '')}${at ? `, first in ${at}` : ''}`
}

/** Charges that appear in two bills, one line per month and account, largest first. */
export const toldLeftOut = (months: readonly LeftOut[]): string[] =>
  months.map(
    ({ org_id, cloud_account_id, month, counted, left_out_usd }) =>
      `${month}: ${left_out_usd} USD in the bill of ${cloud_account_id} (organization ${org_id}) also appear in the bill of ${counted.join(', ')} and are counted only there`,
  )
