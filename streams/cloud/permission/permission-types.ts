/** Types of cloud permissions. */
import type { ActionKind, ChangingCall } from '#streams/cloud/connector.ts'

const permissionUses = ['autoscaling', 'discovery', 'metrics', 'bills', 'actions', 'provisioning'] as const
export type PermissionUse = (typeof permissionUses)[number]

export const accesses = ['read', 'write'] as const
export type Access = (typeof accesses)[number]

/** Calls of a connector, and actions by kind. */
export type PermittedCall =
  | 'verify'
  | 'discover'
  | 'measure'
  | 'usage'
  | 'bill'
  | 'prices'
  | 'look'
  | 'access'
  | 'policies'
  | 'quotas'
  | 'describe'
  | ActionKind
  | ChangingCall

/** The permissions that one call of the connector needs for some resource types. */
export interface Permission {
  use: PermissionUse
  call: PermittedCall
  access: Access
  /** Resource types it is needed for; if missing, all. */
  types?: readonly string[]
  /** The cloud's names. */
  names: readonly string[]
  /** Where it is needed, in the cloud's patterns; if missing, everywhere. */
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
