/**
 * Tells the cost rollup which accounts exist: lines of a payer's bill count for the connected account that is their
 * sub-account.
 */
import { accountState } from '#analytics/cost/account-table.ts'
import { costLinks } from '#analytics/rollup/stale-day/cost-link.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { CloudAccount } from '#actors/account/entity.ts'

/** The row of an account that the rollup reads. */
export const stateOf = (
  orgId: string,
  { id, provider, externalId, status }: Pick<CloudAccount, 'id' | 'provider' | 'externalId' | 'status'>,
) => ({
  org_id: orgId,
  cloud_account_id: id,
  provider,
  // Ids of Azure subscriptions do not depend on case.
  external_id: provider === 'azure' ? externalId.toLowerCase() : externalId,
  removed: Number(status === 'deleted'),
})

/**
 * The account was connected, changed or removed: stores its row, and marks it, so that days whose lines name it are
 * recomputed.
 */
export function link(account: CloudAccount, turn: Turn): void {
  turn.append(accountState, stateOf(turn.address.orgId, account), turn.now)
  turn.mark(costLinks, account.id)
}
