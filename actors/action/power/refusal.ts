import { Fault } from '#engine/value/fault.ts'

export interface PowerFacts {
  schedulable: boolean
  accountStatus: string
  permissionVerdict: string
}

/** Why a resource cannot be started or stopped at all, by anyone; undefined if it can. */
export function powerRefusal({ schedulable, accountStatus, permissionVerdict }: PowerFacts): Fault | undefined {
  if (accountStatus === 'disabled') return Fault.refused('capability_missing', 'The account is disabled.')
  if (!schedulable) return Fault.refused('not_schedulable', 'Resources of this type cannot be started or stopped.')
  return permissionVerdict === 'read_only' || permissionVerdict === 'none'
    ? Fault.refused('capability_missing', 'The credentials of the account do not allow starting or stopping resources.')
    : undefined
}
