/** What the hourly collection of metrics says of an account. */
import type { Turn } from '#engine/actor/turn.ts'
import type { Static } from '#engine/value/schema.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import type { AccountNeeds } from '#actors/account/needs.ts'
import type { accountMetricsFailed } from '#streams/account/messages.ts'

const prefix = 'Metrics could not be read: '

/** Replaces no message that asks people to do something about the whole account. */
export function takeMetricsFailure(
  account: CloudAccount,
  { message }: Static<typeof accountMetricsFailed.schema>,
  turn: Turn<AccountNeeds>,
): void {
  if (account.status !== 'connected' && account.status !== 'degraded') return
  if (account.message && !account.message.startsWith(prefix)) return
  account.message = `${prefix}${message}`
  account.updatedAt = turn.now
}

export function takeMetrics(account: CloudAccount, _: unknown, turn: Turn<AccountNeeds>): void {
  if (!account.message?.startsWith(prefix)) return
  account.message = null
  account.updatedAt = turn.now
}
