import type { PermissionCheck } from '#streams/cloud/connector.ts'
import type { Permission } from '#streams/cloud/permission/permission-types.ts'

/** A permission to check. */
export type RequiredPermission = Pick<Permission, 'access' | 'resources'> & { name: string }

export type State = PermissionCheck['state']
