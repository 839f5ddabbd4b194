/** Types that a scan could not read for now are scanned again within minutes, and not only with the next scan of the account. */
import type { Turn } from '#engine/actor/turn.ts'
import { minuteMs } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import type { AccountNeeds } from '#actors/account/needs.ts'
import { accountRescanDue } from '#streams/account/messages.ts'
import { isProvider } from '#streams/names.ts'
import { refreshRequested, type refreshProgress } from '#streams/refresh.ts'
import { retries } from '#streams/retry.ts'

/** After the end of the newest scan. */
export function rescanLater(
  { id, status }: CloudAccount,
  { lostTypes: types = [], rescan: last }: Static<typeof refreshProgress.schema>,
  turn: Turn<AccountNeeds>,
): void {
  const attempt = (last?.attempt ?? 0) + 1
  const { tries, pausesMs } = retries.rescan
  turn.forget('rescan')
  if (types.length === 0 || attempt > tries || status === 'deleted') return
  const at = new Date(turn.now.getTime() + (pausesMs[0] ?? minuteMs))
  turn.remind('rescan', at, accountRescanDue, { id, rescan: { types, attempt } })
}

export function rescan(
  { id: cloudAccountId, provider, status }: CloudAccount,
  due: Static<typeof accountRescanDue.schema>,
  turn: Turn<AccountNeeds>,
): void {
  if (!isProvider(provider) || (status !== 'connected' && status !== 'degraded')) return
  turn.emit(refreshRequested, {
    refreshId: turn.id(),
    accounts: [{ cloudAccountId, provider, rescan: due.rescan }],
  })
}
