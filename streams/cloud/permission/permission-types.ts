/** What it is to be permitted something at a cloud. */
import type { ActionKind, ChangingCall } from '#streams/cloud/connector.ts'

const permissionUses = ['autoscaling', 'discovery', 'metrics', 'bills', 'actions', 'provisioning'] as const
export type PermissionUse = (typeof permissionUses)[number]

export const accesses = ['read', 'write'] as const
export type Access = (typeof accesses)[number]

/** Calls of a connector that are part of a use; actions by their kinds. */
export type PermittedCall =
  | 'verify'
  | 'discover'
  | 'measure'
  | 'usage'
  | 'bill'
  | 'look'
  | 'access'
  | 'policies'
  | 'quotas'
  | 'describe'
  | ActionKind
  | ChangingCall

/** What one call of the connector needs for resources of some types. */
export interface Permission {
  use: PermissionUse
  call: PermittedCall
  access: Access
  /** Types it is needed for; left out: whatever there is in the account. */
  types?: readonly string[]
  /** The cloud's own names. */
  names: readonly string[]
  /** All that it is needed on, as the cloud writes patterns; left out: everything. */
  resources?: readonly string[]
}

/** Rows of a table of permissions: `row(use, access)(call, names, { types, resources })`. */
export const row =
  (use: PermissionUse, access: Access) =>
  (call: PermittedCall, names: readonly string[], on: Pick<Permission, 'types' | 'resources'> = {}): Permission => ({
    use,
    call,
    access,
    names,
    ...on,
  })
