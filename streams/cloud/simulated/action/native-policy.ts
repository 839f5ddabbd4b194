/** Native scaling policies of the simulated cloud. */
import type { NativePolicy } from '#streams/cloud/connector.ts'
import type { ActionLog } from './log.ts'
import type { SimResource } from '#streams/cloud/simulated/world/resource.ts'

/** The resource's own policies until they are replaced. Resources of producers only have those that were set. */
export const policiesNow = (
  log: ActionLog,
  accountId: string,
  uid: string,
  resource: Pick<SimResource, 'policies'> | undefined,
): readonly NativePolicy[] => log.policies(accountId, uid) ?? resource?.policies ?? []
