/** What a scan says of the permissions of its account. */
import type { Static } from '#engine/value/schema.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { permissions } from '#streams/cloud/permission/permission.ts'
import { isProvider } from '#streams/names.ts'
import type { refreshProgress } from '#streams/refresh.ts'

/** What a scan was denied is missing until a whole scan sees everything, or the next verification says what is missing. */
export function takePermissions(
  account: CloudAccount,
  { missingPermissions: denied = [], status, complete, message, rescan }: Static<typeof refreshProgress.schema>,
): void {
  const { missingPermissions: known } = account
  const sawEverything = status === 'completed' && complete !== false && message === undefined && !rescan
  const kept = sawEverything ? known.filter(isOfOtherUse(account)) : known
  account.missingPermissions = [...new Set([...kept, ...denied])].toSorted()
  const lacks = account.missingPermissions.length > 0
  if (lacks && account.status === 'connected') account.status = 'degraded'
  if (!lacks && known.length > 0 && account.status === 'degraded') account.status = 'connected'
}

/** Whether a permission is for something other than scans, which only a verification can tell. */
function isOfOtherUse({ provider }: CloudAccount): (name: string) => boolean {
  const table = isProvider(provider) ? permissions[provider] : []
  const namesOf = (isScan: boolean) =>
    new Set(table.filter(({ use }) => (use === 'discovery') === isScan).flatMap(({ names }) => names))
  const [scans, others] = [namesOf(true), namesOf(false)]
  return (name) => others.has(name) && !scans.has(name)
}
