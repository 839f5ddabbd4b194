/** What the simulated cloud scales resources by beside us. */
import type { NativePolicy } from '#streams/cloud/connector.ts'
import type { ActionLog } from './log.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'

/** Those it has now: its own until somebody replaced them. Of what producers made only what was put there is known. */
export const policiesNow = (
  log: ActionLog,
  accountId: string,
  uid: string,
  resource: Pick<SimResource, 'policies'> | undefined,
): readonly NativePolicy[] => log.policies(accountId, uid) ?? resource?.policies ?? []
