/** Tells the sums of costs which accounts there are: lines of a payer's bill count for the connected account that their sub-account is. */
import { accountState } from '#analytics/cost/account-table.ts'
import { costLinks } from '#analytics/rollup/stale-day/cost-link.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { CloudAccount } from '#actors/account/entity.ts'

/** The row of an account that sums are worked out by. */
export const stateOf = (
  orgId: string,
  { id, provider, externalId, status }: Pick<CloudAccount, 'id' | 'provider' | 'externalId' | 'status'>,
) => ({
  org_id: orgId,
  cloud_account_id: id,
  provider,
  // Their ids do not depend on case.
  external_id: provider === 'azure' ? externalId.toLowerCase() : externalId,
  removed: Number(status === 'deleted'),
})

/** The account came or went. The days whose lines name it are looked at again. */
export function link(account: CloudAccount, turn: Turn): void {
  turn.append(accountState, stateOf(turn.address.orgId, account), turn.now)
  turn.mark(costLinks, account.id)
}
