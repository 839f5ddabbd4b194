/** Exports of bills that replace nothing yet: those whose lines still come, and those that somebody must look at. */
import type pg from 'pg'
import type { OpenExport } from '#actors/account/bills.ts'

export interface AccountExports {
  orgId: string
  accountId: string
  exports: Pick<OpenExport, 'id' | 'at' | 'state' | 'periods' | 'parts' | 'counted' | 'since'>[]
}

/** By account; accounts with one that somebody must look at first. */
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
    return `exports of bills of ${accountId} in ${orgId}: ${each.join('; ')}`
  })
  const more = accounts.length - accountsTold
  return more > 0 ? [...lines, `exports of bills of ${more} more accounts are open`] : lines
}
